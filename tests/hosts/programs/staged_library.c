/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that lies beside the program, on the host where it was compiled alone. */
int staged_answer(void);
int staged_answer(void) { return 42; }
