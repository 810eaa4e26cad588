// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is linked with library.c.
int function_of_library(void);
int main(void) { return function_of_library() != 6; }
