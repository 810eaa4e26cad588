// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals of a program in a node. Differences from the C library's own calls, all invisible to the
// program:
//
//   handlers      run on the thread's private signal stack: the kernel cannot write a frame onto a
//                 program stack whose page is missing. They wait while the thread holds a lock of
//                 Weft's
//   SIGSEGV, SIGBUS   are how faults on missing pages arrive. The program's handlers get what is
//   left
//                 (Hooks::set_fault_action); the signals are never blocked, as the kernel ends a
//                 process that faults then. The C library does so with its own signals, too
//   sigaltstack   is remembered and not used
//
// What is to be done about a signal is the whole job's (Hooks::share_action).
#include "libc/signals/signals.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/assert.hpp"
#include "base/held_signals.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "libc/signals/fatal_signals.hpp"
#include "libc/signals/handler_admission.hpp"
#include "libc/signals/interruption.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {
namespace {

constexpr int kSignals = 65;

// What the program wants done. Written under no lock: who changes an action while the signal comes
// has the same race in any process.
struct sigaction wanted[kSignals];

// Standard signals are held once each, as the kernel does with those that are pending. Real-time
// ones are all kept, in their order: here, and beyond what there is room for, by the kernel.
constexpr int kFirstRealTime = 34, kMostRealTime = 16;  // the C library has 32 and 33
struct RealTimeSignals {
  siginfo_t infos[kMostRealTime];
  volatile int count = 0;
  sigset_t blocked = {};  // what is kept by the kernel, though the program has not blocked it
};
thread_local siginfo_t held[kSignals];
thread_local volatile bool is_held[kSignals];
thread_local RealTimeSignals held_in_order;
thread_local stack_t program_stack = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};

bool is_fault(int number) { return number == SIGSEGV || number == SIGBUS; }

bool is_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

const Hooks* node() { return in_forked_child.load(std::memory_order_relaxed) ? nullptr : hooks(); }

void call_handler(const struct sigaction& action, int number, siginfo_t* info, void* context) {
  auto call = [&] {
    if ((action.sa_flags & SA_SIGINFO) != 0) {
      action.sa_sigaction(number, info, context);
    } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
      action.sa_handler(number);
    }
  };
  const Hooks* const found = node();
  if (found == nullptr || found->run_handler == nullptr) return call();
  found->run_handler([](void* c) { (*static_cast<decltype(call)*>(c))(); }, &call);
  if ((action.sa_flags & SA_RESTART) == 0) interrupt_wait();
}

const sigset_t* without_faults(const sigset_t* set, sigset_t& copy) {
  if (set == nullptr || hooks() == nullptr) return set;
  copy = *set;
  sigdelset(&copy, SIGSEGV);
  sigdelset(&copy, SIGBUS);
  return &copy;
}

int real_sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  return WEFT_REAL(sigaction)(number, action, old);
}

void send_to_this_thread(int number, siginfo_t& info) {
  ::syscall(SYS_rt_tgsigqueueinfo, ::syscall(SYS_getpid), ::syscall(SYS_gettid), number, &info);
}

// Called by the signal's handler. `context` is what the thread goes on with.
void hold(int number, const siginfo_t& info, ucontext_t& context) {
  signals_waiting = true;
  if (number < kFirstRealTime) {
    held[number] = info;
    is_held[number] = true;
  } else {
    // There is room: with the last place taken, the kernel keeps what comes. (So nobody may touch
    // the program's memory who holds signals back: the return from a fault lets them in again.)
    WEFT_ASSERT(held_in_order.count < kMostRealTime, "signal {} is let in while {} are held back",
                number, kMostRealTime);
    held_in_order.infos[held_in_order.count] = info;
    held_in_order.count = held_in_order.count + 1;
    if (held_in_order.count < kMostRealTime) return;
    for (int each = kFirstRealTime; each < kSignals; ++each) {
      if (sigismember(&context.uc_sigmask, each) == 1) continue;
      sigaddset(&held_in_order.blocked, each);
      sigaddset(&context.uc_sigmask, each);
    }
  }
}

void on_signal(int number, siginfo_t* info, void* context);

struct sigaction for_kernel(int number, const struct sigaction& action) {
  struct sigaction ours = action;
  without_faults(&action.sa_mask, ours.sa_mask);
  const bool is_fatal = action.sa_handler == SIG_DFL && is_watched(number);
  if (!is_handler(action) && !is_fatal) return ours;
  ours.sa_sigaction = on_signal;
  ours.sa_flags |= SA_SIGINFO | SA_ONSTACK;
  ours.sa_flags &= ~static_cast<int>(SA_RESETHAND);
  return ours;
}

void handle(int number, siginfo_t* info, void* context) {
  const int saved_errno = errno;  // what a handler touches may take system calls
  const struct sigaction action = wanted[number];
  if (!is_handler(action) && action.sa_handler == SIG_DFL) return end_by(number);
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    wanted[number] = {};
    const struct sigaction plain = for_kernel(number, {});
    real_sigaction(number, &plain, nullptr);
  }
  call_handler(action, number, info, context);
  errno = saved_errno;
}

// What the kernel calls in place of the program's handlers.
void on_signal(int number, siginfo_t* info, void* context) {
  const bool others_first = number >= kFirstRealTime && held_in_order.count > 0;
  const Hooks* const found = node();
  const bool is_free = signals_held == 0 && !others_first;
  const bool is_fatal = !is_handler(wanted[number]);  // its end reads, but writes nothing
  if (is_free && (found == nullptr || is_fatal || may_handle(*found, number))) {
    return handle(number, info, context);
  }
  hold(number, *info, *static_cast<ucontext_t*>(context));
}

// As the kernel would: with the signals blocked that the program asked for.
void handle_held(int number, siginfo_t& info) {
  const struct sigaction action = wanted[number];
  sigset_t blocked, before;
  without_faults(&action.sa_mask, blocked);
  WEFT_REAL(pthread_sigmask)(SIG_BLOCK, &blocked, &before);
  ucontext_t context;
  getcontext(&context);
  handle(number, &info, &context);
  WEFT_REAL(pthread_sigmask)(SIG_SETMASK, &before, nullptr);
}

// Takes the first whose number is among these.
bool take_first(RealTimeSignals& all, const sigset_t& numbers, siginfo_t& first) {
  for (int i = 0; i < all.count; ++i) {
    if (sigismember(&numbers, all.infos[i].si_signo) == 0) continue;
    first = all.infos[i];
    all.count = all.count - 1;
    for (; i < all.count; ++i) all.infos[i] = all.infos[i + 1];
    return true;
  }
  return false;
}

// What is pending comes after it, and what the program has blocked, or a handler does that runs on
// this thread now, when that is over. What is left stays if a handler jumps out.
void deliver_in_order() {
  RealTimeSignals& all = held_in_order;
  if (all.count == 0) return;
  sigset_t real_time, before, wanted_now;
  sigemptyset(&real_time);
  for (int number = kFirstRealTime; number < kSignals; ++number) sigaddset(&real_time, number);
  WEFT_REAL(pthread_sigmask)(SIG_BLOCK, &real_time, &before);
  sigemptyset(&wanted_now);
  for (int number = kFirstRealTime; number < kSignals; ++number) {
    const bool is_blocked =
        sigismember(&before, number) == 1 && sigismember(&all.blocked, number) == 0;
    if (!is_blocked) sigaddset(&wanted_now, number);
  }
  sigemptyset(&all.blocked);
  for (siginfo_t first; take_first(all, wanted_now, first);) {
    signals_waiting = all.count > 0;
    handle_held(first.si_signo, first);
  }
  signals_waiting = all.count > 0;
  WEFT_REAL(pthread_sigmask)(SIG_UNBLOCK, &wanted_now, nullptr);
}

// Sends the calling thread what it has held back.
void deliver() {
  const int saved_errno = errno;
  const Hooks* const found = node();
  signals_waiting = false;  // to be admitted takes a lock, whose release must not come here again
  const bool may = found == nullptr || may_handle(*found, 0);
  if (!may) signals_waiting = true;
  for (int number = 1; number < kSignals; ++number) {
    if (!is_held[number] || (!may && is_handler(wanted[number]))) continue;
    is_held[number] = false;
    siginfo_t info = held[number];
    send_to_this_thread(number, info);
  }
  if (!may) return;
  if (found != nullptr) {
    on_runtime_stack([] { deliver_in_order(); });
  } else {
    deliver_in_order();
  }
  errno = saved_errno;
}

bool is_same(const struct sigaction& a, const struct sigaction& b) {
  return a.sa_handler == b.sa_handler && a.sa_flags == b.sa_flags &&
         std::memcmp(&a.sa_mask, &b.sa_mask, sizeof a.sa_mask) == 0;
}

void share(const Hooks& hooks, int number, const struct sigaction& before,
           const struct sigaction& now) {
  if (hooks.share_action != nullptr && !is_same(before, now)) hooks.share_action(number, now);
}

int change_fault_action(const Hooks& hooks, int number, const struct sigaction* action,
                        struct sigaction* old) {
  struct sigaction present = {};
  hooks.fault_action(number, &present);
  if (action != nullptr) {
    hooks.set_fault_action(number, action);
    share(hooks, number, present, *action);
  }
  if (old != nullptr) *old = present;
  return 0;
}

int do_sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  const Hooks* hooks = node();
  if (hooks == nullptr || number < 1 || number >= kSignals) {
    const int result = real_sigaction(number, action, old);
    // What a forked child has not changed is handled as before.
    if (result == 0 && old != nullptr && old->sa_sigaction == on_signal) *old = wanted[number];
    return result;
  }
  if (is_fault(number) && hooks->fault_action != nullptr) {
    return change_fault_action(*hooks, number, action, old);
  }
  const struct sigaction before = wanted[number];
  struct sigaction kernels = {};
  if (action != nullptr) {
    deliver_held_signals.store(deliver, std::memory_order_relaxed);
    wanted[number] = *action;
    const struct sigaction ours = for_kernel(number, *action);
    if (real_sigaction(number, &ours, &kernels) != 0) {
      wanted[number] = before;
      return -1;
    }
    count_handler(*hooks, number, is_handler(*action));
    share(*hooks, number, before, *action);
  } else if (real_sigaction(number, nullptr, &kernels) != 0) {
    return -1;
  }
  if (old != nullptr) *old = kernels.sa_sigaction == on_signal ? before : kernels;
  return 0;
}

int do_sigmask(int how, const sigset_t* set, sigset_t* old) {
  sigset_t copy;
  return WEFT_REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without_faults(set, copy), old);
}

int do_sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  const int error = do_sigmask(how, set, old);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int do_sigsuspend(const sigset_t* set) {
  sigset_t copy;
  return WEFT_REAL(sigsuspend)(without_faults(set, copy));
}

int do_sigaltstack(const stack_t* stack, stack_t* old) {
  if (node() == nullptr) return WEFT_REAL(sigaltstack)(stack, old);
  const stack_t before = program_stack;
  if (stack != nullptr) {
    const bool is_off = (stack->ss_flags & SS_DISABLE) != 0;
    if (!is_off && stack->ss_size < static_cast<std::size_t>(MINSIGSTKSZ)) {
      errno = ENOMEM;
      return -1;
    }
    program_stack = *stack;
  }
  if (old != nullptr) *old = before;
  return 0;
}

sighandler_t do_signal(int number, sighandler_t handler, int flags) {
  struct sigaction action = {}, old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  return do_sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

sighandler_t signal_as_bsd(int number, sighandler_t handler) {
  return do_signal(number, handler, SA_RESTART);
}
sighandler_t signal_as_system_v(int number, sighandler_t handler) {
  return do_signal(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}

// On the runtime stack, as locals are handed to the kernel.
template <typename Function, typename... Arguments>
auto off_program_stack(Function function, Arguments... arguments) {
  const Hooks* hooks = node();
  if (hooks == nullptr) return function(arguments...);
  return on_runtime_stack([&] { return function(arguments...); });
}

}  // namespace

void adopt_action(int number, const struct sigaction& action) {
  const Hooks& here = *hooks();
  if (is_fault(number)) {
    if (here.set_fault_action != nullptr) here.set_fault_action(number, &action);
    return;
  }
  if (!is_handler(action)) count_handler(here, number, false);
  deliver_held_signals.store(deliver, std::memory_order_relaxed);
  wanted[number] = action;
  const struct sigaction ours = for_kernel(number, action);
  real_sigaction(number, &ours, nullptr);
}

WEFT_ENTRY(int, sigaction, int number, const struct sigaction* action, struct sigaction* old) {
  return off_program_stack(do_sigaction, number, action, old);
}
WEFT_ENTRY(sighandler_t, signal, int number, sighandler_t handler) {
  return off_program_stack(signal_as_bsd, number, handler);
}
WEFT_ENTRY(sighandler_t, bsd_signal, int number, sighandler_t handler) {
  return off_program_stack(signal_as_bsd, number, handler);
}
WEFT_ENTRY(sighandler_t, ssignal, int number, sighandler_t handler) {
  return off_program_stack(signal_as_bsd, number, handler);
}
WEFT_ENTRY(sighandler_t, sysv_signal, int number, sighandler_t handler) {
  return off_program_stack(signal_as_system_v, number, handler);
}
// What `signal` is under -std=c99 and the like.
WEFT_ENTRY(sighandler_t, __sysv_signal, int number, sighandler_t handler) {
  return off_program_stack(signal_as_system_v, number, handler);
}
WEFT_ENTRY(int, sigprocmask, int how, const sigset_t* set, sigset_t* old) {
  return call(do_sigprocmask, how, memory(set), memory(old));
}
WEFT_ENTRY(int, pthread_sigmask, int how, const sigset_t* set, sigset_t* old) {
  return call(do_sigmask, how, memory(set), memory(old));
}
WEFT_ENTRY(int, sigsuspend, const sigset_t* set) { return call(do_sigsuspend, memory(set)); }
WEFT_ENTRY(int, sigaltstack, const stack_t* stack, stack_t* old) {
  return off_program_stack(do_sigaltstack, stack, old);
}

}  // namespace weft::libc
