/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a program may tell Weft, and ask it. No program needs this: one without it is right, and
 * may be slower. On one node, also in a program that is started without `weft run`, each call is
 * there and costs a function call. weftcc finds this header, and links what it declares.
 * docs/reference/api.md has more; weft.hpp is the same for C++, the module `weft` for Fortran.
 *
 * Explicit sharing follows the check-out and commit of Balder: S. Karlsson, Shared Memory and
 * OpenMP on Clusters, KTH 2004, paper VII, section 5.1. */
#ifndef WEFT_WEFT_H_
#define WEFT_WEFT_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors --- */

/* Calls that return int return one of these, or a number that is not negative. */
enum {
  WEFT_OK = 0,
  WEFT_ERROR_RANGE = -1,   /* Some of the memory is not shared: not of the program's variables, heap
                              or stacks, or not one piece of them. On one node all memory counts as
                              shared, but for a null pointer. */
  WEFT_ERROR_ACCESS = -2,  /* The access is none of those below. */
  WEFT_ERROR_SIZE = -3,    /* The memory would end beyond the last address, or blocks overlap. */
  WEFT_ERROR_UNKNOWN = -4, /* This node does not know. */
  WEFT_ERROR_NODE = -5,    /* There is no such node; in weft/remote.h also: not that one. */
  WEFT_ERROR_THREAD = -13, /* The calling thread cannot move now, or never. */
};

/* A sentence for each of them, and for any other number, too. Lives for ever. */
const char* weft_error_text(int error);

/* --- questions; none of them blocks --- */

/* The node that the calling thread runs on, from 0. */
int weft_node(void);
/* The nodes of the job, 1 or more. The same on all nodes, and always. */
int weft_nodes(void);

/* The home of the page that has this byte, as this node knows it: the node at which its contents
 * are kept up to date. Homes move at barriers, to a node that writes a page alone.
 * WEFT_ERROR_RANGE; WEFT_ERROR_UNKNOWN if another node would have to be asked. */
int weft_home_of(const void* address);

/* --- placement --- */

/* Whole pages of shared memory whose first home is this node: as if a thread of it had called
 * aligned_alloc. A page has 4096 bytes. The contents mean nothing. To be freed by free(), on any
 * node. Null, with errno EINVAL if there is no such node, or ENOMEM if its share of the heap is
 * full. Pages that were freed before keep the home that they have by then. Blocks for a message to
 * that node and its answer, if it is another one. */
void* weft_alloc_on(int node, size_t bytes);

enum { WEFT_ANY_NODE = -1 };

/* The threads that the calling thread makes itself from now on (pthread_create, std::thread and its
 * kin) start on this node; WEFT_ANY_NODE: where Weft chooses, as at first. A new thread begins with
 * WEFT_ANY_NODE, whatever its maker has. Threads that only their maker's node can run start there
 * all the same, and so do all with `weft run --threads-on here`. OpenMP's threads are not meant.
 * Does not block. WEFT_OK; WEFT_ERROR_NODE: nothing has changed. */
int weft_thread_on(int node);

/* The calling thread goes on at this node, with its stack, its thread-local variables and all else
 * that it has, and its id is what it was. What it wrote before, it sees there. Blocks until it runs
 * there; nothing else waits. A cancellation point.
 * WEFT_OK: it runs there, also if it did before. WEFT_ERROR_NODE. WEFT_ERROR_THREAD: it has not
 * moved. Of a program's threads those can that it has made (pthread_create, std::thread and its
 * kin) where threads start on any node (`weft run --threads-on`); the thread that runs main cannot,
 * and OpenMP's cannot. None can in a handler of a signal, in a parallel region, while it runs a
 * function that pthread_once, qsort or another library calls, with an OpenMP lock or region, with a
 * remote operation that it has not waited for, or when pthread_cancel has asked it to end. */
int weft_migrate(int node);

/* --- explicit sharing --- */

/* What the calling thread is about to do. */
typedef int weft_access;
enum {
  WEFT_READ = 1,
  WEFT_WRITE = 2,     /* and perhaps read; the same as WEFT_READ | WEFT_WRITE */
  WEFT_OVERWRITE = 4, /* The program promises: the calling thread stores to each byte of the memory
                         before anybody loads one, and nobody else stores to it meanwhile. May be
                         joined with WEFT_WRITE, not with WEFT_READ. */
};

/* Brings the pages of this memory here, all at once, as if the thread had touched each of them.
 * Those that lie wholly in memory that is to be overwritten are not fetched: they may hold
 * anything until they have been stored to. Returns when the pages are here. Another thread's
 * synchronisation may take them away again: so a check-out costs time at worst, and never the right
 * answer. Orders nothing. Under `weft run --memory` the memory beyond an eighth of a thread's part
 * of it is left to be fetched when it is touched.
 * WEFT_OK; WEFT_ERROR_RANGE, WEFT_ERROR_ACCESS, WEFT_ERROR_SIZE: then nothing has been done. In a
 * signal handler nothing is done, and WEFT_OK returned. No bytes are no error, wherever they are.
 */
int weft_check_out(const void* address, size_t bytes, weft_access access);
/* The same, and returns at once. weft_check_out of the same memory waits for it. */
int weft_check_out_begin(const void* address, size_t bytes, weft_access access);

/* The same of `count` blocks of `block_bytes`, each `stride_bytes` behind the one before. Blocks
 * may touch, but not overlap. */
int weft_check_out_strided(const void* address, size_t block_bytes, size_t stride_bytes,
                           size_t count, weft_access access);
int weft_check_out_strided_begin(const void* address, size_t block_bytes, size_t stride_bytes,
                                 size_t count, weft_access access);

/* Sends what this node's threads have written to the pages of this memory to the homes of these
 * pages now, as an early part of the node's next release. So the release has less to send. It is
 * no release itself: nobody sees these writes without synchronisation. Does not block.
 * Returns and errors as weft_check_out. */
int weft_commit(const void* address, size_t bytes);
int weft_commit_strided(const void* address, size_t block_bytes, size_t stride_bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
