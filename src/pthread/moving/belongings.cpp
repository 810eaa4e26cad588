// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/moving/belongings.hpp"

#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <utility>

#include "libc/interposition/interpose.hpp"
#include "pthread/load/private_locks.hpp"
#include "pthread/synchronisation/mutexes.hpp"
#include "pthread/threads/birth.hpp"
#include "runtime/interface/thread_spreading.hpp"

// glibc's, for pthread_cleanup_push in C: the thread's innermost buffer is noted in the next one,
// and is that one again when the next is taken away. (Its header declares them for C alone.)
extern "C" {
struct WeftUnwindBuffer {
  __pthread_unwind_buf_t buffer;
};
void weft_register_cleanup(WeftUnwindBuffer*) __asm__("__pthread_register_cancel");
void weft_unregister_cleanup(WeftUnwindBuffer*) __asm__("__pthread_unregister_cancel");
}

namespace weft::pthread {
namespace {

// As Itanium's ABI for C++ has it (2.2.2).
struct ExceptionGlobals {
  void* caught;
  unsigned uncaught;
};
// The program's C++ library's: Weft has another. Null in programs without one.
ExceptionGlobals* exception_globals() {
  const auto get = WEFT_REAL_AS(ExceptionGlobals * (*)(), __cxa_get_globals);
  return get == nullptr ? nullptr : get();
}

void* innermost_cleanup() {
  WeftUnwindBuffer next = {};
  weft_register_cleanup(&next);
  void* const innermost = next.buffer.__pad[0];
  weft_unregister_cleanup(&next);
  return innermost;
}

void set_innermost_cleanup(void* innermost) {
  WeftUnwindBuffer next = {};
  next.buffer.__pad[0] = innermost;
  weft_unregister_cleanup(&next);
}

void pack_library_state(Belongings& out) {
  out.locale = uselocale(nullptr);
  if (ExceptionGlobals* const globals = exception_globals(); globals != nullptr) {
    out.caught_exceptions = globals->caught;
    out.uncaught_exceptions = globals->uncaught;
    *globals = {};
  }
  out.cleanup = innermost_cleanup();
}

void unpack_library_state(const Belongings& belongings) {
  uselocale(static_cast<locale_t>(belongings.locale));
  if (ExceptionGlobals* const globals = exception_globals(); globals != nullptr) {
    *globals = {belongings.caught_exceptions, belongings.uncaught_exceptions};
  }
  set_innermost_cleanup(belongings.cleanup);
}

void pack_kernel_state(Belongings& out) {
  stack_t stack = {};
  sigaltstack(nullptr, &stack);
  out.signal_stack = stack.ss_sp;
  out.signal_stack_flags = stack.ss_flags;
  out.signal_stack_bytes = stack.ss_size;
  const Scheduling scheduling = own_scheduling();
  out.policy = scheduling.policy;
  out.priority = scheduling.parameters.sched_priority;
  out.niceness = own_niceness();
  out.name = own_name();
}

void adopt_scheduling(const Belongings& belongings) {
  const Scheduling present = own_scheduling();
  if (present.policy == belongings.policy &&
      present.parameters.sched_priority == belongings.priority) {
    return;
  }
  const sched_param wanted = {.sched_priority = static_cast<int>(belongings.priority)};
  (void)WEFT_REAL(pthread_setschedparam)(WEFT_REAL(pthread_self)(),
                                         static_cast<int>(belongings.policy), &wanted);
}

void unpack_kernel_state(const Belongings& belongings) {
  const stack_t stack = {.ss_sp = belongings.signal_stack,
                         .ss_flags = belongings.signal_stack_flags,
                         .ss_size = belongings.signal_stack_bytes};
  sigaltstack(&stack, nullptr);
  adopt_scheduling(belongings);
  adopt_niceness(static_cast<int>(belongings.niceness));
  prctl(PR_SET_NAME, belongings.name.c_str());
}

ThreadUsage usage_of_kernel() {
  timespec clock = {};
  rusage usage = {};
  WEFT_REAL(clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &clock);
  WEFT_REAL(getrusage)(RUSAGE_THREAD, &usage);
  return thread_usage::of_kernel(clock, usage);
}

void unpack_usage(const Belongings& belongings) {
  thread_usage::elsewhere = belongings.usage;
  thread_usage::add(thread_usage::elsewhere, usage_of_kernel(), -1);
}

}  // namespace

Belongings pack(const Interruptions& interruptions) {
  Belongings out{.interruptions = interruptions};
  pack_library_state(out);
  pack_kernel_state(out);
  out.node_for_threads = std::exchange(weft::node_for_threads, kNoNode);
  out.stay = own_stay;
  out.usage = usage_of_kernel();
  thread_usage::add(out.usage, thread_usage::elsewhere, 1);
  out.values = carry_off_values();
  out.exits = carry_off_thread_exits();
  out.locks = carry_off_mutexes(*this_node());
  return out;
}

void unpack(const Belongings& belongings) {
  take_over_mutexes(*this_node(), belongings.locks);
  take_over_thread_exits(belongings.exits);
  if (!take_over_values(belongings.values)) {
    this_node()->fail(
        "a thread that moves here finds no memory for its values (pthread_setspecific); let the "
        "node have more memory");
  }
  weft::node_for_threads = belongings.node_for_threads;
  own_stay = belongings.stay;
  unpack_usage(belongings);
  private_locks = 0;
  unpack_kernel_state(belongings);
  unpack_library_state(belongings);
}

}  // namespace weft::pthread
