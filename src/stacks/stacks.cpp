// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/stacks.hpp"

#include <cstdint>

#include "base/assert.hpp"
#include "base/ids.hpp"
#include "stacks/part_begin.hpp"

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

// weft_begin_part(f, argument, slot, base) and weft_continue_part(stack_pointer, slot, base) save
// on the runtime stack what a function must save, store its pointer in *base and in the slot, and
// go on on the program stack. weft_leave_part(left, base) saves the same there, and goes back. The
// unwind information of the lowest frame is: the caller's frame is above what was saved, to which
// the slot points.
asm(R"(
    .text
    .macro weft_save_runtime_side
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    pushq %rbx
    .cfi_def_cfa_offset 24
    .cfi_offset %rbx, -24
    pushq %r12
    .cfi_def_cfa_offset 32
    .cfi_offset %r12, -32
    pushq %r13
    .cfi_def_cfa_offset 40
    .cfi_offset %r13, -40
    pushq %r14
    .cfi_def_cfa_offset 48
    .cfi_offset %r14, -48
    pushq %r15
    .cfi_def_cfa_offset 56
    .cfi_offset %r15, -56
    .endm

    .globl weft_begin_part
    .hidden weft_begin_part
    .type weft_begin_part, @function
weft_begin_part:
    .cfi_startproc
    weft_save_runtime_side
    movq %rsp, (%rcx)
    movq %rsp, (%rdx)
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsp
    # DW_CFA_def_cfa_expression: *(%rsp) + 56
    .cfi_escape 0x0f, 0x05, 0x77, 0x00, 0x06, 0x23, 0x38
    callq *%rax
    movq (%rsp), %rsp
    .cfi_def_cfa %rsp, 56
    movq %rax, %rdx
    xorl %eax, %eax
    .globl weft_back_at_base
    .hidden weft_back_at_base
weft_back_at_base:
    popq %r15
    .cfi_def_cfa_offset 48
    popq %r14
    .cfi_def_cfa_offset 40
    popq %r13
    .cfi_def_cfa_offset 32
    popq %r12
    .cfi_def_cfa_offset 24
    popq %rbx
    .cfi_def_cfa_offset 16
    popq %rbp
    .cfi_def_cfa_offset 8
    retq
    .cfi_endproc
    .size weft_begin_part, . - weft_begin_part

    .globl weft_continue_part
    .hidden weft_continue_part
    .type weft_continue_part, @function
weft_continue_part:
    .cfi_startproc
    weft_save_runtime_side
    movq %rsp, (%rdx)
    movq %rsp, (%rsi)
    movq %rdi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    retq
    .cfi_endproc
    .size weft_continue_part, . - weft_continue_part

    .globl weft_leave_part
    .hidden weft_leave_part
    .type weft_leave_part, @function
weft_leave_part:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    movl $1, %eax
    jmp weft_back_at_base
    .size weft_leave_part, . - weft_leave_part
)");

extern "C" weft::PartEnd weft_begin_part(void* (*f)(void*), void* argument, std::uintptr_t* slot,
                                         std::uintptr_t* base);
extern "C" weft::PartEnd weft_continue_part(std::uintptr_t stack_pointer, std::uintptr_t* slot,
                                            std::uintptr_t* base);
extern "C" void weft_back_at_base();
extern "C" void weft_leave_part(weft::ProgramPart* left, std::uintptr_t base);

namespace weft {
namespace {

// Below a frame's stack pointer the processor's ABI lets a leaf function keep 128 bytes.
constexpr std::uintptr_t kRedZoneBytes = 128;

struct ThreadStacks {
  std::byte* program_bottom = nullptr;
  std::byte* program_top = nullptr;
  std::uintptr_t program_pointer = 0;  // where the program stack continues, while off it
  std::uintptr_t runtime_pointer = 0;  // where the runtime stack continues, while off it
  std::uintptr_t runtime_anchor = 0;   // somewhere on the runtime stack
  // Of a program part: the runtime stack's pointer while it runs, and runtime_pointer then.
  std::uintptr_t base = 0;
  std::uintptr_t runtime_pointer_of_part = 0;
  ProgramPart left = {};
};

thread_local ThreadStacks stacks;

bool (*is_shared)(const void*) = [](const void*) { return false; };

// The lowest frame of a part: what weft_begin_part keeps there.
std::uintptr_t* base_slot() {
  return reinterpret_cast<std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(stacks.program_top) &
                                           ~std::uintptr_t{63}) -
         2;
}

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

ProgramStack program_stack() { return {stacks.program_bottom, stacks.program_top}; }

bool has_program_stack() { return stacks.program_top != nullptr; }

void set_shared_memory(bool (*contains)(const void*)) { is_shared = contains; }

bool is_on_own_program_stack() {
  const std::uintptr_t here = stack_pointer();
  return here >= reinterpret_cast<std::uintptr_t>(stacks.program_bottom) &&
         here < reinterpret_cast<std::uintptr_t>(stacks.program_top);
}

// Weft asks most often on its runtime stack: near the anchor nothing is shared, as that lies among
// private memory (runtime/addresses/private_memory.hpp).
bool is_on_program_stack() {
  if (is_on_own_program_stack()) return true;
  constexpr std::uintptr_t kNear = std::uintptr_t{64} << 10;
  const std::uintptr_t here = stack_pointer();
  if (!has_program_stack() || stacks.runtime_anchor - here + kNear < 2 * kNear) return false;
  return is_shared(reinterpret_cast<const void*>(here));
}

void set_program_stack(std::byte* bottom, std::byte* top) {
  stacks.runtime_anchor = stack_pointer();
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

namespace {

// Between these two a part is on the calling thread.
void begin_part_on_this_thread() {
  stacks.runtime_pointer = below_present_frame();
  stacks.runtime_pointer_of_part = stacks.runtime_pointer;
}
PartEnd end_part_on_this_thread(PartEnd end) {
  stacks.base = 0;
  stacks.runtime_pointer = 0;
  stacks.runtime_pointer_of_part = 0;
  return end;
}

}  // namespace

__attribute__((noinline)) PartEnd begin_program_part(void* (*f)(void*), void* argument) {
  begin_part_on_this_thread();
  return end_part_on_this_thread(weft_begin_part(f, argument, base_slot(), &stacks.base));
}

__attribute__((noinline)) PartEnd continue_program_part(const ProgramPart& part) {
  begin_part_on_this_thread();
  return end_part_on_this_thread(weft_continue_part(part.stack_pointer, base_slot(), &stacks.base));
}

bool can_leave_program_part() {
  return stacks.base != 0 && is_on_own_program_stack() &&
         stacks.runtime_pointer == stacks.runtime_pointer_of_part;
}

bool is_begin_of_program_part(std::uintptr_t instruction) {
  return instruction >= reinterpret_cast<std::uintptr_t>(&weft_begin_part) &&
         instruction < reinterpret_cast<std::uintptr_t>(&weft_back_at_base);
}

void leave_program_part() {
  WEFT_ASSERT(can_leave_program_part(), "base {}", stacks.base);
  weft_leave_part(&stacks.left, stacks.base);
}

const ProgramPart& left_program_part() { return stacks.left; }

}  // namespace weft
