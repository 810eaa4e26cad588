// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread of the simulated program does at a time.
#pragma once

#include <cstdint>

namespace weft::sim {

struct Action {
  enum class Kind : std::uint8_t {
    kRead,       // a: cell
    kWrite,      // a: cell
    kOverwrite,  // a: cell; this thread's are all cells of its page, and are written next
    kPrefetch,   // a: cell that this thread may use next, b: three times so many pages, and the use
    kOwn,        // a: cell whose page is to be this thread's node's, b: so many pages
    kNameData,   // a: lock, b: cell: its page is said to come with the lock
    kCommit,     // a: cell that this thread may have written, b: so many pages
    kReadFinal,  // a: cell that atomics wrote, and will not write again in this phase
    kOwnAtomic,  // a: cell, of this thread alone
    kPeek,       // a: cell of any thread, which may write it at the same time
    kAcquire,    // a: lock
    kTry,        // a: lock, b: how many of the next actions to leave out if it is not free
    kRelease,    // a: lock
    kPoolTrade,  // a: lock, held: takes and gives back pool cells
    kPoolUse,    // a: lock; touches a pool cell that this thread owns, if any
    kBeginSum,   // a: lock, b: cell that is added to, and nothing else is done in the section
    kTakeTerm,   // a: cell, from which the term is read, without or with the lock
    kAddSum,     // a: lock, b: cell; then the actions behind it, up to the release, are left out
    kWriteSum,   // a: cell, which the thread has read last
    kAwait,      // a: sequencer, b: turn
    kAdvance,    // a: sequencer, b: turn done
    kFlagStore,  // a: flag group, b: stage
    kFlagWait,   // a: flag group, b: stage
    kCount,      // a: cell
    kSpinLock,   // a: spin group
    kSpinUnlock,  // a: spin group
    kArrive,      // a: arrive group
    kBarrier,
    kPublish,
    kEnd,           // of a thread outside the team
    kMove,          // a: node; of a thread outside the team
    kReleaseThere,  // a: lock, at its keeper, for a thread that has taken it along
  };
  Kind kind = Kind::kBarrier;
  std::uint32_t a = 0, b = 0;
};

[[nodiscard]] const char* action_name(Action::Kind kind);

}  // namespace weft::sim
