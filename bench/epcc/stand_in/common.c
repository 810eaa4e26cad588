// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints as the common part of EPCC's microbenchmarks does.
#include "common.h"

#include <stdio.h>

void print_overhead(const char* construct, double microseconds, double reference) {
  printf("\nComputing %s time using 1 reps\n\n", construct);
  printf("%s time     = %f microseconds +/- %f\n", construct, microseconds, 0.0);
  printf("%s overhead = %f microseconds +/- %f\n", construct, microseconds - reference, 0.0);
}
