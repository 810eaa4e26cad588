// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++'s operator new and delete for the program and its libraries: on the shared heap when there is
// a node. Libraries too, because libstdc++.so allocates what std::string holds.
//
// Weft's own code must not end up here. libweft-node.so is linked with --wrap for each of these
// operators (node_library_options.txt), so that calls from inside it reach private_operators.cpp.
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "libc/allocation/allocation.hpp"
#include "libc/interposition/interpose.hpp"

namespace {

// WEFT_REAL_AS finds the program's own libstdc++, not the private copy in this library: it counts
// exceptions in flight.

// What the standard prescribes: ask the program's handler for room until there is none.
template <typename Allocate>
void* allocate_or_null(Allocate allocate) {
  for (;;) {
    if (void* const block = allocate()) return block;
    auto* const get_handler = WEFT_REAL_AS(std::new_handler (*)(), _ZSt15get_new_handlerv);
    const std::new_handler handler = get_handler == nullptr ? nullptr : get_handler();
    if (handler == nullptr) return nullptr;
    handler();
  }
}

template <typename Allocate>
void* allocate_or_throw(Allocate allocate) {
  if (void* const block = allocate_or_null(allocate)) return block;
  if (auto* const throw_bad_alloc = WEFT_REAL_AS(void (*)(), _ZSt17__throw_bad_allocv))
    throw_bad_alloc();
  std::abort();
}

auto plain(std::size_t bytes) {
  return [bytes] { return weft::libc::program_allocate(bytes); };
}
auto aligned(std::size_t bytes, std::align_val_t alignment) {
  return [bytes, alignment] {
    return weft::libc::program_allocate_aligned(static_cast<std::size_t>(alignment), bytes);
  };
}

}  // namespace

using std::align_val_t, std::nothrow_t, std::size_t;
using weft::libc::release;

// A program may replace some of these and leave the others, which then call those, as the standard
// has it for their defaults ([new.delete]): a block that the program's operator new has made goes
// to its operator delete.
using New = void* (*)(size_t);
using AlignedNew = void* (*)(size_t, align_val_t);
using Delete = void (*)(void*);
using AlignedDelete = void (*)(void*, align_val_t);

namespace {

template <typename Function>
bool is_of_program(Function function) {
  Dl_info its = {}, own = {};
  dladdr(reinterpret_cast<const void*>(function), &its);
  dladdr(reinterpret_cast<const void*>(&is_of_program<Function>), &own);
  return its.dli_fbase != own.dli_fbase;
}

// There is no handler here for what the program's throws: it ends the program.
bool news_are_own() {
  static const bool are =
      !is_of_program(WEFT_FIRST_AS(New, _Znwm)) && !is_of_program(WEFT_FIRST_AS(New, _Znam));
  return are;
}
bool aligned_news_are_own() {
  static const bool are = !is_of_program(WEFT_FIRST_AS(AlignedNew, _ZnwmSt11align_val_t)) &&
                          !is_of_program(WEFT_FIRST_AS(AlignedNew, _ZnamSt11align_val_t));
  return are;
}

}  // namespace

void* operator new(size_t n) { return allocate_or_throw(plain(n)); }
void* operator new[](size_t n) { return WEFT_FIRST_AS(New, _Znwm)(n); }
void* operator new(size_t n, align_val_t a) { return allocate_or_throw(aligned(n, a)); }
void* operator new[](size_t n, align_val_t a) {
  return WEFT_FIRST_AS(AlignedNew, _ZnwmSt11align_val_t)(n, a);
}
void* operator new(size_t n, const nothrow_t&) noexcept {
  return news_are_own() ? allocate_or_null(plain(n)) : WEFT_FIRST_AS(New, _Znwm)(n);
}
void* operator new[](size_t n, const nothrow_t&) noexcept {
  return news_are_own() ? allocate_or_null(plain(n)) : WEFT_FIRST_AS(New, _Znam)(n);
}
void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept {
  return aligned_news_are_own() ? allocate_or_null(aligned(n, a))
                                : WEFT_FIRST_AS(AlignedNew, _ZnwmSt11align_val_t)(n, a);
}
void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept {
  return aligned_news_are_own() ? allocate_or_null(aligned(n, a))
                                : WEFT_FIRST_AS(AlignedNew, _ZnamSt11align_val_t)(n, a);
}

void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { WEFT_FIRST_AS(Delete, _ZdlPv)(p); }
void operator delete(void* p, size_t) noexcept { WEFT_FIRST_AS(Delete, _ZdlPv)(p); }
void operator delete[](void* p, size_t) noexcept { WEFT_FIRST_AS(Delete, _ZdaPv)(p); }
void operator delete(void* p, const nothrow_t&) noexcept { WEFT_FIRST_AS(Delete, _ZdlPv)(p); }
void operator delete[](void* p, const nothrow_t&) noexcept { WEFT_FIRST_AS(Delete, _ZdaPv)(p); }
void operator delete(void* p, align_val_t) noexcept { release(p); }
void operator delete[](void* p, align_val_t a) noexcept {
  WEFT_FIRST_AS(AlignedDelete, _ZdlPvSt11align_val_t)(p, a);
}
void operator delete(void* p, size_t, align_val_t a) noexcept {
  WEFT_FIRST_AS(AlignedDelete, _ZdlPvSt11align_val_t)(p, a);
}
void operator delete[](void* p, size_t, align_val_t a) noexcept {
  WEFT_FIRST_AS(AlignedDelete, _ZdaPvSt11align_val_t)(p, a);
}
void operator delete(void* p, align_val_t a, const nothrow_t&) noexcept {
  WEFT_FIRST_AS(AlignedDelete, _ZdlPvSt11align_val_t)(p, a);
}
void operator delete[](void* p, align_val_t a, const nothrow_t&) noexcept {
  WEFT_FIRST_AS(AlignedDelete, _ZdaPvSt11align_val_t)(p, a);
}
