// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for the node library in the compiler's tests: says that the job spans nodes, so that
// compiled code takes the slow path everywhere, and does what it is asked under one lock. Memory
// that is to be overwritten it spoils. At the end it prints how often it was asked; with
// WEFT_TEST_LOG set, every single call.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler_abi.h"
#include "start/plain_atomics.hpp"

#define EXPORT __attribute__((visibility("default")))

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
unsigned long loads, stores, updates, exchanges, fences, overwrites;

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

}  // extern "C"
