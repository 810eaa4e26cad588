/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A part of the contract between the compiler pass and the node library (base/compiler_abi.h).
 */
#ifndef WEFT_BASE_WAITING_LOAD_H_
#define WEFT_BASE_WAITING_LOAD_H_

/* Added to the order of a load in a loop that does nothing but look, from the second turn on: the
 * thread waits for another value than it has found, and the load may take long. */
enum { WEFT_LOAD_WAITS = 0x100 };

#endif
