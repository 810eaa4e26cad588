// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of prefetches_calls.c, as it is and with -DSAYS.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void lines(double* a, int n);
void says_lines(double* a, int n);
void by_address(double* a, int n);
void says_by_address(double* a, int n);
double through_two(const double* a, int n);
double says_through_two(const double* a, int n);
void sometimes(double* a, int n, int flag);
void says_sometimes(double* a, int n, int flag);
void returns_early(double* a, int n, int flag);
void says_returns_early(double* a, int n, int flag);
void until(double* a, int n, const int* length);
void says_until(double* a, int n, const int* length);

#ifdef __cplusplus
}
#endif
