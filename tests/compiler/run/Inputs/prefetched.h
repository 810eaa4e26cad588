// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum { kElements = 1 << 16, kMostThreads = 8 };
extern double memory[kElements];

double* whole_memory(void);  // for Fortran, as the names below
void begins_(void);
void uses_(const double* p);
void stores_(const double* p);
double said_(const double* p);                  // uses_
void ends_(const char* name, const int* more);  // more: of the array, that it does not use
void done_(void);

#ifdef __cplusplus
}
#endif
