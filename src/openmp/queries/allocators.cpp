// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP's memory allocators. libomp's would give memory that is private to the node; here all
// memory spaces are the shared heap, and an allocator that the program makes is a record there, so
// that its handle means the same on every node.
//
//   block:   │ ... padding ... │ Header │ what the program gets (aligned) ...
//
// A limited pool is counted under a lock of the job; others need none.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/addresses.hpp"
#include "base/compiler_abi.h"
#include "openmp/libomp/real.hpp"
#include "openmp/queries/partitions.hpp"
#include "openmp/team/synchronisation_ids.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

using Handle = std::uintptr_t;  // omp_allocator_handle_t

// omp.h's numbers.
constexpr Handle kNullAllocator = 0, kDefaultMemory = 1;
constexpr Handle kLastPredefined = 1024;  // above are the addresses of allocators
constexpr std::uintptr_t kHighBandwidthSpace = 3;
enum class Trait : std::int32_t {
  kAlignment = 2,
  kPoolSize = 4,
  kFallback = 5,
  kFallbackData = 6,
  kPartition = 8
};
enum class Fallback : std::uintptr_t { kDefault = 11, kNull = 12, kAbort = 13, kAllocator = 14 };

struct TraitValue {  // omp_alloctrait_t
  Trait key;
  std::uintptr_t value;
};

struct Allocator {
  std::size_t alignment = 1;
  std::size_t pool_bytes = SIZE_MAX;
  std::size_t pool_used = 0;  // guarded by OwnLock::kAllocators
  Fallback fallback = Fallback::kDefault;
  Handle fallback_allocator = kDefaultMemory;
  Partition partition = Partition::kEnvironment;

  // Pages have homes, so such memory is whole pages.
  [[nodiscard]] bool is_divided() const { return partition != Partition::kEnvironment; }
  [[nodiscard]] bool is_limited() const { return pool_bytes != SIZE_MAX; }
};

struct Header {
  void* block;  // what the heap gave
  std::size_t bytes, taken;
  Handle allocator;
};

Allocator* allocator_of(Handle handle) {
  return handle > kLastPredefined ? reinterpret_cast<Allocator*>(handle) : nullptr;
}

template <typename F>
auto with_pool_lock(F&& change) {
  Node* node = this_node();
  if (node != nullptr) on_runtime_stack([&] { node->acquire(lock_of(OwnLock::kAllocators)); });
  const auto result = change();
  if (node != nullptr) on_runtime_stack([&] { node->release(lock_of(OwnLock::kAllocators)); });
  return result;
}

bool take_from_pool(Allocator& allocator, std::size_t bytes) {
  return with_pool_lock([&] {
    if (allocator.pool_bytes - allocator.pool_used < bytes) return false;
    allocator.pool_used += bytes;
    return true;
  });
}

void give_back(Allocator& allocator, std::size_t bytes) {
  with_pool_lock([&] {
    allocator.pool_used -= bytes;
    return true;
  });
}

void* allocate(Handle handle, std::size_t alignment, std::size_t bytes);

void* fall_back(const Allocator& allocator, std::size_t alignment, std::size_t bytes) {
  switch (allocator.fallback) {
    case Fallback::kNull:
      return nullptr;
    case Fallback::kAbort:
      this_node()->fail("OpenMP: an allocator with the trait abort_fb has no memory left");
    case Fallback::kAllocator:
      return allocate(allocator.fallback_allocator, alignment, bytes);
    case Fallback::kDefault:
      break;
  }
  return allocate(kDefaultMemory, alignment, bytes);
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

void* allocate(Handle handle, std::size_t alignment, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (handle == kNullAllocator) handle = real().omp_get_default_allocator();
  Allocator* allocator = allocator_of(handle);
  const std::size_t wanted_alignment = alignment;
  alignment = std::max({alignment, alignof(std::max_align_t),
                        allocator == nullptr ? std::size_t{1} : allocator->alignment});
  const bool divided = allocator != nullptr && allocator->is_divided();
  if (divided) alignment = std::max<std::size_t>(alignment, kPageBytes);
  const std::size_t used = divided ? whole_pages(bytes) : bytes;
  const std::size_t whole = used + sizeof(Header) + alignment;
  if (used < bytes || whole < used) return nullptr;
  const bool limited = allocator != nullptr && allocator->is_limited();
  if (limited && !take_from_pool(*allocator, whole)) {
    return fall_back(*allocator, wanted_alignment, bytes);
  }
  void* const block = __wrap_malloc(whole);
  if (block == nullptr) {
    if (limited) give_back(*allocator, whole);
    return allocator == nullptr ? nullptr : fall_back(*allocator, wanted_alignment, bytes);
  }
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(block) + sizeof(Header);
  const std::uintptr_t start = (first + alignment - 1) & ~(std::uintptr_t{alignment} - 1);
  auto* header = reinterpret_cast<Header*>(start - sizeof(Header));
  *header =
      Header{.block = block, .bytes = bytes, .taken = limited ? whole : 0, .allocator = handle};
  if (divided) divide(header + 1, used, allocator->partition);
  return header + 1;
}

void* allocate_zeroed(Handle handle, std::size_t alignment, std::size_t count, std::size_t bytes) {
  std::size_t whole = 0;
  if (__builtin_mul_overflow(count, bytes, &whole)) return nullptr;
  void* const block = allocate(handle, alignment, whole);
  return block == nullptr ? nullptr : std::memset(block, 0, whole);
}

void release(void* pointer) {
  if (pointer == nullptr) return;
  const Header header = static_cast<Header*>(pointer)[-1];
  __wrap_free(header.block);
  if (header.taken != 0) give_back(*allocator_of(header.allocator), header.taken);
}

void* resize(void* pointer, std::size_t bytes, Handle handle) {
  if (bytes == 0) {
    release(pointer);
    return nullptr;
  }
  void* const block = allocate(handle, 1, bytes);
  if (block == nullptr || pointer == nullptr) return block;
  std::memcpy(block, pointer, std::min(bytes, static_cast<Header*>(pointer)[-1].bytes));
  release(pointer);
  return block;
}

Handle make_allocator(std::uintptr_t space, std::int32_t count, const TraitValue* traits) {
  if (space == kHighBandwidthSpace) return kNullAllocator;  // there is none, as in libomp
  Allocator made;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::uintptr_t value = traits[i].value;
    const bool is_default = value == UINTPTR_MAX;
    switch (traits[i].key) {
      case Trait::kAlignment:
        if (!is_default) made.alignment = value;
        break;
      case Trait::kPoolSize:
        if (!is_default) made.pool_bytes = value;
        break;
      case Trait::kFallback:
        if (!is_default) made.fallback = static_cast<Fallback>(value);
        break;
      case Trait::kPartition:
        if (!is_default) made.partition = static_cast<Partition>(value);
        break;
      case Trait::kFallbackData:
        made.fallback_allocator = is_default ? kDefaultMemory : value;
        break;
    }  // The others are hints about hardware.
  }
  const std::size_t alignment = made.alignment;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) return kNullAllocator;
  auto* allocator = static_cast<Allocator*>(__wrap_malloc(sizeof(Allocator)));
  if (allocator == nullptr) return kNullAllocator;
  *allocator = made;
  return reinterpret_cast<Handle>(allocator);
}

void destroy_allocator(Handle handle) { __wrap_free(allocator_of(handle)); }

}  // namespace
}  // namespace weft::openmp

using namespace weft::openmp;

WEFT_ENTRY Handle omp_init_allocator(std::uintptr_t space, int count, const TraitValue* traits) {
  return make_allocator(space, count, traits);
}
WEFT_ENTRY Handle omp_init_allocator_(const std::uintptr_t* space, const int* count,
                                      const TraitValue* traits) {
  return make_allocator(*space, *count, traits);
}
WEFT_ENTRY Handle __kmpc_init_allocator(int, std::uintptr_t space, int count,
                                        const TraitValue* traits) {
  return make_allocator(space, count, traits);
}
WEFT_ENTRY void omp_destroy_allocator(Handle handle) { destroy_allocator(handle); }
WEFT_ENTRY void omp_destroy_allocator_(const Handle* handle) { destroy_allocator(*handle); }
WEFT_ENTRY void __kmpc_destroy_allocator(int, Handle handle) { destroy_allocator(handle); }

WEFT_ENTRY void* omp_alloc(std::size_t bytes, Handle handle) { return allocate(handle, 1, bytes); }
WEFT_ENTRY void* omp_aligned_alloc(std::size_t alignment, std::size_t bytes, Handle handle) {
  return allocate(handle, alignment, bytes);
}
WEFT_ENTRY void* omp_calloc(std::size_t count, std::size_t bytes, Handle handle) {
  return allocate_zeroed(handle, 1, count, bytes);
}
WEFT_ENTRY void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t bytes,
                                    Handle handle) {
  return allocate_zeroed(handle, alignment, count, bytes);
}
WEFT_ENTRY void* omp_realloc(void* pointer, std::size_t bytes, Handle handle, Handle) {
  return resize(pointer, bytes, handle);
}
WEFT_ENTRY void omp_free(void* pointer, Handle) { release(pointer); }

// The allocate directive and clause.
WEFT_ENTRY void* __kmpc_alloc(int, std::size_t bytes, Handle handle) {
  return allocate(handle, 1, bytes);
}
WEFT_ENTRY void* __kmpc_aligned_alloc(int, std::size_t alignment, std::size_t bytes,
                                      Handle handle) {
  return allocate(handle, alignment, bytes);
}
WEFT_ENTRY void* __kmpc_calloc(int, std::size_t count, std::size_t bytes, Handle handle) {
  return allocate_zeroed(handle, 1, count, bytes);
}
WEFT_ENTRY void* __kmpc_realloc(int, void* pointer, std::size_t bytes, Handle handle, Handle) {
  return resize(pointer, bytes, handle);
}
WEFT_ENTRY void __kmpc_free(int, void* pointer, Handle) { release(pointer); }

// Null for an alignment that is not a power of two, as libomp's.
static void* kmp_aligned(std::size_t alignment, std::size_t bytes) {
  const bool usable = alignment != 0 && (alignment & (alignment - 1)) == 0;
  return usable ? __wrap_memalign(alignment, bytes) : nullptr;
}

// libomp's own allocation functions, by both of their names.
#define WEFT_KMP_ALLOCATION(prefix)                                                   \
  WEFT_ENTRY void* prefix##malloc(std::size_t bytes) { return __wrap_malloc(bytes); } \
  WEFT_ENTRY void* prefix##aligned_malloc(std::size_t bytes, std::size_t alignment) { \
    return kmp_aligned(alignment, bytes);                                             \
  }                                                                                   \
  WEFT_ENTRY void* prefix##calloc(std::size_t count, std::size_t bytes) {             \
    return __wrap_calloc(count, bytes);                                               \
  }                                                                                   \
  WEFT_ENTRY void* prefix##realloc(void* block, std::size_t bytes) {                  \
    return __wrap_realloc(block, bytes);                                              \
  }                                                                                   \
  WEFT_ENTRY void prefix##free(void* block) { __wrap_free(block); }
WEFT_KMP_ALLOCATION(kmp_)
// Fortran passes everything by reference.
WEFT_ENTRY void* kmp_malloc_(const std::size_t* bytes) { return __wrap_malloc(*bytes); }
WEFT_ENTRY void* kmp_aligned_malloc_(const std::size_t* bytes, const std::size_t* alignment) {
  return kmp_aligned(*alignment, *bytes);
}
WEFT_ENTRY void* kmp_calloc_(const std::size_t* count, const std::size_t* bytes) {
  return __wrap_calloc(*count, *bytes);
}
WEFT_ENTRY void* kmp_realloc_(void* const* block, const std::size_t* bytes) {
  return __wrap_realloc(*block, *bytes);
}
WEFT_ENTRY void kmp_free_(void* const* block) { __wrap_free(*block); }
WEFT_KMP_ALLOCATION(kmpc_)
