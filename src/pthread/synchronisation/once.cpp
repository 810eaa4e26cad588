// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done once: pthread_once (which std::call_once is made of) and C11's call_once.
//
// The program's function may throw, and the exception passes through here: then somebody else has
// to do it. This library has a C++ runtime of its own, whose landing pads the program's unwinder
// cannot enter. So the one frame that cleans up is written by hand: its personality routine does
// the work itself and asks the unwinder for nothing.
#include <pthread.h>
#include <threads.h>
#include <unwind.h>

#include <cstring>

#include "base/locks/lock_ids.hpp"
#include "pthread/waiting/objects.hpp"
#include "stacks/stacks.hpp"

#if !defined(__x86_64__)
#error "written for x86-64; add this architecture's twin of weft_call_guarded"
#endif

asm(R"(
    .text
    .globl weft_call_guarded
    .hidden weft_call_guarded
    .type weft_call_guarded, @function
weft_call_guarded:
    .cfi_startproc
    .cfi_personality 0x1b, weft_guard_personality
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    callq *%rdi
    popq %rbp
    .cfi_def_cfa %rsp, 8
    retq
    .cfi_endproc
    .size weft_call_guarded, . - weft_call_guarded
)");

extern "C" void weft_call_guarded(void (*function)());

namespace weft::pthread {
namespace {

// Values of the object; one that is zero has not been done.
constexpr int kDone = 2;

AtomicResult atomic(Node& node, int* flag, AtomicOperation operation, int value,
                    Ordering ordering) {
  AtomicRequest request{
      .where = *node.offset_of(flag), .size = sizeof value, .operation = operation};
  std::memcpy(request.operand, &value, sizeof value);
  return on_runtime_stack([&] { return node.atomic(request, ordering); });
}

bool is_done(Node& node, int* flag) {
  const AtomicResult result = atomic(node, flag, AtomicOperation::kLoad, 0, Ordering::kAcquire);
  int value = 0;
  std::memcpy(&value, result.before, sizeof value);
  return value == kDone;
}

// The lock of what the thread does at present; the innermost, if one does another.
struct Doing {
  LockId lock;
  Doing* outer;
};
thread_local Doing* innermost = nullptr;

void begin(Doing& doing) {
  on_runtime_stack([&] { this_node()->acquire(doing.lock); });
  doing.outer = innermost;
  innermost = &doing;
}

void end() {
  const LockId lock = innermost->lock;
  innermost = innermost->outer;
  on_runtime_stack([&] { this_node()->release(lock); });
}

// Nothing here may need cleaning up when the function throws.
void do_once(Node& node, int* flag, void (*function)()) {
  if (is_done(node, flag)) return;
  Doing doing{lock_of(LockKind::kMonitor, flag), nullptr};
  begin(doing);
  if (!is_done(node, flag)) {
    weft_call_guarded(function);
    atomic(node, flag, AtomicOperation::kStore, kDone, Ordering::kRelease);
  }
  end();
}

}  // namespace

extern "C" [[gnu::visibility("hidden"), gnu::used]] _Unwind_Reason_Code weft_guard_personality(
    int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*, _Unwind_Context*) {
  if ((actions & _UA_CLEANUP_PHASE) != 0) end();
  return _URC_CONTINUE_UNWIND;
}

WEFT_ENTRY(int, pthread_once, pthread_once_t* flag, void (*function)()) {
  Node* node = job_of(flag);
  if (node == nullptr) return WEFT_REAL(pthread_once)(flag, function);
  do_once(*node, flag, function);
  return 0;
}

WEFT_ENTRY(void, call_once, once_flag* flag, void (*function)()) {
  Node* node = job_of(flag);
  if (node == nullptr) return WEFT_REAL(call_once)(flag, function);
  do_once(*node, reinterpret_cast<int*>(flag), function);
}

}  // namespace weft::pthread
