// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What state.c offers.
#ifndef TESTS_LIBRARIES_STATE_H
#define TESTS_LIBRARIES_STATE_H

enum { kZeros = 20000, kBlock = 5000 };

extern int initialised[4];      // .data
extern int zeros[kZeros];       // .bss
extern int common_of_both[64];  // COMMON here, defined in the program as well
extern int* block;              // allocated by a constructor
extern int constructed;         // how often that ran
extern int per_thread;
#pragma omp threadprivate(per_thread)

typedef int (*Function)(int);
Function function_of_library(void);
int call_back(Function function, int argument);
int next_number(void);            // a static variable under a critical region
int atomic_count(int add);        // an atomic one
long sum_in_region(int count);    // a region of the library, on all nodes
long sum_in_tasks(int count);     // tasks of the library
int copied_in(int value);         // how many threads have got it by copyin
int copied_privately(int value);  // and by copyprivate

#endif
