/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What libweft-binding.so offers to languages whose programs weftcc does not compile: a process
 * that `weft run --binding` has started joins its job, and shares memory that it asks for here.
 * Everything else of the process stays its own. python/src/weft/_library.py is such a binding.
 *
 * The library is loaded before any other that uses UCX, and shown to nobody (RTLD_LOCAL).
 * Its calls may come from any thread, but for those that say so. None of them may be called in a
 * signal handler, nor in a process that a node has forked.
 *
 * weft_node, weft_nodes, weft_home_of, weft_check_out, weft_check_out_strided, weft_commit,
 * weft_commit_strided and weft_error_text are as in weft/weft.h. */
#ifndef WEFT_BINDING_H_
#define WEFT_BINDING_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Changes with the calls below; a binding refuses a library of another version. */
enum { WEFT_BINDING_VERSION = 1 };
int weft_binding_version(void);

/* Joins the job, and leaves it when the process exits (weft_binding_barrier says more). Returns
 * when all nodes are here: 1; or at once, if no `weft run` of several nodes has started this
 * process: 0. What stands in the way ends the process, and the job, with a sentence. Once, by the
 * thread that will call exit(). */
int weft_binding_join(void);

/* Blocks of shared memory; null if this node's share of the heap is full. Any node may free a
 * block, one that every node has reached. The contents are zero, or mean nothing. `alignment` is a
 * power of two. */
void* weft_binding_allocate(size_t bytes, size_t alignment);
void* weft_binding_allocate_zeroed(size_t bytes);
void weft_binding_free(void* block);
/* Shared memory that is at the same address on all nodes from the beginning, and zero then. */
void* weft_binding_meeting_place(void);
enum { WEFT_BINDING_MEETING_BYTES = 1 << 19 };

/* Flags of calls that wait. */
enum {
  /* SIGINT ends the process while the call waits, whatever handler it has: one that only notes the
   * signal would never run. */
  WEFT_BINDING_INTERRUPTIBLE = 1,
  /* Other threads of this process may use shared memory while this one waits. Without it none do.
   */
  WEFT_BINDING_THREADS = 2,
};

/* What a barrier returns. */
enum {
  WEFT_BINDING_MET = 0,  /* All nodes have come, and see what all have written before. */
  WEFT_BINDING_LEFT = 1, /* A node exits, and will never come (weft_binding_has_left). From then
                            on every barrier returns this at once, and the job ends with a status
                            that is not 0 when this process exits. */
  WEFT_BINDING_BUSY = 2, /* Another thread of this process waits in a barrier. Nothing is done. */
};
/* Waits until each node has called it once. `place` is text of the caller's place in its source,
 * ";file;function;line;column;;": it is shown where a job is stuck, and Weft takes calls with the
 * same pointer for the same step of the program. It lives for ever. A process that exits with
 * status 0 waits likewise until all do; one that exits with another status ends the job at once,
 * with that status. */
int weft_binding_barrier(const char* place, int flags);
/* After WEFT_BINDING_LEFT. */
int weft_binding_has_left(int node);

/* Locks of the whole job, named by numbers below 2^47. Who takes a lock sees what was written
 * before it was given up. Not recursive; the thread that has taken a lock gives it up. */
void weft_binding_lock(uint64_t lock, const char* place, int flags);
int weft_binding_try_lock(uint64_t lock); /* 1: taken; does not wait for others to give it up */
void weft_binding_unlock(uint64_t lock);

/* 1: system calls may be handed shared memory. 0: they fail with EFAULT, or come back short, where
 * it is not on this node, or not yet written to. */
int weft_binding_serves_system_calls(void);
/* Somebody may have taken over SIGSEGV or SIGBUS: the library takes them again, and passes on to
 * the other's handlers what is not its own. */
void weft_binding_keep_faults(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
