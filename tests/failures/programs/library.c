// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library of a program.
int data_of_library = 5;
int function_of_library(void) { return ++data_of_library; }
