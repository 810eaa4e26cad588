// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations that this node has asked homes for, and what its copies had there when it
// asked: so a reply knows whether it may go into a copy (protocol/operations.md, 8). Pure
// bookkeeping.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/context/step.hpp"
#include "protocol/interface/effects.hpp"
#include "protocol/interface/home_facts.hpp"

namespace weft {

struct PendingAtomic {
  using Contents = std::array<std::byte, 16>;  // as many as the operation is wide, in front

  NodeId home = kNoNode;  // that was asked
  AtomicRequest request;
  Ordering ordering = Ordering::kRelaxed;
  Epoch epoch;             // when it was asked
  std::uint32_t copy = 0;  // Page::fetched then
  // What the home had there, as far as this node wrote it, when it was asked: the copy's twin.
  // Nothing, if there was no copy: one that is mapped later, with the initial contents, may have
  // been written at any time. Nothing either, once the home has been sent, or promised, another
  // change of it: the copy may then hold the same again, and the reply be from before.
  std::optional<Contents> held;
  UpdateSequence sent;      // this node's last update to the home, by then
  std::uint64_t heard = 0;  // UnansweredStores::heard_count by then
  // The operation that is to be done in place of telling the thread: this one only shows that its
  // home has what it was sent.
  std::optional<step::StartAtomic> next;

  // Whether the reply may go into a copy with this number that holds this.
  [[nodiscard]] bool fits(std::uint32_t copy_now, ByteView contents) const;
};

class PendingAtomics {
 public:
  void add(WaitId wait, const PendingAtomic& pending);
  // That was added.
  [[nodiscard]] PendingAtomic take(WaitId wait);
  // The home that was asked, if that was added and not taken.
  [[nodiscard]] NodeId home_of(WaitId wait) const;

  // Runs `act` for all that were added and not taken.
  template <typename Act>
  void for_each(Act act) const {
    for (const auto& [wait, pending] : pending_) act(pending);
  }
  // One of this page was added and not taken.
  [[nodiscard]] bool has(PageIndex page) const;
  // An update was promised to the home.
  void note_merged(const AtomicRequest& update);
  // A diff of the page was made, which is not empty, and sends what this node wrote up to this.
  void note_diff(PageIndex page, ByteView sent);
  // A reply went into the copy. What it left is what later replies for the same place expect.
  void note_patched(const AtomicRequest& request, ByteView after);

 private:
  std::map<WaitId, PendingAtomic> pending_;
};

}  // namespace weft
