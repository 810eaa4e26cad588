// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that run program code are born at places of the layout, the same on all nodes, so that
// the program's thread-local variables are in the shared region: any node may name them by address.
// All the rest of a place is the thread's own, private memory of its node.
//
//   place                                                              top (64 MiB aligned)
//   │ nothing │ runtime stack │ system libraries' │ the program's     │ C library's │
//   │         │               │ thread-locals     │ thread-locals     │ descriptor  │
//   │         │ private       │ private           │ shared            │ private     │
//
// The C library puts a thread's static thread-local blocks and its descriptor at the top of the
// stack that it is given, in an order and at distances that are the same for all threads. The link
// by weftcc makes the program's blocks whole pages (src/start/thread_locals.cpp). So a place needs
// no code when a variable is used: the compiler's own accesses, at a distance from the thread
// pointer, go to the shared pages.
//
// Rejected: emulated thread-local storage (a call for each access), and a shared block behind a
// pointer of the thread (a load for each access): both cost on one node, and neither knows what
// other compilers' objects name.
//
// A thread that may move has a carrier on each other node: a thread that is born at the same place
// there, in private memory of that node around the same shared blocks. What runs now on the one and
// then on the other finds its thread-local variables by the same thread pointer.
//
// Not shared: blocks of libraries that weftcc has not linked, or that are loaded late, and those of
// threads for which there is no place left.
#pragma once

#include <pthread.h>

#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/threads/guard_words.hpp"
#include "runtime/addresses/layout.hpp"

namespace weft {

// Of the program's objects that are loaded; empty if the blocks cannot be shared.
[[nodiscard]] std::vector<ThreadLocalBlock> shareable_thread_locals();

// The layout's places of this node are there to be used; once.
void open_thread_places(const Layout& layout, NodeId self);

// pthread_create, at a place if there is one. Two threads of libomp's or the program's never
// share a place: it is used again when the thread is gone and nobody can ask for it any more.
int create_at_place(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*),
                    void* argument);

// pthread_create, with a stack of the C library's that has room for the thread-local variables of
// all libraries, however small a one the caller asks for.
int create_without_place(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*),
                         void* argument);

// The same as the first in two steps. A place that is taken is given back if no thread is made
// there.
struct TakenPlace {
  unsigned number = 0;
  std::size_t bytes = 0;  // of its memory, from the top downwards
};
[[nodiscard]] std::optional<TakenPlace> take_place(const pthread_attr_t* attributes);
void give_back_place(const TakenPlace& place);
int create_at_place(const TakenPlace& place, pthread_t* id, const pthread_attr_t* attributes,
                    void* (*function)(void*), void* argument);

// A carrier: a thread here at a place of another node's, which nobody has been born at there yet.
// The C library writes the first contents of the blocks, as shared memory. It has the guard words
// of its home, as frames and jump buffers come along.
int create_carrier(NodeId home, const TakenPlace& place, const GuardWords& words, pthread_t* id,
                   void* (*function)(void*), void* argument);

// Whether all thread-local variables of the program are in shared blocks.
[[nodiscard]] bool are_all_thread_locals_shared();

// The thread with this id (of this node, untagged) has been joined; will never be joined.
void joined_at_place(pthread_t id);
void detached_at_place(pthread_t id);
// The calling thread is about to run; without it a detached thread's place is never used again.
void running_at_place();

// What the calling thread's shared blocks hold is taken out before pages are watched, and written
// again, for all nodes to be seen, when they are.
class ThreadLocalContents {
 public:
  ThreadLocalContents();
  void write_back() const;

  // The blocks, at their addresses.
  struct Block {
    std::byte* begin;
    std::vector<std::byte> contents;
  };
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
};

// The node at whose place the address is.
[[nodiscard]] std::optional<NodeId> owner_of_place(const void* address);

}  // namespace weft
