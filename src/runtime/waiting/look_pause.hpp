// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the service thread stands back before it looks again whether anybody polls. Each look
// takes the processor from a thread of the program, if the job has no other. So where looks show,
// again and again, that it is not needed, they become rarer; a message from elsewhere that had to
// wait for one makes them as frequent as they can be. A message then waits so long at most once in
// many such times.
//
// A message may wake the service thread and need no answer: an arrival that comes early at a
// barrier, say. That is a look in vain, too: the thread stands back before it is to be woken again,
// as more such messages may follow. A program whose nodes meet at barriers alone, after some
// computing each, would be interrupted at each of them. A request that comes meanwhile waits for
// the next look.
#pragma once

#include <cstdint>

namespace weft {

class LookPause {
 public:
  static constexpr std::int64_t kLeastNanoseconds = 50'000;
  static constexpr std::int64_t kMostNanoseconds = 800'000;
  static constexpr unsigned kLooks = 4;  // in vain, before they become rarer

  // Until the next look.
  [[nodiscard]] std::int64_t nanoseconds() const { return nanoseconds_; }
  // A thread of the program was polling, or a message had woken it that needed no answer.
  void note_in_vain() {
    if (nanoseconds_ == kMostNanoseconds || ++in_vain_ < kLooks) return;
    in_vain_ = 0;
    nanoseconds_ *= 2;
  }
  // Nobody was, and somebody elsewhere needed an answer.
  void note_needed() {
    in_vain_ = 0;
    nanoseconds_ = kLeastNanoseconds;
  }

 private:
  std::int64_t nanoseconds_ = kLeastNanoseconds;
  unsigned in_vain_ = 0;
};

}  // namespace weft
