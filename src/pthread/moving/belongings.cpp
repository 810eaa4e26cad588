// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/moving/belongings.hpp"

#include <cxxabi.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "libc/interposition/interpose.hpp"
#include "pthread/synchronisation/mutexes.hpp"
#include "pthread/threads/birth.hpp"
#include "runtime/interface/thread_spreading.hpp"

#if !defined(__x86_64__)
#error "a thread's floating-point environment is saved for x86-64; add this architecture's"
#endif

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
ExceptionGlobals& exception_globals() {
  return *reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
}

struct FloatingPoint {
  std::array<std::byte, 28> x87;
  std::uint32_t mxcsr;
};

Bytes present_environment() {
  FloatingPoint present;
  asm volatile("fnstenv %0\n\tfldenv %0" : "+m"(present.x87));
  present.mxcsr = __builtin_ia32_stmxcsr();
  const ByteView view = std::as_bytes(std::span(&present, 1));
  return {view.begin(), view.end()};
}

void adopt_environment(ByteView bytes) {
  FloatingPoint wanted;
  std::memcpy(&wanted, bytes.data(), std::min(bytes.size(), sizeof wanted));
  asm volatile("fldenv %0" : : "m"(wanted.x87));
  __builtin_ia32_ldmxcsr(wanted.mxcsr);
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
  out.floating_point = present_environment();
  out.locale = uselocale(nullptr);
  out.caught_exceptions = exception_globals().caught;
  out.uncaught_exceptions = exception_globals().uncaught;
  exception_globals() = {};
  out.cleanup = innermost_cleanup();
}

void unpack_library_state(const Belongings& belongings) {
  adopt_environment(belongings.floating_point);
  uselocale(static_cast<locale_t>(belongings.locale));
  exception_globals() = {belongings.caught_exceptions, belongings.uncaught_exceptions};
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

}  // namespace

Belongings pack(const Interruptions& interruptions, int error) {
  Belongings out{.interruptions = interruptions, .error = error};
  pack_library_state(out);
  pack_kernel_state(out);
  out.node_for_threads = std::exchange(weft::node_for_threads, kNoNode);
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
  unpack_kernel_state(belongings);
  unpack_library_state(belongings);
}

}  // namespace weft::pthread
