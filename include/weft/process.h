/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A job of several nodes is one process to its program: getpid() gives the same number everywhere
 * (docs/reference/process.md). This tells the nodes' processes apart. weftcc finds this header, and
 * links what it declares. */
#ifndef WEFT_PROCESS_H_
#define WEFT_PROCESS_H_

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of the process that the calling thread is in, on this machine. On one node, getpid().
 */
pid_t weft_node_pid(void);

#ifdef __cplusplus
}
#endif

#endif
