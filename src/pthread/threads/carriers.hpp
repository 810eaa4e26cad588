// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of the program that may go on at another node. Such a thread has a *carrier* on each
// node, a thread of the system: at its home, where it was born, the one that it was born as; on the
// others one at the same place (runtime/addresses/thread_places.hpp). One of them runs the thread's
// program part, the others wait. Its id is always that of its home, and whoever asks something of
// it asks there.
//
//   home, node 0                  node 1                          node 2
//   run_program_part
//   └ weft_migrate(1) ─ kArrives ─► carry
//     (waits)   ◄─── kMovedOn ────  └ weft_migrate(2) ─ kArrives ─► carry
//                                     (waits)                      └ the function returns
//   the thread ends  ◄──────────────────────── kEnded, the result ───┘
//
// kArrives and kEnded are posts: the thread sees on each node what it wrote on the one before.
// Rejected: carriers that are made when a thread first comes. The C library writes the first
// contents of thread-local variables at a thread's birth, and others may be using them by then.
//
// pthread_exit and cancellation unwind the stack with addresses that the C library has hidden by
// its process's own guard. So they are done at home: the thread goes there first. Elsewhere it
// finds that it has been cancelled in pthread_testcancel and weft_migrate alone.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/codec.hpp"
#include "base/signal_safe_mutex.hpp"
#include "pthread/threads/birth.hpp"
#include "runtime/addresses/thread_places.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {

// Between the nodes that a thread knows.
struct MoveMessage {
  enum class What : std::uint8_t { kArrives, kMovedOn, kEnded };
  using enum What;

  What what = kArrives;
  pthread_t id = {};        // as the program sees it
  std::uint64_t moves = 0;  // of its place's threads, up to this one
  NodeId to{};              // of kMovedOn
  // Of kArrives.
  std::uint64_t stack_pointer = 0;
  std::uint64_t stack_bottom = 0, stack_top = 0;
  Bytes belongings = {};     // pthread/moving/belongings.hpp
  std::uint64_t result = 0;  // of kEnded
  WEFT_FIELDS(self.what, self.id, self.moves, self.to, self.stack_pointer, self.stack_bottom,
              self.stack_top, self.belongings, self.result)
};

// What a home asks the other nodes for.
struct CarrierWanted {
  NodeId home{};
  unsigned place = 0;
  std::uint64_t bytes = 0;  // TakenPlace's
  std::uint64_t canary = 0, pointer_guard = 0;
  WEFT_FIELDS(self.home, self.place, self.bytes, self.canary, self.pointer_guard)
};

// One thread as one node knows it. Never destroyed; the next thread at the place has it, too.
struct Carrier {
  Carrier(pthread_t known_as, NodeId born_at, unsigned number)
      : id(known_as), home(born_at), place(number), whereabouts(born_at) {}

  pthread_t id;  // as the program sees it
  const NodeId home;
  const unsigned place;

  // Of the next two. Who holds it may use the thread of the system for the program's thread.
  SignalSafeMutex guard;
  bool is_here = false;
  bool is_asked_to_end = false;  // by pthread_cancel
  // The last node that is known to have it, by the count of its moves; at home.
  NodeId whereabouts;
  std::uint64_t moves = 0;

  MoveMessage message;  // that has come
  std::atomic<std::uint32_t> has_come{0};
  // Of a thread that is about to leave.
  NodeId destination{};
  Bytes belongings;
};

// On every node, before the program runs.
void start_carriers(Node& node);

// pthread_create of a thread that may move, if that can be; `may_move` says so to `function`, which
// begins after it is written. It blocks, and asks the other nodes if they have no carriers for its
// place.
int create_that_may_move(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*),
                         void* argument, std::optional<unsigned>& may_move);

// The new thread's function, on its runtime stack, at this place. Returns when it has returned, on
// whatever node. Needs no cleaning up.
[[nodiscard]] void* run_program_part(const Start& start, unsigned place);

// The calling thread's; null if it cannot move.
[[nodiscard]] Carrier* own_carrier();
// True on a carrier of another node's thread.
[[nodiscard]] bool is_visitor();
// Of the thread with this id, if it may move and this node knows it.
[[nodiscard]] Carrier* carrier_of(pthread_t id);
[[nodiscard]] NodeId whereabouts_of(Carrier& carrier);

// Makes a carrier here for a place of another node, unless there is one. Returns an errno value.
[[nodiscard]] int equip(const CarrierWanted& wanted);

}  // namespace weft::pthread
