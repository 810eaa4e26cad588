// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations that this node has asked homes for, and what its copies had there when it
// asked: so a reply knows whether it may go into a copy (protocol.md, 8). Pure bookkeeping.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/engine.hpp"

namespace weft {

struct PendingAtomic {
  using Contents = std::array<std::byte, 16>;  // as many as the operation is wide, in front

  AtomicRequest request;
  Ordering ordering = Ordering::kRelaxed;
  Epoch epoch;             // when it was asked
  std::uint32_t copy = 0;  // Page::fetched then
  // What the copy had there when the home had been sent this node's writes. Nothing, if there was
  // none: one that is mapped later, with the initial contents, may have been written at any time.
  // Nothing either, once the home has been sent, or promised, another change of it: the copy may
  // then hold the same again, and the reply be from before.
  std::optional<Contents> held;
};

class PendingAtomics {
 public:
  void add(WaitId wait, const PendingAtomic& pending);
  // That was added.
  [[nodiscard]] PendingAtomic take(WaitId wait);

  // An update was promised to the home.
  void note_merged(const AtomicRequest& update);
  // A diff of the page was made, which is not empty; the page holds this.
  void note_diff(PageIndex page, ByteView contents);
  // A reply went into the copy. What it left is what later replies for the same place expect.
  void note_patched(const AtomicRequest& request, ByteView after);

 private:
  std::map<WaitId, PendingAtomic> pending_;
};

}  // namespace weft
