// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the nodes of one host show each other (protocol/interface/exposed_memory.hpp): each has a
// small file in memory with its epoch, the updates that it has applied, and a bit for each page
// that it exposes. The others map that file, and read pages from the file of its shared region.
// Where all nodes are on one host, they meet in node 0's.
//
//   writer: a page's bit, then its writes       reader: epoch, bit, contents, bit, epoch
//           epoch away, then other states
//   home:   a page's bit away, then looks       operator: its word odd, then looks at bit, epoch;
//           until all words are even            the operation; its word even
//   home:   a place odd; the store, records,    loader: the place, even; the word; the place is the
//           value; the place even               same, and so is the word; records, epoch
//
// Whoever dies at an operation lets its home wait, and its job end.
//
// Files of another process are opened by its number (/proc/PID/fd). Where that is not allowed, as
// in a container of one's own, nodes ask each other by messages as nodes of several hosts do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "base/result.hpp"
#include "protocol/interface/exposed_memory.hpp"

namespace weft {

// Where others of the host find a node's two files.
struct HostMemoryPlace {
  std::string host;  // its boot's number: the same for processes of one kernel
  std::int64_t process = 0;
  std::int32_t region = -1, facts = -1;           // descriptors there
  std::uint64_t region_file = 0, facts_file = 0;  // inodes, to know them again
  WEFT_FIELDS(self.host, self.process, self.region, self.facts, self.region_file, self.facts_file)
};

class HostMemory final : public ExposedMemory {
 public:
  // `region`: the descriptor of the shared region's file, of so many pages. It stays the caller's.
  [[nodiscard]] static Result<std::unique_ptr<HostMemory>> create(NodeId self,
                                                                  std::uint16_t node_count,
                                                                  std::uint64_t page_count,
                                                                  int region);
  ~HostMemory() override;

  [[nodiscard]] const HostMemoryPlace& place() const { return place_; }
  // Of all nodes, in the order of their numbers. Those that cannot be opened are not reached.
  void meet(const std::vector<HostMemoryPlace>& places);

  void begin_epoch(Epoch epoch) override;
  void end_epoch() override;
  void note_applied(NodeId writer, UpdateSequence sequence) override;
  void expose(PageRange pages) override;
  void withdraw(PageRange pages) override;
  void open(PageIndex page) override;
  void close(PageRange pages) override;
  [[nodiscard]] bool take_operated() override;
  void show_word(const ShownWord& word) override;
  void hide_word(GlobalOffset where) override;
  [[nodiscard]] std::uint64_t loads_of(GlobalOffset where) const override;
  void note_known(NodeId writer, IntervalNumber number) override;
  void forget_known() override;

  [[nodiscard]] bool reaches(NodeId home) const override { return others_[home.value()].facts; }
  [[nodiscard]] std::optional<ShownEpoch> epoch_of(NodeId home) const override;
  [[nodiscard]] UpdateSequence applied_at(NodeId home, NodeId writer) const override;
  [[nodiscard]] bool is_exposed(NodeId home, PageIndex page) const override;
  [[nodiscard]] bool copy(NodeId home, PageIndex first, std::span<std::byte> contents) override;
  [[nodiscard]] bool is_open(NodeId home, PageIndex page) const override;
  [[nodiscard]] std::optional<AtomicResult> operate(NodeId home, const AtomicRequest& request,
                                                    const std::function<bool()>& may) override;
  [[nodiscard]] std::optional<ShownWord> load_word(NodeId home, GlobalOffset where,
                                                   std::uint8_t size) override;
  [[nodiscard]] bool knows_no_more(NodeId home,
                                   std::span<const IntervalNumber> clock) const override;
  [[nodiscard]] Meeting* meeting() override { return meeting_; }

 private:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);
  static constexpr std::size_t kLineWords = 8;  // of a cache line
  struct Other {
    Word* facts = nullptr;
    int region = -1;
    std::map<std::uint64_t, std::byte*> windows;  // of its region; null where none could be mapped
    std::uint64_t operations = 0;                 // what this node's word there says
  };

  HostMemory(NodeId self, std::uint16_t node_count, std::uint64_t page_count);
  [[nodiscard]] Status make_facts(int region);
  [[nodiscard]] Other reach(const HostMemoryPlace& place) const;
  [[nodiscard]] Word* map(int file) const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::uint64_t words_of_bits() const;
  [[nodiscard]] std::uint64_t first_operator() const;
  [[nodiscard]] std::uint64_t window_bytes(std::uint64_t index) const;
  [[nodiscard]] Word& word_of(Word* facts, PageIndex page) const;
  [[nodiscard]] Word& open_word_of(Word* facts, PageIndex page) const;
  // That says whether the node does an operation at this moment.
  [[nodiscard]] Word& operator_word(Word* facts, NodeId node) const;
  void await_operators() const;
  [[nodiscard]] std::uint64_t first_place() const;
  [[nodiscard]] Word& known_word(Word* facts, std::size_t writer) const;
  // Of words that are shown: five words of a line, see shown_places.cpp.
  [[nodiscard]] Word* place_of(Word* facts, GlobalOffset where) const;
  void hide_words();
  [[nodiscard]] std::byte* address_at(Other& other, GlobalOffset where) const;

  const NodeId self_;
  const std::uint16_t node_count_;
  const std::uint64_t page_count_;
  HostMemoryPlace place_;
  // Where nodes meet; twice the epoch + 1, and 1 if it has
  // ended, or 0; of each node the last update applied; the bits of exposed pages, and of open ones;
  // of each node, in a line of its own, how often it has begun and ended an operation here; places
  // for words, each in a line of its own; of each node, how many of its records are known here.
  Word* facts_ = nullptr;
  std::vector<Other> others_;
  Meeting* meeting_ = nullptr;
  bool has_opened_ = false;                // a page, ever
  bool has_shown_ = false;                 // a word, since the epoch began
  std::size_t known_end_ = 0;              // no records of later writers are known
  std::vector<std::uint64_t> operations_;  // what the words said last
};

}  // namespace weft
