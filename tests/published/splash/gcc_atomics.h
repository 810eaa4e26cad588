/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C11's atomic functions for variables that are not _Atomic, as SPLASH-4 has them: gcc takes them,
 * clang does not. */
#ifndef TESTS_PUBLISHED_SPLASH_GCC_ATOMICS_H
#define TESTS_PUBLISHED_SPLASH_GCC_ATOMICS_H

#include <stdatomic.h>

#undef atomic_load
#undef atomic_store
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_compare_exchange_weak

#define atomic_load(object)                              \
  ({                                                     \
    __typeof__(*(object)) loaded_;                       \
    __atomic_load((object), &loaded_, __ATOMIC_SEQ_CST); \
    loaded_;                                             \
  })
#define atomic_store(object, value)                       \
  ({                                                      \
    __typeof__(*(object)) stored_ = (value);              \
    __atomic_store((object), &stored_, __ATOMIC_SEQ_CST); \
  })
#define atomic_fetch_add(object, value) __atomic_fetch_add((object), (value), __ATOMIC_SEQ_CST)
#define atomic_fetch_sub(object, value) __atomic_fetch_sub((object), (value), __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_weak(object, expected, value)                      \
  ({                                                                               \
    __typeof__(*(object)) wanted_ = (value);                                       \
    __atomic_compare_exchange((object), (expected), &wanted_, 1, __ATOMIC_SEQ_CST, \
                              __ATOMIC_SEQ_CST);                                   \
  })

#endif
