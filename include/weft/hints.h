/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Hints: how the threads of a program share memory, said by the program ahead of the use. No
 * program needs them. A hint that is wrong costs time, and never the right answer. On one node they
 * cost a function call. `#pragma weft broadcast(x)` and the like become these calls in C and C++,
 * if weftcc compiles them; other compilers ignore them. docs/reference/hints.md has more;
 * hints.hpp is the same for C++, the module `weft` for Fortran.
 *
 * The patterns are those of Balder: S. Karlsson, Shared Memory and OpenMP on Clusters, KTH 2004,
 * paper VII, section 5.2. The others come from systems whose protocol follows a page's use: Munin,
 * and adaptive TreadMarks.
 *
 * When a hint counts:
 *   said outside of parallel regions that span nodes, by one thread of node 0: for all nodes, when
 *     the next such region begins
 *   said in such a region: at once, for the node of the calling thread. So each thread says it, as
 *     it comes to a loop; a node hears it once between two barriers.
 *   weft_gather and weft_alltoall count behind the next barrier after that.
 *
 * All of them return WEFT_OK, or WEFT_ERROR_RANGE (of the lock, too), WEFT_ERROR_SIZE,
 * WEFT_ERROR_DISTRIBUTION or WEFT_ERROR_NAME: then the call has done nothing. In a signal handler
 * nothing is done. No bytes are no error, wherever they are. No call blocks for another node, but
 * for weft_home in a region. */
#ifndef WEFT_HINTS_H_
#define WEFT_HINTS_H_

#include <stddef.h>

#include "weft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A division of memory among nodes: one of these, or the number of the node that gets all. The
 * memory is units of some bytes; the last one may be cut off. Nodes have as many threads each. */
typedef int weft_distribution;
enum {
  WEFT_BLOCK = -1,  /* Thread t gets the units that schedule(static) would give it. */
  WEFT_CYCLIC = -2, /* The units go to the threads in turn, as with schedule(static, 1). */
};

enum {
  WEFT_ERROR_DISTRIBUTION = -20, /* It is none of these, there is no such node, or a unit has no
                                    bytes. */
  WEFT_ERROR_NAME = -21,         /* No critical region of the program has this name. */
};

/* --- patterns: who reads it next --- */

/* All nodes are about to read this memory. Its pages come at once, with a message for each home. */
int weft_broadcast(const void* address, size_t bytes);
/* Each node is about to use its part alone. Its pages come at once. */
int weft_scatter(const void* address, size_t bytes, size_t unit_bytes,
                 weft_distribution distribution);
/* Node 0 is about to read this memory, behind the next barrier. */
int weft_gather(const void* address, size_t bytes);
/* All nodes are, behind the next barrier. */
int weft_alltoall(const void* address, size_t bytes);
/* All nodes read this memory again and again, and somebody writes it now and then. What a node has
 * lost of it comes back whenever a region begins and behind each barrier, at once. Stands until
 * weft_forget_hints. */
int weft_read_mostly(const void* address, size_t bytes);

/* --- homes: where its pages are kept up to date --- */

/* The home of each page is to be the node whose part has the page's first byte (of the bytes given
 * here). Homes move at the next barrier; those of pages that several nodes write until then stay.
 * Costs each node about what it would to write its part: in a region the call waits for its
 * pages. */
int weft_home(const void* address, size_t bytes, size_t unit_bytes, weft_distribution distribution);

/* One thread has filled this memory in, and each part of it belongs to one node from now on: the
 * first that writes a page alone becomes its home at once, even if it writes little of it. */
int weft_private_after_init(const void* address, size_t bytes);

/* --- locks --- */

/* This memory is used by threads that hold the lock: an omp_lock_t, omp_nest_lock_t,
 * pthread_mutex_t or std::mutex at that address. It comes with the lock, up to 64 pages for each
 * lock. Weft finds that out by itself, by a fault on each page. */
int weft_migrate_with(const void* address, size_t bytes, const void* lock);

/* The same with a critical region in place of a lock: by its name, as in `#pragma omp
 * critical(name)`; "" is the one without a name. Fortran's names are in small letters.
 * WEFT_ERROR_NAME: no region has it. */
int weft_migrate_with_critical(const void* address, size_t bytes, const char* name);

/* --- */

/* Hints of any of this memory are void from now on: on all nodes, if they wait for a region, else
 * on the node of the calling thread. Of memory that is freed, say. */
int weft_forget_hints(const void* address, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
