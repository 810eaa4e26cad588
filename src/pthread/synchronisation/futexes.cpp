// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Futexes in shared memory, which the program's code reaches by syscall(SYS_futex, ...): waiting on
// atomic variables, and C++20's latches, barriers and semaphores, are made of them in headers. The
// kernel knows a futex of one process alone; here a queue of the job takes its place.
//
// Such a call does what futex(2) says, but for the operations that hand on priorities
// (FUTEX_LOCK_PI and its kin): the kernel knows the owner's thread on one host alone. They fail
// with ENOSYS, as do operations that are unknown here.
//
// In a program that stays on node 0, and for words in private memory, the kernel does all of them.
#include "pthread/synchronisation/futexes.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/futex.hpp"
#include "pthread/waiting/objects.hpp"
#include "pthread/waiting/parking.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/move_points.hpp"
#include "runtime/interface/spreading.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

// --- by the kernel ---

// Brings a word's page here; to be written, too, without changing it.
void fetch(void* word, bool to_be_written) {
  const libc::Hooks* const hooks = libc::hooks();
  if (hooks == nullptr || !hooks->is_shared(word)) return;
  auto* const number = static_cast<std::uint32_t*>(word);
  std::uint32_t value = __atomic_load_n(number, __ATOMIC_RELAXED);
  if (!to_be_written) return;
  __atomic_compare_exchange_n(number, &value, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void fetch_words(const FutexCall& call) {
  switch (call.operation & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      return fetch(call.word, false);
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      // The time, of two numbers, may lie in two pages.
      for (const long at : {0L, static_cast<long>(sizeof(timespec) - sizeof(std::uint32_t))}) {
        if (call.detail != 0) fetch(reinterpret_cast<void*>(call.detail + at), false);
      }
      return fetch(call.word, false);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      fetch(call.word, false);
      return fetch(call.second, false);
    case FUTEX_WAKE_OP:
      fetch(call.word, false);
      return fetch(call.second, true);
    default:  // of priorities: the kernel writes the owner
      fetch(call.word, true);
      return fetch(call.second, true);
  }
}

// The kernel does not wait for missing pages. It has done nothing when it misses one.
long futex_of_kernel(const FutexCall& call) {
  constexpr int kAttempts = 100;
  const int error_before = errno;
  for (int attempt = 0;; ++attempt) {
    errno = error_before;
    const long result = ::syscall(SYS_futex, call.word, call.operation, call.value, call.detail,
                                  call.second, call.third);
    if (result != -1 || errno != EFAULT || attempt == kAttempts) return result;
    fetch_words(call);
  }
}

// --- by the job: what they return is negative for an error ---

ParkingKey key_of(const void* word) { return reinterpret_cast<ParkingKey>(word) | kKeptByNode0; }

std::uint32_t change(Node& node, const void* word, AtomicOperation operation, std::uint32_t operand,
                     Ordering ordering) {
  AtomicRequest request{.where = *node.offset_of(word), .size = 4, .operation = operation};
  std::memcpy(request.operand, &operand, sizeof operand);
  const AtomicResult result = node.atomic(request, ordering);
  std::uint32_t before = 0;
  std::memcpy(&before, result.before, sizeof before);
  return before;
}

std::uint32_t load(Node& node, const void* word) {
  return change(node, word, AtomicOperation::kLoad, 0, Ordering::kAcquire);
}

// First into the queue, then a look at the word: who changes the word and wakes after it, finds the
// thread there.
long wait(Node& node, const FutexCall& call, std::uint32_t bits,
          std::optional<std::int64_t> until_ns) {
  const ParkingKey key = key_of(call.word);
  const board::Purpose purpose(board::WaitKind::kFutex,
                               reinterpret_cast<std::uintptr_t>(call.word));
  Sleeper sleeper;
  parking().enqueue(key, sleeper, bits);
  if (load(node, call.word) == call.value)
    return parking().sleep(key, sleeper, until_ns) ? 0 : -ETIMEDOUT;
  if (parking().leave(key, sleeper)) return -EAGAIN;
  // It should not have been in the queue any more. A thread that is asleep may have to be woken in
  // its place; for nothing, as a futex allows, since this one has been counted.
  parking().wake(sleeper.woken_by().key, 1, sleeper.woken_by().bits);
  return 0;
}

// The arguments of FUTEX_WAKE_OP that are in one number.
class WakeOperation {
 public:
  explicit WakeOperation(std::uint32_t encoded)
      : operation_(encoded >> 28 & 7),
        comparison_(encoded >> 24 & 15),
        operand_(extended(encoded >> 12)),
        compared_(extended(encoded)) {
    if ((encoded >> 28 & FUTEX_OP_OPARG_SHIFT) != 0) operand_ = 1U << (operand_ & 31);
  }
  [[nodiscard]] bool is_known() const {
    return operation_ <= FUTEX_OP_XOR && comparison_ <= FUTEX_OP_CMP_GE;
  }
  // Returns the value before.
  std::uint32_t perform(Node& node, const void* word) const {
    constexpr AtomicOperation kOperations[] = {AtomicOperation::kExchange, AtomicOperation::kAdd,
                                               AtomicOperation::kOr, AtomicOperation::kAnd,
                                               AtomicOperation::kXor};
    const std::uint32_t operand = operation_ == FUTEX_OP_ANDN ? ~operand_ : operand_;
    return change(node, word, kOperations[operation_], operand, Ordering::kAcquireRelease);
  }
  [[nodiscard]] bool is_met(std::uint32_t before) const {
    const auto value = static_cast<std::int32_t>(before);
    const auto compared = static_cast<std::int32_t>(compared_);
    switch (comparison_) {
      case FUTEX_OP_CMP_EQ:
        return value == compared;
      case FUTEX_OP_CMP_NE:
        return value != compared;
      case FUTEX_OP_CMP_LT:
        return value < compared;
      case FUTEX_OP_CMP_LE:
        return value <= compared;
      case FUTEX_OP_CMP_GT:
        return value > compared;
      default:
        return value >= compared;
    }
  }

 private:
  // Of 12 bits, the first of which is the sign.
  static std::uint32_t extended(std::uint32_t bits) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << 20) >> 20);
  }
  std::uint32_t operation_, comparison_, operand_, compared_;
};

long wake_by_operation(Node& node, const FutexCall& call) {
  const WakeOperation operation(call.third);
  if (!operation.is_known()) return -ENOSYS;
  const std::uint32_t before = operation.perform(node, call.second);
  std::uint64_t woken = parking().wake_and_count(key_of(call.word), call.value, kAnyBits);
  if (operation.is_met(before)) {
    const auto count = static_cast<std::uint32_t>(call.detail);
    woken += parking().wake_and_count(key_of(call.second), count, kAnyBits);
  }
  return static_cast<long>(woken);
}

// The queue is as it was before the look at the word. A thread that comes later has seen what the
// word is now.
long move(Node& node, const FutexCall& call, bool compares) {
  const auto woken_most = static_cast<std::int32_t>(call.value);
  const auto moved_most = static_cast<std::int32_t>(call.detail);
  if (woken_most < 0 || moved_most < 0) return -EINVAL;
  const std::uint64_t before = parking().arrivals();
  if (compares && load(node, call.word) != call.third) return -EAGAIN;
  const ParkingMove to = {
      .to = key_of(call.second), .most = static_cast<std::uint64_t>(moved_most), .before = before};
  const ParkingMoved done = parking().wake_and_move(key_of(call.word), call.value, to);
  return static_cast<long>(done.woken + done.moved);
}

bool is_word(Node& node, const void* word) {
  return reinterpret_cast<std::uintptr_t>(word) % sizeof(std::uint32_t) == 0 &&
         node.is_shared(word);
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

// What waits comes by a point where its thread may go on at another node.
long wait_of_program(Node* node, const FutexCall& call, std::uint32_t bits) {
  const auto* const time = reinterpret_cast<const timespec*>(call.detail);
  if (bits == 0 || (time != nullptr && !is_valid(*time))) return -EINVAL;
  const std::optional<std::int64_t> until = time_of(time, call.operation);
  node = pass_move_point(node);
  return on_runtime_stack([&] { return wait(*node, call, bits, until); });
}

long futex_of_job(Node* node, const FutexCall& call) {
  if (!is_word(*node, call.word)) return -EINVAL;
  const auto wake = [&](std::uint32_t bits) -> long {
    if (bits == 0) return -EINVAL;
    return on_runtime_stack([&] {
      return static_cast<long>(parking().wake_and_count(key_of(call.word), call.value, bits));
    });
  };
  const auto with_second = [&](auto&& act) -> long {
    if (!is_word(*node, call.second)) return -EINVAL;
    return on_runtime_stack(act);
  };
  switch (call.operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      return wait_of_program(node, call, kAnyBits);
    case FUTEX_WAIT_BITSET:
      return wait_of_program(node, call, call.third);
    case FUTEX_WAKE:
      return wake(kAnyBits);
    case FUTEX_WAKE_BITSET:
      return wake(call.third);
    case FUTEX_REQUEUE:
      return with_second([&] { return move(*node, call, false); });
    case FUTEX_CMP_REQUEUE:
      return with_second([&] { return move(*node, call, true); });
    case FUTEX_WAKE_OP:
      return with_second([&] { return wake_by_operation(*node, call); });
    default:
      return -ENOSYS;
  }
}

}  // namespace

long futex(const FutexCall& call) {
  Node* const node = job_of(call.word);
  if (node == nullptr) return futex_of_kernel(call);
  const long result = futex_of_job(node, call);
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// The words may be in private memory all the same. Nobody looks: programs have another way for
// kernels without it.
bool refuses_several_futexes(long& result) {
  if (program_stays_on_node_0 || libc::in_forked_child) return false;
  errno = ENOSYS;
  result = -1;
  return true;
}

}  // namespace weft::pthread
