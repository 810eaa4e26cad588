// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A PageMemory that notes how each page came to hold what it holds, for WEFT_CHECK=protocol. It
// hands all calls on, and keeps of each page the last few that changed it, with the message that
// was the cause. So the engine need not know that it is watched.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/interface/page_memory.hpp"
#include "protocol/messages/message.hpp"

namespace weft {

class NotedMemory final : public PageMemory {
 public:
  explicit NotedMemory(PageMemory& inner) : inner_(inner) {}

  // What the engine does until the next call of this, it does because of that: a message, or a
  // thread of this node.
  struct Cause {
    std::optional<MessageType> message;
    NodeId from;
    Epoch epoch;
  };
  void set_cause(const Cause& cause) { cause_ = cause; }

  // Pages that the program has access to here and that have a twin: copies of another node's, or
  // pages that nobody has written. From this one on, at most so many.
  [[nodiscard]] std::vector<PageIndex> copies(PageIndex from, std::size_t most) const;
  // As a part of a sentence: "installed by FetchReply of node 0 in epoch 7, ...".
  [[nodiscard]] std::string history(PageIndex page) const;

  // --- PageMemory ---
  void map_tracked(PageRange pages, Twin twin) override;
  void map_written(PageRange pages, Twin twin) override;
  std::uint64_t expect_writes(PageRange pages) override { return inner_.expect_writes(pages); }
  void map_untracked(PageRange pages) override;
  void start_tracking(PageRange pages, Twin twin) override;
  void unmap(PageRange pages) override;
  void drop(PageRange pages) override;
  void begin_pause() override { inner_.begin_pause(); }
  void end_pause() override { inner_.end_pause(); }
  void collect_written(PageRange pages, PageSet& written) override;
  void collect_at_rest(std::span<const PageRange> stretches, PhaseKey phase,
                       PageSet& written) override;
  [[nodiscard]] ByteView contents(PageIndex page) const override { return inner_.contents(page); }
  [[nodiscard]] ByteView twin(PageIndex page) const override { return inner_.twin(page); }
  void install(PageIndex page, ByteView contents) override;
  [[nodiscard]] std::span<std::byte> room(PageRange absent) override;
  [[nodiscard]] Bytes make_diff(PageIndex page) override;
  bool append_diff(PageIndex page, Bytes& out) override;
  void apply_diff(PageIndex page, ByteView diff) override;
  void patch_diff(PageIndex page, ByteView diff) override;
  AtomicResult perform(const AtomicRequest& request) override;
  void merge(const AtomicRequest& request) override;
  [[nodiscard]] bool patch(GlobalOffset where, ByteView expected, ByteView bytes) override;

 private:
  enum class Act : std::uint8_t {
    kMapped,
    kTakenAway,
    kInstalled,
    kWritten,
    kDiffMade,
    kDiffApplied,
    kPatched,
    kAtomic,
  };
  struct Event {
    Act act;
    Cause cause;
  };
  static constexpr std::size_t kEvents = 8;  // of a page

  void note(PageIndex page, Act act);
  void note_all(PageRange pages, Act act);
  void note_access(PageRange pages, bool is_copy);
  void note_written(const PageSet& pages);
  [[nodiscard]] static std::string described(const Event& event);

  PageMemory& inner_;
  Cause cause_;
  PageSet copies_;
  std::map<PageIndex, std::deque<Event>> events_;
};

}  // namespace weft
