// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for the node library in the compiler's tests: says that the job spans nodes, so that
// compiled code takes the slow path everywhere, and does what it is asked under one lock. Memory
// that is to be overwritten it spoils. What is to be fetched it notes, for programs that ask about
// it. At the end it prints how often it was asked; with WEFT_TEST_LOG set, every single call.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "base/accesses/said_accesses.hpp"
#include "base/accesses/strided.hpp"
#include "base/compiler_abi.h"
#include "start/checks/targets.hpp"
#include "start/plain_atomics.hpp"

#define EXPORT __attribute__((visibility("default")))

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
unsigned long loads, stores, updates, exchanges, fences, overwrites, prefetches;

constexpr const char* kOperations[] = {"load", "store", "exchange", "compare-exchange",
                                       "add",  "sub",   "and",      "nand",
                                       "or",   "xor",   "max",      "min",
                                       "umax", "umin",  "inc",      "dec",
                                       "cond", "sat",   "fadd",     "fsub",
                                       "fmax", "fmin"};
constexpr const char* kTypes[] = {"integer", "half", "bfloat", "float", "double", "x87", "quad"};
constexpr const char* kOrders[] = {"relaxed", "consume", "acquire",
                                   "release", "acq_rel", "seq_cst"};

bool is_logging() {
  static const bool logging = getenv("WEFT_TEST_LOG") != nullptr;
  return logging;
}

class Lock {
 public:
  Lock() { pthread_mutex_lock(&mutex); }
  ~Lock() { pthread_mutex_unlock(&mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

[[gnu::destructor]] void report() {
  fprintf(stderr, "loads %lu stores %lu updates %lu exchanges %lu fences %lu\n", loads, stores,
          updates, exchanges, fences);
  if (overwrites != 0) fprintf(stderr, "overwrites %lu\n", overwrites);
  if (prefetches != 0) fprintf(stderr, "prefetches %lu\n", prefetches);
}

struct Prefetch {
  weft::Strided memory;
  uint32_t use;
  bool has(const void* p) const { return memory.covers(reinterpret_cast<uintptr_t>(p), 1); }
};

// What is noted is the calling thread's.
thread_local bool is_noting = false;
thread_local size_t noted_count = 0;
thread_local Prefetch noted[512];
struct Indirect {
  weft::checks::Targets memory;
  uint32_t use;
  bool has(const void* p) const { return memory.cover(reinterpret_cast<uintptr_t>(p), 1); }
};
thread_local size_t indirect_count = 0;
thread_local Indirect indirect[64];

template <typename Is>
bool is_noted(Is is) {
  return std::any_of(noted, noted + noted_count, is) ||
         std::any_of(indirect, indirect + indirect_count, is);
}

}  // namespace

extern "C" {

EXPORT int __weft_spans_nodes = 1;
EXPORT int __weft_threads_elsewhere = 1;

EXPORT void __weft_atomic_load(const void* p, void* out, uint32_t size, uint32_t order) {
  Lock lock;
  ++loads;
  if (is_logging()) fprintf(stderr, "load %u %s\n", size, kOrders[order]);
  memcpy(out, p, size);
}

EXPORT void __weft_atomic_store(void* p, const void* value, uint32_t size, uint32_t order) {
  Lock lock;
  ++stores;
  if (is_logging()) fprintf(stderr, "store %u %s\n", size, kOrders[order]);
  memcpy(p, value, size);
}

EXPORT void __weft_atomic_rmw(void* p, const void* operand, void* old_out, uint32_t size,
                              uint32_t operation, uint32_t type, uint32_t order) {
  Lock lock;
  ++updates;
  if (is_logging()) {
    fprintf(stderr, "%s %u %s %s%s\n", kOperations[operation], size, kTypes[type], kOrders[order],
            old_out != nullptr ? " old" : "");
  }
  if (operation == WEFT_ATOMIC_EXCHANGE) {
    // Any size, and `operand` may be where the old value goes.
    char* copy = static_cast<char*>(malloc(2 * static_cast<size_t>(size)));
    memcpy(copy, operand, size);
    memcpy(copy + size, p, size);
    memcpy(p, copy, size);
    if (old_out != nullptr) memcpy(old_out, copy + size, size);
    free(copy);
    return;
  }
  alignas(16) char after[16];
  weft::PlainAtomics::compute(p, operand, after, size, operation, type);
  if (old_out != nullptr) memcpy(old_out, p, size);
  memcpy(p, after, size);
}

EXPORT int __weft_atomic_compare_exchange(void* p, void* expected, const void* desired,
                                          uint32_t size, uint32_t success, uint32_t failure) {
  Lock lock;
  ++exchanges;
  if (is_logging()) {
    fprintf(stderr, "compare-exchange %u %s %s\n", size, kOrders[success], kOrders[failure]);
  }
  const bool equal = memcmp(p, expected, size) == 0;
  memcpy(equal ? p : expected, equal ? desired : p, size);
  return equal ? 1 : 0;
}

EXPORT void __weft_fence(uint32_t order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_fetch_add(&fences, 1, __ATOMIC_RELAXED);
  if (is_logging()) fprintf(stderr, "fence %s\n", kOrders[order]);
}

// Whoever sees what was there, or does not store to each byte, sees this.
EXPORT void __weft_overwrite(void* first, size_t bytes) {
  __atomic_fetch_add(&overwrites, 1, __ATOMIC_RELAXED);
  if (is_logging()) fprintf(stderr, "overwrite %zu\n", bytes);
  memset(first, 0xCB, bytes);
}

EXPORT void __weft_prefetch(const void* first, uint64_t bytes, const weft_stride* strides,
                            uint32_t stride_count, uint32_t use) {
  __atomic_fetch_add(&prefetches, 1, __ATOMIC_RELAXED);
  if (is_logging()) {
    Lock lock;
    fprintf(stderr, use == WEFT_USE_STORES ? "store %lu" : "prefetch %lu", bytes);
    for (const weft_stride& each : std::span(strides, stride_count))
      fprintf(stderr, " %ldx%lu", each.bytes, each.count);
    fprintf(stderr, "\n");
  }
  if (!is_noting) return;
  if (stride_count > WEFT_MOST_STRIDES || bytes == 0) abort();
  const auto memory = weft::Strided::of(reinterpret_cast<uintptr_t>(first), bytes,
                                        std::span(strides, stride_count));
  // Nothing is fetched if the numbers make no sense, as in the runtime.
  if (!memory) return;
  if (noted_count == std::size(noted)) abort();
  noted[noted_count++] = {*memory, use};
}

EXPORT void __weft_prefetch_all(const weft_uses* uses, const uint64_t* values) {
  weft::for_each_access(*uses, values, [](uintptr_t, const weft::SaidAccess& access) {
    __weft_prefetch(reinterpret_cast<const void*>(access.first), access.bytes,
                    access.strides.data(), static_cast<uint32_t>(access.strides.size()),
                    access.use);
  });
}

EXPORT void __weft_prefetch_indirect(const void* first, uint64_t bytes, const weft_stride* strides,
                                     uint32_t stride_count, const weft_indirection* indirections,
                                     uint32_t indirection_count, uint32_t use) {
  __atomic_fetch_add(&prefetches, 1, __ATOMIC_RELAXED);
  if (is_logging()) {
    Lock lock;
    fprintf(stderr, "%s by values of %lu", use == WEFT_USE_STORES ? "store" : "prefetch", bytes);
    for (const weft_stride& each : std::span(strides, stride_count))
      fprintf(stderr, " %ldx%lu", each.bytes, each.count);
    for (const weft_indirection& each : std::span(indirections, indirection_count)) {
      fprintf(stderr, "; %ld every %ld: %ld bytes, %ld apart", each.loaded, each.step, each.bytes,
              each.scale);
      if (each.counted != 0)
        fprintf(stderr, ", and %ld / 8 x (%ld at %ld - at %ld)", each.rate, each.counted,
                each.upper, each.lower);
    }
    fprintf(stderr, "\n");
  }
  if (!is_noting) return;
  if (stride_count > WEFT_MOST_STRIDES || indirection_count > WEFT_MOST_INDIRECTIONS) abort();
  const auto memory = weft::Strided::of(reinterpret_cast<uintptr_t>(first), bytes,
                                        std::span(strides, stride_count));
  if (!memory) return;
  if (indirect_count == std::size(indirect)) abort();
  Indirect& noted_here = indirect[indirect_count++];
  noted_here.use = use;
  if (!noted_here.memory.begin(*memory, std::span(indirections, indirection_count))) abort();
}

EXPORT void __weft_await_prefetches() {
  if (is_logging()) fprintf(stderr, "await\n");
}

// The kernel says whether it can be read.
EXPORT uint64_t __weft_hint_load(const void* p, uint32_t bytes) {
  Lock lock;
  static int ends[2];
  static const bool is_open = pipe(ends) == 0;
  uint64_t value = 0;
  if (!is_open || bytes > sizeof value || write(ends[1], p, bytes) != bytes ||
      read(ends[0], &value, bytes) != bytes) {
    return 0;
  }
  if (is_logging()) fprintf(stderr, "hint %u\n", bytes);
  return value;
}

// For programs that check what is prefetched: on this thread, from now on.
EXPORT void weft_test_note_prefetches() {
  is_noting = true;
  noted_count = 0;
  for (Indirect& each : std::span(indirect, indirect_count)) each.memory.end();
  indirect_count = 0;
}

EXPORT int weft_test_is_prefetched(const void* p) {
  return is_noted([&](const auto& each) { return each.has(p); });
}

EXPORT int weft_test_is_stored(const void* p) {
  return is_noted([&](const auto& each) { return each.use == WEFT_USE_STORES && each.has(p); });
}

}  // extern "C"
