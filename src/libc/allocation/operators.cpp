// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++'s operator new and delete for the program and its libraries: on the shared heap when there is
// a node. Libraries too, because libstdc++.so allocates what std::string holds.
//
// Weft's own code must not end up here. libweft-node.so is linked with --wrap for each of these
// operators (node_library_options.txt), so that calls from inside it reach private_operators.cpp.
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

void* operator new(size_t n) { return allocate_or_throw(plain(n)); }
void* operator new[](size_t n) { return allocate_or_throw(plain(n)); }
void* operator new(size_t n, align_val_t a) { return allocate_or_throw(aligned(n, a)); }
void* operator new[](size_t n, align_val_t a) { return allocate_or_throw(aligned(n, a)); }
void* operator new(size_t n, const nothrow_t&) noexcept { return allocate_or_null(plain(n)); }
void* operator new[](size_t n, const nothrow_t&) noexcept { return allocate_or_null(plain(n)); }
void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept {
  return allocate_or_null(aligned(n, a));
}
void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept {
  return allocate_or_null(aligned(n, a));
}

void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, size_t) noexcept { release(p); }
void operator delete[](void* p, size_t) noexcept { release(p); }
void operator delete(void* p, const nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, const nothrow_t&) noexcept { release(p); }
void operator delete(void* p, align_val_t) noexcept { release(p); }
void operator delete[](void* p, align_val_t) noexcept { release(p); }
void operator delete(void* p, size_t, align_val_t) noexcept { release(p); }
void operator delete[](void* p, size_t, align_val_t) noexcept { release(p); }
void operator delete(void* p, align_val_t, const nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, align_val_t, const nothrow_t&) noexcept { release(p); }
