// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How calls of weft.h and remote.h are to end.
#ifndef TESTS_OPENMP_API_OUTCOMES_H
#define TESTS_OPENMP_API_OUTCOMES_H

#include <weft/weft.h>

#include "../check.h"

#define good(call)                                                       \
  do {                                                                   \
    const int outcome = (call);                                          \
    EXPECT(outcome == WEFT_OK, "refused: %s", weft_error_text(outcome)); \
  } while (0)
#define is(call, expected)                                                 \
  do {                                                                     \
    const int outcome = (call);                                            \
    EXPECT(outcome == (expected), "%s, not: %s", weft_error_text(outcome), \
           weft_error_text(expected));                                     \
  } while (0)

#endif
