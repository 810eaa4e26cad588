// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Futexes in shared memory, which the program's code reaches by syscall(SYS_futex, ...): waiting on
// atomic variables, and C++20's latches, barriers and semaphores, are made of them in headers. The
// kernel knows a futex of one process alone; here a queue of the job takes its place.
#include "pthread/synchronisation/futexes.hpp"

#include <linux/futex.h>

#include <cerrno>
#include <cstring>

#include "base/futex.hpp"
#include "pthread/waiting/objects.hpp"
#include "pthread/waiting/parking.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/move_points.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

std::uint32_t load(Node& node, const void* word) {
  const AtomicRequest request{
      .where = *node.offset_of(word), .size = 4, .operation = AtomicOperation::kLoad};
  const AtomicResult result = node.atomic(request, Ordering::kAcquire);
  std::uint32_t value = 0;
  std::memcpy(&value, result.before, sizeof value);
  return value;
}

// First into the queue, then a look at the word: who changes the word and wakes after it, finds the
// thread there.
int wait(Node& node, const void* word, std::uint32_t expected,
         std::optional<std::int64_t> until_ns) {
  const auto key = reinterpret_cast<ParkingKey>(word);
  const board::Purpose purpose(board::WaitKind::kFutex, key);
  Sleeper sleeper;
  parking().enqueue(key, sleeper);
  if (load(node, word) != expected) {
    parking().leave(key, sleeper);
    return EAGAIN;
  }
  return parking().sleep(key, sleeper, until_ns) ? 0 : ETIMEDOUT;
}

std::optional<std::int64_t> time_of(const timespec* time, int operation) {
  if (time == nullptr) return std::nullopt;
  const timespec when = *time;
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT) {  // how long
    return now_ns() + when.tv_sec * 1'000'000'000 + when.tv_nsec;
  }
  const bool real_time = (operation & FUTEX_CLOCK_REALTIME) != 0;
  return monotonic(real_time ? CLOCK_REALTIME : CLOCK_MONOTONIC, when);
}

}  // namespace

// Bits (of the _BITSET operations) are taken for "any": a thread may be woken for nothing, as a
// futex allows. What requeues, or hands on priorities, is left to the kernel.
bool futex_of_job(void* word, int operation, std::uint32_t value, const timespec* time,
                  long& result) {
  Node* node = job_of(word);
  if (node == nullptr) return false;
  const int command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
    on_runtime_stack([&] { parking().wake(reinterpret_cast<ParkingKey>(word), value); });
    result = value == 0 ? 0 : 1;  // how many there were is not known
    return true;
  }
  if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) return false;
  const std::optional<std::int64_t> until = time_of(time, operation);
  node = pass_move_point(node);
  const int error = on_runtime_stack([&] { return wait(*node, word, value, until); });
  if (error != 0) errno = error;
  result = error == 0 ? 0 : -1;
  return true;
}

}  // namespace weft::pthread
