// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/stacks.hpp"

#include <cstdint>

#include "base/ids.hpp"

#if !defined(__x86_64__)
#error "switching stacks is written for x86-64; add this architecture's twin of weft_switch_stack"
#endif

// weft_switch_stack(f, argument, stack): calls f(argument) with the stack pointer at `stack`
// (16-byte aligned) and comes back. The frame pointer stays on the old stack, and the unwind
// information goes by it, so that debuggers see through the switch.
asm(R"(
    .text
    .globl weft_switch_stack
    .hidden weft_switch_stack
    .type weft_switch_stack, @function
weft_switch_stack:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsp
    callq *%rax
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    retq
    .cfi_endproc
    .size weft_switch_stack, . - weft_switch_stack
)");

extern "C" void weft_switch_stack(void (*f)(void*), void* argument, void* stack);

namespace weft {
namespace {

// Below a frame's stack pointer the processor's ABI lets a leaf function keep 128 bytes.
constexpr std::uintptr_t kRedZoneBytes = 128;

struct ThreadStacks {
  std::byte* program_bottom = nullptr;
  std::byte* program_top = nullptr;
  std::uintptr_t program_pointer = 0;  // where the program stack continues, while off it
  std::uintptr_t runtime_pointer = 0;  // where the runtime stack continues, while off it
};

thread_local ThreadStacks stacks;

std::uintptr_t stack_pointer() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

// Where a switch that is made now may continue on the present stack later. The callers' frames end
// somewhat below this frame's address; leave room for them.
std::uintptr_t below_present_frame() {
  constexpr std::uintptr_t kOwnFrames = 512;
  return (stack_pointer() - kOwnFrames - kRedZoneBytes) & ~std::uintptr_t{63};
}

}  // namespace

bool has_program_stack() { return stacks.program_top != nullptr; }

bool is_on_program_stack() {
  const std::uintptr_t here = stack_pointer();
  return here >= reinterpret_cast<std::uintptr_t>(stacks.program_bottom) &&
         here < reinterpret_cast<std::uintptr_t>(stacks.program_top);
}

void set_program_stack(std::byte* bottom, std::byte* top) {
  stacks.program_bottom = bottom;
  stacks.program_top = top;
  stacks.program_pointer = reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{63};
}

void leave_page_of_program_stack() {
  if (!is_on_program_stack()) stacks.program_pointer &= ~(std::uintptr_t{kPageBytes} - 1);
}

__attribute__((noinline)) void call_on_program_stack(void (*f)(void*), void* argument) {
  if (!has_program_stack() || is_on_program_stack()) return f(argument);
  const std::uintptr_t outer_runtime_pointer = stacks.runtime_pointer;
  stacks.runtime_pointer = below_present_frame();
  weft_switch_stack(f, argument, reinterpret_cast<void*>(stacks.program_pointer));
  stacks.runtime_pointer = outer_runtime_pointer;
}

__attribute__((noinline)) void call_on_runtime_stack(void (*f)(void*), void* argument) {
  if (!is_on_program_stack()) return f(argument);
  const std::uintptr_t outer_program_pointer = stacks.program_pointer;
  stacks.program_pointer = below_present_frame();
  weft_switch_stack(f, argument, reinterpret_cast<void*>(stacks.runtime_pointer));
  stacks.program_pointer = outer_program_pointer;
}

}  // namespace weft
