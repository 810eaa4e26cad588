// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits of Weft's own that pthread_cancel ends, as POSIX asks of sem_wait, pthread_cond_wait and
// pthread_join. The C library's way (a signal that interrupts the system call) does not fit: the
// thread may hold a place in another node's queue, and its frames cannot be unwound. So whoever
// cancels it tells the wait, the wait comes to its end, and the thread ends where the program has
// called.
//
//   waiting thread                       cancelling thread
//   is known here, from the first wait   the C library's pthread_cancel
//   pthread_testcancel                   is it known here? then it is asked, and
//   waits for its word                   the word of its wait changes
//
// If the cancelling thread does not know it, it becomes known after that call, and the next line
// ends it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace weft::pthread {

// Of a wait's result and of a word: the thread is to end.
inline constexpr int kCancelled = -1;
inline constexpr std::uint32_t kWordOfCancelled = UINT32_MAX;

// Ends the calling thread if it is to end. In a frame without destructors, on the program's stack.
// (Behind a wait that was cancelled, pthread_testcancel does.)
void begin_cancellable_call();
// Whether the calling thread is in the state PTHREAD_CANCEL_ENABLE.
[[nodiscard]] bool lets_itself_be_cancelled();

// While it lives, cancelling the thread changes the word from 0 to kWordOfCancelled, and wakes.
class Cancellable {
 public:
  explicit Cancellable(std::atomic<std::uint32_t>& word);
  ~Cancellable();
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;
};

// The thread, of this node (untagged), has been cancelled.
void note_cancelled(pthread_t thread);

}  // namespace weft::pthread
