// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the nodes of one host show each other (protocol/interface/exposed_memory.hpp): each has a
// small file in memory with its epoch, the updates that it has applied, and a bit for each page
// that it exposes. The others map that file, and read pages from the file of its shared region.
// Where all nodes are on one host, they meet in node 0's.
//
//   writer: a page's bit, then its writes       reader: epoch, bit, contents, bit, epoch
//           epoch away, then other states
//
// Files of another process are opened by its number (/proc/PID/fd). Where that is not allowed, as
// in a container of one's own, nodes ask each other by messages as nodes of several hosts do.
#pragma once

#include <atomic>
#include <cstdint>
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

  [[nodiscard]] bool reaches(NodeId home) const override { return others_[home.value()].facts; }
  [[nodiscard]] std::optional<ShownEpoch> epoch_of(NodeId home) const override;
  [[nodiscard]] UpdateSequence applied_at(NodeId home, NodeId writer) const override;
  [[nodiscard]] bool is_exposed(NodeId home, PageIndex page) const override;
  [[nodiscard]] bool copy(NodeId home, PageIndex first, std::span<std::byte> contents) override;
  [[nodiscard]] Meeting* meeting() override { return meeting_; }

 private:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);
  struct Other {
    Word* facts = nullptr;
    int region = -1;
  };

  HostMemory(NodeId self, std::uint16_t node_count, std::uint64_t page_count);
  [[nodiscard]] Status make_facts(int region);
  [[nodiscard]] Other open(const HostMemoryPlace& place) const;
  [[nodiscard]] Word* map(int file) const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] Word& word_of(Word* facts, PageIndex page) const;

  const NodeId self_;
  const std::uint16_t node_count_;
  const std::uint64_t page_count_;
  HostMemoryPlace place_;
  // Where nodes meet, in a cache line of its own; twice the epoch + 1, and 1 if it has
  // ended, or 0; of each node the last update applied; the bits.
  Word* facts_ = nullptr;
  std::vector<Other> others_;
  Meeting* meeting_ = nullptr;
};

}  // namespace weft
