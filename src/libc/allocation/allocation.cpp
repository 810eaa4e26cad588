// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// malloc and its family, as seen from three sides:
//
//   the program      its calls were renamed to __wrap_... when it was linked (--wrap): shared heap
//   libraries        call malloc, calloc, memalign: the C library's heap, private to the node
//   both             free, realloc, malloc_usable_size: the address tells whose block it is
//
// So a library's memory can be freed by the program (strdup, asprintf), and the program's resized
// by a library (getline).
//
// malloc and calloc themselves are taken over for one reason: when a library function that the
// program called on a stack in shared memory allocates, a page fault in the middle, with a lock of
// the C library's heap held, would wait for an engine that waits for that lock. On the runtime
// stack there is no such fault.
#include "libc/allocation/allocation.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/compiler_abi.h"
#include "heap/heap.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/interposition/real_allocation.hpp"
#include "libc/ownership/owned_files.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {
namespace {

constexpr std::size_t kPage = 4096;

// The node, if there is one with a heap to allocate from.
const Hooks* node() {
  const Hooks* const found = hooks();
  if (found == nullptr || found->heap == nullptr) return nullptr;
  return in_forked_child.load(std::memory_order_relaxed) ? nullptr : found;
}

const Hooks* owner_of(const void* block) {
  const Hooks* const found = hooks();
  if (found == nullptr || found->heap == nullptr) return nullptr;
  return found->heap->contains(block) ? found : nullptr;
}

void* or_enomem(void* block) {
  if (block == nullptr) errno = ENOMEM;
  return block;
}

// In a forked child, which leaves the block where it is.
void* move_out(const Hooks& node, const void* block, std::size_t bytes) {
  void* const moved = real_malloc(bytes);
  if (moved == nullptr) return nullptr;
  return std::memcpy(moved, block, std::min(bytes, node.heap->usable_bytes(block)));
}

void* resize_shared(const Hooks& node, void* block, std::size_t bytes) {
  if (bytes == 0) {
    release(block);
    return nullptr;
  }
  return or_enomem(on_runtime_stack([&node, block, bytes] {
    return in_forked_child ? move_out(node, block, bytes) : node.heap->reallocate(block, bytes);
  }));
}

bool product(std::size_t count, std::size_t bytes, std::size_t& total) {
  if (!__builtin_mul_overflow(count, bytes, &total)) return true;
  errno = ENOMEM;
  return false;
}

}  // namespace

void set_hooks(const Hooks* new_hooks) {
  installed_hooks.store(new_hooks, std::memory_order_release);
}

void* program_allocate(std::size_t bytes) {
  const Hooks* const found = node();
  if (found == nullptr) return real_malloc(bytes);
  if (void* const block = found->heap->allocate_quickly(bytes)) return block;
  return or_enomem(on_runtime_stack([found, bytes] { return found->heap->allocate(bytes); }));
}

void* program_allocate_aligned(std::size_t alignment, std::size_t bytes) {
  const Hooks* const found = node();
  if (found == nullptr) return real_memalign(alignment, bytes);
  return or_enomem(on_runtime_stack(
      [found, alignment, bytes] { return found->heap->allocate(bytes, alignment); }));
}

std::uint64_t bytes_on_shared_heap() { return hooks()->heap->usage().bytes_in_use; }

bool is_on_shared_heap(const void* block) { return owner_of(block) != nullptr; }

void release(void* block) {
  if (block == nullptr) return;
  const Hooks* const found = owner_of(block);
  const bool is_left = found != nullptr && in_forked_child.load(std::memory_order_relaxed);
  if (is_left || (found != nullptr && found->heap->deallocate_quickly(block))) return;
  const int saved_errno = errno;
  if (found != nullptr) {
    on_runtime_stack([found, block] { found->heap->deallocate(block); });
  } else {
    on_runtime_stack([block] {
      if (!release_stream(block)) real_free(block);
    });
  }
  errno = saved_errno;
}

}  // namespace weft::libc

using namespace weft::libc;
using weft::on_runtime_stack;

// --- the program's ---

WEFT_EXPORT void* __wrap_malloc(std::size_t bytes) { return program_allocate(bytes); }

WEFT_EXPORT void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  const Hooks* const found = node();
  if (found == nullptr) return real_calloc(count, bytes);
  std::size_t total = 0;
  if (!product(count, bytes, total)) return nullptr;
  return or_enomem(
      on_runtime_stack([found, total] { return found->heap->allocate_zeroed(total); }));
}

WEFT_EXPORT void* __wrap_realloc(void* block, std::size_t bytes) {
  if (block == nullptr) return program_allocate(bytes);
  if (const Hooks* const found = owner_of(block)) return resize_shared(*found, block, bytes);
  return on_runtime_stack([=] { return real_realloc(block, bytes); });
}

WEFT_EXPORT void* __wrap_reallocarray(void* block, std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  return product(count, bytes, total) ? __wrap_realloc(block, total) : nullptr;
}

WEFT_EXPORT int __wrap_posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int saved_errno = errno;
  void* const block = program_allocate_aligned(alignment, bytes);
  errno = saved_errno;
  if (block == nullptr) return ENOMEM;
  *out = block;
  return 0;
}

WEFT_EXPORT void* __wrap_memalign(std::size_t alignment, std::size_t bytes) {
  if (alignment > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return nullptr;
  }
  return program_allocate_aligned(std::bit_ceil(alignment), bytes);
}

// glibc asks no more of the alignment than memalign does.
WEFT_EXPORT void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return __wrap_memalign(alignment, bytes);
}

WEFT_EXPORT void* __wrap_valloc(std::size_t bytes) {
  return program_allocate_aligned(kPage, bytes);
}

WEFT_EXPORT void* __wrap_pvalloc(std::size_t bytes) {
  if (bytes > SIZE_MAX - kPage) {
    errno = ENOMEM;
    return nullptr;
  }
  return program_allocate_aligned(kPage, (bytes + kPage - 1) / kPage * kPage);
}

// --- libraries' ---

WEFT_EXPORT void* malloc(std::size_t bytes) {
  return on_runtime_stack([bytes] {
    void* const stream = allocate_stream(bytes);
    return stream != nullptr ? stream : real_malloc(bytes);
  });
}

WEFT_EXPORT void* calloc(std::size_t count, std::size_t bytes) {
  return on_runtime_stack([=] { return real_calloc(count, bytes); });
}

// --- both ---

WEFT_EXPORT void free(void* block) { release(block); }

WEFT_EXPORT void* realloc(void* block, std::size_t bytes) {
  if (const Hooks* const found = owner_of(block)) return resize_shared(*found, block, bytes);
  return on_runtime_stack([=] { return real_realloc(block, bytes); });
}

WEFT_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  return product(count, bytes, total) ? realloc(block, total) : nullptr;
}

WEFT_EXPORT std::size_t malloc_usable_size(void* block) {
  if (block == nullptr) return 0;
  if (const Hooks* const found = owner_of(block)) {
    return on_runtime_stack([found, block] { return found->heap->usable_bytes(block); });
  }
  // The C library's has no second name. The look-up may allocate, but never comes back here.
  return WEFT_REAL_AS(std::size_t (*)(void*), malloc_usable_size)(block);
}

// What libweft.so would forward to the two above.
WEFT_EXPORT void __wrap_free(void* block) { release(block); }
WEFT_EXPORT std::size_t __wrap_malloc_usable_size(void* block) { return malloc_usable_size(block); }
