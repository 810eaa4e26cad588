// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, and the end of the process, which is one. Each node says with its arrival whether it
// stays or leaves. If some leave while others stay, these learn that their barrier will never be
// what they wanted, and nobody waits for ever.
//
//   exit(0)       a last barrier. All leave: in order, as other programs do. One stays: it goes on,
//                 the job cannot end well any more, and its exit ends the job
//   exit(n)       ends the job at once, with this status
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/assert.hpp"
#include "base/locks/lock_ids.hpp"
#include "binding/binding.h"
#include "binding/process.hpp"
#include "runtime/addresses/layout.hpp"
#include "runtime/board/board.hpp"
#include "runtime/bootstrap/bootstrap_wire.hpp"
#include "runtime/job/leaving.hpp"

namespace weft::binding {
namespace {

constexpr std::uint8_t kStays = 1, kLeaves = 2;

// The meeting place, in shared memory, ends with a byte for each node: whether it leaves.
constexpr std::size_t kLeftBegin = Layout::kControlBytes - kPageBytes;

std::atomic<bool> is_waiting = false;
std::atomic<bool> broken = false;

std::byte& left_mark(unsigned node) { return meeting_place()[kLeftBegin + node]; }

// Waits for all nodes; returns all their votes.
std::uint8_t vote(std::uint8_t mine, PhaseKey next) {
  BarrierInput input;
  input.next = next;
  input.votes = mine;
  return driver()->barrier_with(std::move(input));
}

// Someone stays, and will end the job sooner or later; then this process is killed.
[[noreturn]] void wait_for_the_end() {
  for (;;) pause();
}

void meet_for_the_last_time() {
  left_mark(driver()->self().value()) = std::byte{1};
  const std::uint8_t votes = vote(kLeaves, {});
  if ((votes & kStays) != 0) wait_for_the_end();
}

// Called by exit(), when everything else is done.
void leave(int status, void*) {
  Driver* const node = driver();
  if (node == nullptr) return;  // a forked process ends as any other
  board::set_state(board::NodeState::kEnding);
  weft_binding_keep_faults();  // who has taken them before has put back what there was then
  status &= 0xff;
  if (status == 0 && broken) status = 1;
  if (status != 0) return node->bootstrap().report_finished(status | kEndAtOnce);
  meet_for_the_last_time();
  leave_in_order(*node);
  say_last_words(*node, options().statistics);
  if (node->self() == NodeId(0)) node->bootstrap().report_finished(0);
}

// SIGINT ends the process while this lives.
class Interruptible {
 public:
  explicit Interruptible(int flags) : is_on_((flags & WEFT_BINDING_INTERRUPTIBLE) != 0) {
    const struct sigaction by_default = {};
    if (is_on_) sigaction(SIGINT, &by_default, &before_);
  }
  ~Interruptible() {
    if (is_on_) sigaction(SIGINT, &before_, nullptr);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  const bool is_on_;
  struct sigaction before_ = {};
};

LockId id_of(std::uint64_t lock) {
  WEFT_ASSERT(lock >> 47 == 0, "{} is no number of a lock", lock);
  return lock_of(LockKind::kLock, reinterpret_cast<const void*>(lock));
}

// Told before this thread waits: the others may have begun at any time.
void count_other_threads(bool are_there) {
  static bool are_counted = false;
  if (are_there == are_counted) return;
  driver()->count_outside_threads(are_there ? 1 : -1);
  are_counted = are_there;
}

// The place stands for the phase that begins behind it: node 0's counts.
int meet(const char* place, int flags) {
  count_other_threads((flags & WEFT_BINDING_THREADS) != 0);
  const Interruptible interruptible(flags);
  const board::Purpose purpose(board::WaitKind::kBarrier, 0, place);
  const PhaseKey next(reinterpret_cast<std::uintptr_t>(place));
  const std::uint8_t votes = vote(kStays, next);
  if ((votes & kLeaves) != 0) broken = true;
  return broken ? WEFT_BINDING_LEFT : WEFT_BINDING_MET;
}

}  // namespace

void prepare_exit() { on_exit(leave, nullptr); }

}  // namespace weft::binding

using namespace weft;
using namespace weft::binding;

extern "C" {

int weft_binding_barrier(const char* place, int flags) {
  if (broken) return WEFT_BINDING_LEFT;
  if (is_waiting.exchange(true)) return WEFT_BINDING_BUSY;
  const int result = meet(place, flags);
  is_waiting = false;
  return result;
}

int weft_binding_has_left(int node) {
  return left_mark(static_cast<unsigned>(node)) == std::byte{0} ? 0 : 1;
}

void weft_binding_lock(std::uint64_t lock, const char* place, int flags) {
  const LockId id = id_of(lock);
  const Interruptible interruptible(flags);
  const board::Purpose purpose(board::WaitKind::kLock, id.value(), place);
  driver()->acquire(id);
}

int weft_binding_try_lock(std::uint64_t lock) { return driver()->try_acquire(id_of(lock)) ? 1 : 0; }

void weft_binding_unlock(std::uint64_t lock) { driver()->release(id_of(lock)); }

}  // extern "C"
