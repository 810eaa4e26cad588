// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/thread_ids.hpp"

#include <signal.h>
#include <threads.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "libc/interposition/io_bounce.hpp"
#include "pthread/threads/carriers.hpp"
#include "pthread/threads/elsewhere.hpp"
#include "pthread/threads/own_threads.hpp"
#include "pthread/waiting/objects.hpp"
#include "runtime/board/board.hpp"
#include "runtime/interface/job_processors.hpp"
#include "runtime/interface/move_points.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

constexpr int kTagShift = 48;
constexpr pthread_t kAddressMask = (pthread_t{1} << kTagShift) - 1;

// From the environment and not from the node: ids are compared from the first on.
pthread_t tag_of_node = 0;
[[gnu::constructor(101)]] void find_tag() {
  const char* number = std::getenv("WEFT_NODE");
  if (number != nullptr) tag_of_node = std::strtoul(number, nullptr, 10) << kTagShift;
}

constinit thread_local pthread_t id_of_visitor = 0;

pthread_t own_id() {
  return id_of_visitor != 0 ? id_of_visitor : tagged(WEFT_REAL(pthread_self)());
}

NodeId node_of(pthread_t id) {
  return NodeId(static_cast<NodeId::representation>(id >> kTagShift));
}

ByteView view_of(const void* object, std::size_t bytes) {
  return {static_cast<const std::byte*>(object), bytes};
}

// Of a thread of this node; most of them never move.
bool may_be_elsewhere(pthread_t id, ThreadCall call) {
  return threads_may_move && is_where_it_runs(call) && carrier_of(id) != nullptr;
}

// Calls `real` for a thread of this node, and asks the thread's home else; then `take(answer)` has
// what came with it, if it is not an error.
template <typename Real, typename Take>
int here_or_elsewhere(pthread_t id, Real real, const ThreadRequest& request, Take take) {
  const bool is_own = is_of_this_node(id);
  if (id == own_id() || (is_own && !may_be_elsewhere(id, request.call))) return real(untagged(id));
  ThreadAnswer answer;
  on_runtime_stack([&] {
    answer = is_own ? follow_thread(id, request) : ask_about_thread(node_of(id), id, request);
  });
  if (answer.error == 0) take(answer);
  return answer.error;
}
template <typename Real>
int here_or_elsewhere(pthread_t id, Real real, const ThreadRequest& request) {
  return here_or_elsewhere(id, real, request, [](const ThreadAnswer&) {});
}

auto take_result(void** result) {
  return [result](const ThreadAnswer& answer) {
    if (result != nullptr) *result = reinterpret_cast<void*>(answer.value);
  };
}

auto take_bytes(void* to) {
  return [to](const ThreadAnswer& answer) {
    std::memcpy(to, answer.bytes.data(), answer.bytes.size());
  };
}

// The C library blocks all signals meanwhile, with what was blocked before in a local variable: a
// fault there would kill the process. Not to oneself: a handler may jump away.
template <typename Real>
auto off_program_stack(Real real) {
  return [real](pthread_t own) {
    if (own == WEFT_REAL(pthread_self)()) return real(own);
    return on_runtime_stack([&] { return real(own); });
  };
}

int join_until(pthread_t id, void** result, clockid_t clock, const timespec* time) {
  return here_or_elsewhere(
      id, [=](pthread_t own) { return join_own_until(own, result, clock, time); },
      {.call = ThreadCall::kJoinUntil, .a = clock, .b = 0, .bytes = view_of(time, sizeof *time)},
      take_result(result));
}

// ETIMEDOUT if it does not end soon.
[[gnu::noinline]] int join_soon(pthread_t id, void** result, const void* site) {
  constexpr long kSoon = 50'000'000;  // ns
  const CancellationHeld held;
  const board::Purpose purpose(board::WaitKind::kThread, id, nullptr, site);
  const board::Waiting waiting(board::WaitKind::kThread);
  timespec until = {};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += kSoon;
  until.tv_sec += until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  return join_until(id, result, CLOCK_REALTIME, &until);
}

// For a while, again and again: another node that waits for the thread cannot be told to stop. So
// the thread is not joined when the one that waits for it is cancelled, and that one may go on
// waiting at another node.
int join_in_turns(pthread_t id, void** result, const void* site) {
  for (;;) {
    begin_cancellable_call();
    pass_move_point();
    const int error = join_soon(id, result, site);
    if (error != ETIMEDOUT) return error;
  }
}

int join(pthread_t id, void** result, const void* site) {
  if (program_cancels || at_move_point.load() != nullptr) return join_in_turns(id, result, site);
  const board::Purpose purpose(board::WaitKind::kThread, id, nullptr, site);
  const board::Waiting waiting(board::WaitKind::kThread);
  return here_or_elsewhere(
      id, [=](pthread_t own) { return join_own(own, result); }, {ThreadCall::kJoin},
      take_result(result));
}

int take_attributes(const ThreadAnswer& answer, pthread_attr_t* attributes) {
  ThreadAttributes told;
  std::memcpy(&told, answer.bytes.data(), sizeof told);
  if (const int error = pthread_attr_init(attributes); error != 0) return error;
  pthread_attr_setdetachstate(attributes, told.detach_state);
  pthread_attr_setguardsize(attributes, told.guard_bytes);
  return pthread_attr_setstack(attributes, told.stack, told.stack_bytes);
}

// With the stack that the program's functions are on: collectors search it.
int own_attributes(pthread_t id, pthread_attr_t* attributes) {
  const int error = libc::call(WEFT_REAL(pthread_getattr_np), untagged(id), attributes);
  if (error != 0) return error;
  const auto [bottom, top] = program_stack();
  return pthread_attr_setstack(attributes, bottom, static_cast<std::size_t>(top - bottom));
}

}  // namespace

pthread_t tagged(pthread_t id) { return id | tag_of_node; }
pthread_t tagged(pthread_t id, NodeId node) { return id | pthread_t{node.value()} << kTagShift; }
pthread_t untagged(pthread_t id) { return id & kAddressMask; }
bool is_of_this_node(pthread_t id) { return (id & ~kAddressMask) == tag_of_node; }

void call_as_visitor(pthread_t id) { id_of_visitor = id; }

WEFT_ENTRY(pthread_t, pthread_self, void) { return own_id(); }
WEFT_ENTRY(thrd_t, thrd_current, void) { return own_id(); }

WEFT_ENTRY(int, pthread_join, pthread_t id, void** result) {
  return join(id, result, __builtin_return_address(0));
}
WEFT_ENTRY(int, pthread_tryjoin_np, pthread_t id, void** result) {
  return here_or_elsewhere(
      id, [=](pthread_t own) { return try_to_join_own(own, result); }, {ThreadCall::kTryJoin},
      take_result(result));
}
// Without a time they wait as pthread_join does.
WEFT_ENTRY(int, pthread_timedjoin_np, pthread_t id, void** result, const timespec* time) {
  if (time == nullptr) return join(id, result, __builtin_return_address(0));
  return join_until(id, result, CLOCK_REALTIME, time);
}
WEFT_ENTRY(int, pthread_clockjoin_np, pthread_t id, void** result, clockid_t clock,
           const timespec* time) {
  if (time == nullptr) return join(id, result, __builtin_return_address(0));
  return join_until(id, result, clock, time);
}
WEFT_ENTRY(int, pthread_detach, pthread_t id) {
  return here_or_elsewhere(id, [=](pthread_t own) { return detach_own(own); },
                           {ThreadCall::kDetach});
}
WEFT_ENTRY(int, pthread_cancel, pthread_t id) {
  if (id == own_id() && own_carrier() != nullptr) {
    own_carrier()->is_asked_to_end = true;
    if (is_visitor()) return 0;
  }
  const auto real = [](pthread_t own) { return cancel_own(own); };
  return here_or_elsewhere(id, off_program_stack(real), {ThreadCall::kCancel});
}
WEFT_ENTRY(int, pthread_kill, pthread_t id, int number) {
  const auto real = [=](pthread_t own) { return WEFT_REAL(pthread_kill)(own, number); };
  return here_or_elsewhere(id, off_program_stack(real), {ThreadCall::kKill, number});
}
WEFT_ENTRY(int, pthread_sigqueue, pthread_t id, int number, const sigval value) {
  const auto real = [=](pthread_t own) { return WEFT_REAL(pthread_sigqueue)(own, number, value); };
  return here_or_elsewhere(
      id, off_program_stack(real),
      {ThreadCall::kQueueSignal, number, reinterpret_cast<std::int64_t>(value.sival_ptr)});
}
WEFT_ENTRY(int, pthread_getattr_np, pthread_t id, pthread_attr_t* attributes) {
  if (id == own_id() && has_program_stack()) return own_attributes(id, attributes);
  int error = 0;
  const int other_error = here_or_elsewhere(
      id, [=](pthread_t own) { return libc::call(WEFT_REAL(pthread_getattr_np), own, attributes); },
      {ThreadCall::kAttributes},
      [&](const ThreadAnswer& answer) { error = take_attributes(answer, attributes); });
  return other_error != 0 ? other_error : error;
}
WEFT_ENTRY(int, pthread_setaffinity_np, pthread_t id, size_t bytes, const cpu_set_t* set) {
  const libc::Memory<const cpu_set_t> memory{set, bytes};
  const int error = here_or_elsewhere(
      id,
      [=](pthread_t own) {
        return libc::call(WEFT_REAL(pthread_setaffinity_np), own, bytes, memory);
      },
      {.call = ThreadCall::kSetAffinity, .a = 0, .b = 0, .bytes = view_of(set, bytes)});
  return error == EINVAL && has_processors_told(set, bytes) ? 0 : error;
}
WEFT_ENTRY(int, pthread_getaffinity_np, pthread_t id, size_t bytes, cpu_set_t* set) {
  const libc::Memory<cpu_set_t> memory{set, bytes};
  return here_or_elsewhere(
      id,
      [=](pthread_t own) {
        return libc::call(WEFT_REAL(pthread_getaffinity_np), own, bytes, memory);
      },
      {ThreadCall::kAffinity, static_cast<std::int64_t>(bytes)}, take_bytes(set));
}
WEFT_ENTRY(int, pthread_setname_np, pthread_t id, const char* name) {
  return here_or_elsewhere(id,
                           [=](pthread_t own) {
                             return libc::call(WEFT_REAL(pthread_setname_np), own,
                                               libc::text(name));
                           },
                           {.call = ThreadCall::kSetName,
                            .a = 0,
                            .b = 0,
                            .bytes = view_of(name, std::strlen(name) + 1)});
}
WEFT_ENTRY(int, pthread_getname_np, pthread_t id, char* name, size_t bytes) {
  return here_or_elsewhere(
      id,
      [=](pthread_t own) {
        return libc::call(WEFT_REAL(pthread_getname_np), own, libc::memory(name, bytes), bytes);
      },
      {ThreadCall::kName, static_cast<std::int64_t>(bytes)}, take_bytes(name));
}
WEFT_ENTRY(int, pthread_setschedparam, pthread_t id, int policy, const sched_param* parameters) {
  return here_or_elsewhere(id,
                           [=](pthread_t own) {
                             return libc::call(WEFT_REAL(pthread_setschedparam), own, policy,
                                               libc::memory(parameters));
                           },
                           {.call = ThreadCall::kSetScheduling,
                            .a = policy,
                            .b = 0,
                            .bytes = view_of(parameters, sizeof *parameters)});
}
WEFT_ENTRY(int, pthread_getschedparam, pthread_t id, int* policy, sched_param* parameters) {
  return here_or_elsewhere(
      id, [=](pthread_t own) { return WEFT_REAL(pthread_getschedparam)(own, policy, parameters); },
      {ThreadCall::kScheduling},
      [=](const ThreadAnswer& answer) {
        *policy = static_cast<int>(answer.value);
        take_bytes(parameters)(answer);
      });
}
WEFT_ENTRY(int, pthread_setschedprio, pthread_t id, int priority) {
  return here_or_elsewhere(
      id, [=](pthread_t own) { return libc::call(WEFT_REAL(pthread_setschedprio), own, priority); },
      {ThreadCall::kSetPriority, priority});
}

// The clock of a thread is its process's: no other can read it.
WEFT_ENTRY(int, pthread_getcpuclockid, pthread_t id, clockid_t* clock) {
  const bool is_here = is_of_this_node(id) && !threads_may_move;
  if (id == own_id() || is_here) return WEFT_REAL(pthread_getcpuclockid)(untagged(id), clock);
  on_runtime_stack([&] {
    this_node()->fail(
        "pthread_getcpuclockid of a thread that another node has made cannot work; let a thread "
        "ask for its own clock");
  });
  __builtin_unreachable();
}

WEFT_ENTRY(int, thrd_detach, thrd_t id) {
  return pthread_detach(id) == 0 ? thrd_success : thrd_error;
}

}  // namespace weft::pthread
