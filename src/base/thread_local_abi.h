/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of the contract with compiled programs (compiler_abi.h) that is about thread-local
 * variables: a thread may stand in for one of another node, and then uses that thread's. */
#ifndef WEFT_BASE_THREAD_LOCAL_ABI_H_
#define WEFT_BASE_THREAD_LOCAL_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compiled code adds it to the address of each thread-local variable of the program. As a rule it
 * is 0. On a thread that stands in for another it is the distance from its own variables to those
 * of that thread (openmp/placement/thread_homes.hpp). It changes only where no function of the
 * program is under way on the thread. */
extern __thread intptr_t __weft_thread_local_shift __attribute__((tls_model("initial-exec")));

/* The symbol by which the link knows an object whose code does so. */
#define WEFT_ADDS_SHIFT_SYMBOL "__weft_adds_thread_local_shift"

/* A note of WEFT_NOTE_OWNER's, without a descriptor (section .note.weft.thread_locals), in each
 * executable and library of which all code does so, and for no variables of other libraries: the
 * link has looked (compiler/linker/thread_locals.hpp). */
#define WEFT_THREAD_LOCALS_NOTE_TYPE 2

#ifdef __cplusplus
}
#endif

#endif /* WEFT_BASE_THREAD_LOCAL_ABI_H_ */
