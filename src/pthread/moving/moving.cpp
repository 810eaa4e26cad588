// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/moving/moving.hpp"

#include <pthread.h>
#include <signal.h>
#include <threads.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "api/remote/records.hpp"
#include "base/held_signals.hpp"
#include "include/weft/weft.h"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/ownership/private_results.hpp"
#include "pthread/cancellation/cancellable.hpp"
#include "pthread/load/stay.hpp"
#include "pthread/moving/belongings.hpp"
#include "pthread/moving/pending_signals.hpp"
#include "pthread/moving/under_way.hpp"
#include "pthread/synchronisation/mutexes.hpp"
#include "pthread/threads/carriers.hpp"
#include "pthread/threads/placing.hpp"
#include "runtime/compiled_code/volatile_loads.hpp"
#include "runtime/interface/move_counts.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

// With the flags of what has happened.
class FloatingPointEnvironment {
 public:
  FloatingPointEnvironment() { asm volatile("fnstenv %0\n\tfldenv %0" : "=m"(x87_)); }
  void adopt() const {
    asm volatile("fldenv %0" : : "m"(x87_));
    __builtin_ia32_ldmxcsr(mxcsr_);
  }

 private:
  std::array<std::byte, 28> x87_;
  std::uint32_t mxcsr_ = __builtin_ia32_stmxcsr();
};

bool can_leave() {
  return own_carrier() != nullptr && can_leave_program_part() && !holds_other_locks() &&
         !remote::has_open_operations() && is_program_alone_under_way();
}

enum class Purpose : std::uint8_t { kToGoOn, kToEnd };

enum class Leave : std::uint8_t { kTaken, kSignalled, kRefused };

// Of a secluded thread. Nobody finds it here any more; but not if it is to end, or a signal waits
// for it, which whoever has found it here may have sent it just now.
Leave vanish(Carrier& carrier, Purpose purpose, std::uint64_t blocked) {
  const std::lock_guard guard(carrier.guard);
  if (carrier.is_asked_to_end && purpose == Purpose::kToGoOn) return Leave::kRefused;
  const PendingSignals pending = pending_signals(blocked);
  if (pending == PendingSignals::kArrived) return Leave::kSignalled;
  if (pending == PendingSignals::kBlocked) return Leave::kRefused;
  carrier.is_here = carrier.is_asked_to_end = false;
  return Leave::kTaken;
}

// On the runtime stack. True: the thread is to leave, and is not itself until it has arrived.
bool prepare_to_leave(NodeId node, Purpose purpose) {
  Carrier& carrier = *own_carrier();
  for (;;) {
    const Interruptions interruptions = seclude();
    const Leave leave = vanish(carrier, purpose, interruptions.blocked);
    if (leave == Leave::kTaken) {
      carrier.destination = node;
      carrier.belongings = to_bytes(pack(interruptions));
      return true;
    }
    let_in(interruptions);  // a handler runs now
    if (leave == Leave::kRefused) return false;
  }
}

// What this node knew of the thread on its last visit may be out of date.
void forget_last_visit() {
  forget_volatile_loads();
  libc::has_private_results = false;
  this_node()->note_fence();  // it may have executed one elsewhere
}

// On the runtime stack.
void arrive() {
  Carrier& carrier = *own_carrier();
  const auto belongings = value_of<Belongings>(carrier.message.belongings);
  forget_last_visit();
  unpack(belongings);
  {
    const std::lock_guard guard(carrier.guard);
    carrier.is_here = true;
  }
  let_in(belongings.interruptions);
}

// On the program stack: until the calling thread has arrived, or stays, one is expected there.
class ExpectedThread {
 public:
  explicit ExpectedThread(NodeId node) : node_(node) {
    auto* const prepare = before_leaving.load();
    is_counted_ = prepare != nullptr && on_runtime_stack([=] { return prepare(node); });
  }
  ~ExpectedThread() {
    if (is_counted_) on_runtime_stack([node = node_] { count_out(node); });
  }
  ExpectedThread(const ExpectedThread&) = delete;
  ExpectedThread& operator=(const ExpectedThread&) = delete;

 private:
  NodeId node_;
  bool is_counted_;
};

// On the program stack, and so what it remembers comes along.
bool move(NodeId node, Purpose purpose) {
  if (!can_leave()) return false;
  const FloatingPointEnvironment environment;
  const int error = errno;
  const ExpectedThread expected(node);
  if (!on_runtime_stack([=] { return prepare_to_leave(node, purpose); })) return false;
  leave_program_part();
  on_runtime_stack([] { arrive(); });
  environment.adopt();
  errno = error;
  return true;
}

bool is_asked_to_end(Carrier& carrier) {
  const std::lock_guard guard(carrier.guard);
  return carrier.is_asked_to_end;
}

void go_home_to_end() {
  if (move(own_carrier()->home, Purpose::kToEnd)) return;
  on_runtime_stack([] {
    this_node()->fail(
        "a thread that has moved here is to end by pthread_exit or pthread_cancel, and cannot go "
        "back to the node that made it; let it end where nothing of a library is under way");
  });
}

// The calling thread ends if it has been cancelled while it was away from home.
void end_if_cancelled() {
  if (!is_visitor() || !is_asked_to_end(*own_carrier()) || !lets_itself_be_cancelled()) return;
  go_home_to_end();
  WEFT_REAL(pthread_cancel)(WEFT_REAL(pthread_self)());
}

}  // namespace

bool move_to(NodeId node) { return move(node, Purpose::kToGoOn); }

WEFT_ENTRY(void, pthread_testcancel, void) {
  end_if_cancelled();
  WEFT_REAL(pthread_testcancel)();
}

WEFT_ENTRY(void, pthread_exit, void* result) {
  if (is_visitor()) go_home_to_end();
  WEFT_REAL(pthread_exit)(result);
}

WEFT_ENTRY(void, thrd_exit, int result) {
  if (is_visitor()) go_home_to_end();
  WEFT_REAL(thrd_exit)(result);
}

}  // namespace weft::pthread

extern "C" [[gnu::visibility("default")]] int weft_migrate(int node) {
  if (node < 0 || node >= weft_nodes()) return WEFT_ERROR_NODE;
  weft::pthread::own_stay.is_for_good = true;  // for --balance: the program says where it is
  if (node == weft_node()) return WEFT_OK;
  if (weft::libc::in_forked_child || weft::is_in_signal_handler()) return WEFT_ERROR_THREAD;
  pthread_testcancel();
  if (weft::pthread::move_to(weft::NodeId(static_cast<std::uint16_t>(node)))) {
    ++weft::move_counts.migrated;
    return WEFT_OK;
  }
  pthread_testcancel();  // it may have stayed for that
  return WEFT_ERROR_THREAD;
}
