/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Remote memory operations: a thread of one node reads, writes and changes memory of another one,
 * where nobody takes part. After MBCF (Matsumoto and Hiraki, Univ. of Tokyo, 1998): requests that
 * do not block, executed at the target as soon as they arrive, in order between two nodes.
 *
 * docs/reference/remote.md has more, as weft-remote(3); remote.hpp is the same for C++, the module
 * weft_remote for Fortran. On one node all of it is there as well, and works on the node's memory.
 *
 * Unless it is said otherwise: sizes and offsets are bytes; any thread may call; a call returns
 * WEFT_OK or one of the errors below, and what is refused has done nothing. Pointers that a call is
 * given are read or written during the call alone, but for the places that a get or an atomic
 * operation fills: these are the program's again once the operation is over.
 */
#ifndef WEFT_REMOTE_H_
#define WEFT_REMOTE_H_

#include <stddef.h>
#include <stdint.h>

#include "weft.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors, beside those of weft.h; weft_error_text has a sentence for each --- */

enum {
  WEFT_ERROR_KEY = -6,       /* There is no such key: it was never given, or is revoked. */
  WEFT_ERROR_RIGHT = -7,     /* The key does not grant this. */
  WEFT_ERROR_OPERATION = -8, /* No such atomic operation on this type; or not aligned. */
  WEFT_ERROR_FULL = -9,      /* The FIFO has no room now. */
  WEFT_ERROR_EMPTY = -10,    /* The FIFO has no message now. */
  WEFT_ERROR_MEMORY = -11,   /* No memory, or too many keys: a node gives out 4096 at a time. */
  WEFT_ERROR_HANDLER = -12,  /* Not in a handler of a UNIX signal. */
  WEFT_PENDING = 1,          /* weft_test alone: the operation is under way. */
};

/* --- memory that others may use, and keys to it --- */

typedef int weft_rights;
enum {
  WEFT_RIGHT_READ = 1,   /* get */
  WEFT_RIGHT_WRITE = 2,  /* put */
  WEFT_RIGHT_ATOMIC = 4, /* atomic operations, and notices */
  WEFT_RIGHT_SEND = 8,   /* to append to a FIFO, or to signal: keys of FIFOs and signals alone */
  WEFT_RIGHT_MEMORY = 7  /* the first three */
};

/* A right to use memory of a node. Plain data: programs hand keys to others through shared memory,
 * or any other way. The node keeps its own account of what a key grants, so that changing a key
 * grants nothing. Keys are against mistakes: nodes of one host could write each other's memory
 * without one. */
typedef struct weft_key {
  uint64_t secret;
  uint64_t address;   /* of shared memory; else 0 */
  uint64_t bytes;     /* that may be used, from offset 0 */
  int32_t node;       /* whose memory it is; WEFT_SHARED: shared memory */
  uint32_t number;    /* among the keys of its node */
  weft_rights rights; /* that it was made with */
} weft_key;
enum { WEFT_SHARED = -1 };

/* Memory of this node, all zero, for the threads of this node by its address and for others by the
 * key. It is not shared memory: no other node may touch it by its address. Aligned to a page of
 * 4096 bytes. Plain loads and stores see what others have put, in any order but that of notices;
 * words that others change should be read atomically.
 * Null with errno EINVAL (no bytes, or rights that are none), or ENOMEM. Does not block. */
void* weft_register(size_t bytes, weft_rights rights, weft_key* key);
/* Gives it back, with all keys to it; `memory` is what weft_register returned. Waits for operations
 * of other nodes that are under way there; later ones are refused. WEFT_ERROR_RANGE; .._HANDLER. */
int weft_unregister(void* memory);

/* One more key, to a part of memory that this node has registered. WEFT_ERROR_RANGE if it is not;
 * .._ACCESS if the rights are none of those of memory; .._MEMORY. Does not block. */
int weft_grant(const void* part, size_t bytes, weft_rights rights, weft_key* key);
/* Ends a key of this node. Waits as weft_unregister. WEFT_ERROR_KEY; .._NODE: it is another's;
 * .._HANDLER. */
int weft_revoke(const weft_key* key);

/* A key to shared memory, with all rights, good on all nodes for as long as the memory is there.
 * What is done by it is as if the calling thread did it by plain loads and stores, or by atomic
 * operations of order seq_cst: others see it as they see the thread's own accesses, by
 * synchronisation. Loads and stores are the thread's at some moment until the operation is over:
 * in the call, or while the thread begins, tests, waits or fences. They are done in the order in
 * which they were begun. So a put has to be over before the synchronisation by which others are to
 * see it. Atomic operations are over when the call returns. WEFT_ERROR_RANGE, .._SIZE as
 * weft_check_out. */
int weft_shared_key(void* address, size_t bytes, weft_key* key);

/* --- the end of an operation --- */

/* An operation that may be under way. The program has the memory; the thread that began it waits
 * for it, and does so once, or tests it until it is over. */
typedef struct weft_request {
  void* state; /* null: it is over */
  int error;   /* then: what came of it */
} weft_request;

/* What happens to a 64-bit word, aligned to 8 bytes, when the operation is over: a counter of
 * arrivals, or a flag. The word is of the memory of the operation's target, and then changes as
 * soon as the target has done it; or of the calling node's. Needs WEFT_RIGHT_ATOMIC. */
typedef struct weft_notice {
  const weft_key* key;
  size_t offset;
  uint64_t value;
  int how; /* WEFT_NOTICE_ADD or WEFT_NOTICE_STORE */
} weft_notice;
enum { WEFT_NOTICE_ADD = 0, WEFT_NOTICE_STORE = 1 };

/* Does not block. WEFT_PENDING, or what came of it. */
int weft_test(weft_request* request);
/* Blocks until it is over; returns what came of it. */
int weft_wait(weft_request* request);
/* The same for all of them; returns the first error. */
int weft_wait_all(weft_request* requests, size_t count);

/* Blocks until at most so many operations of the calling thread are under way. Returns the first
 * error, since the last fence, of operations without a request that no call has returned. */
int weft_fence(size_t at_most);

/* Blocks until the word, in memory that this node has registered, is at least this value. It sees
 * notices and atomic operations at once, puts and the node's own stores within a second.
 * WEFT_ERROR_RANGE: it is not registered (any more), or not aligned; .._HANDLER. */
int weft_wait_for(const uint64_t* word, uint64_t at_least);

/* --- put and get ---
 *
 * Each begins one operation. `notice` and `request` may be null. The call may return before the
 * operation is over; if it is over, or refused, it returns what came of it, and the request says
 * the same. A call blocks only where too much is under way to that node, or by the calling thread
 * on shared memory: 16 MiB. In a handler of a UNIX signal those on shared memory are over at once.
 *
 * Operations of one thread on one node are done in the order in which they were begun. Eight
 * bytes or less, aligned as an integer of their size on both sides, are written at once; other
 * copies are not. Errors: WEFT_ERROR_KEY, .._RIGHT; .._RANGE: beyond the memory of the key;
 * .._SIZE: blocks overlap, or end beyond the last address; .._NODE; .._HANDLER, where messages are
 * needed.
 */
int weft_put(const weft_key* to, size_t offset, const void* from, size_t bytes,
             const weft_notice* notice, weft_request* request);
int weft_get(void* into, const weft_key* from, size_t offset, size_t bytes,
             const weft_notice* notice, weft_request* request);

/* `count` blocks of `block_bytes`, whose beginnings are so many bytes apart on either side. */
int weft_put_strided(const weft_key* to, size_t offset, size_t to_stride, const void* from,
                     size_t from_stride, size_t block_bytes, size_t count,
                     const weft_notice* notice, weft_request* request);
int weft_get_strided(void* into, size_t into_stride, const weft_key* from, size_t offset,
                     size_t from_stride, size_t block_bytes, size_t count,
                     const weft_notice* notice, weft_request* request);

/* Pieces of any size. A piece that is refused does not keep the others from being done. */
typedef struct weft_piece {
  size_t offset; /* there */
  void* memory;  /* here */
  size_t bytes;
} weft_piece;
int weft_put_list(const weft_key* to, const weft_piece* pieces, size_t count,
                  const weft_notice* notice, weft_request* request);
int weft_get_list(const weft_key* from, const weft_piece* pieces, size_t count,
                  const weft_notice* notice, weft_request* request);

/* The same bytes to each of these memories, which may be of one node or of many, with one request:
 * it is over when all have it. Each notice is for the node of the key beside it; `notices` may be
 * null. One that is refused does not keep the others from being done. */
int weft_put_multicast(const weft_key* to, size_t count, size_t offset, const void* from,
                       size_t bytes, const weft_notice* notices, weft_request* request);

/* --- atomic operations, executed at the target --- */

typedef int weft_atomic_op;
enum {
  WEFT_OP_LOAD,
  WEFT_OP_STORE,
  WEFT_OP_SWAP,
  WEFT_OP_COMPARE_SWAP, /* stores the operand if the memory equals `expected` */
  WEFT_OP_ADD,
  WEFT_OP_SUBTRACT,
  WEFT_OP_AND, /* this, and the next three: of integers alone */
  WEFT_OP_NAND,
  WEFT_OP_OR,
  WEFT_OP_XOR,
  WEFT_OP_MAX,
  WEFT_OP_MIN
};
typedef int weft_type;
enum {
  WEFT_INT8,
  WEFT_INT16,
  WEFT_INT32,
  WEFT_INT64,
  WEFT_UINT8,
  WEFT_UINT16,
  WEFT_UINT32,
  WEFT_UINT64,
  WEFT_FLOAT,
  WEFT_DOUBLE
};

/* `operand` and `expected` point to values of the type; null where the operation has none. The
 * value before the operation goes to `old`, if that is not null; without it, less travels back. The
 * memory is aligned as the type. Sequentially consistent with other atomic operations there.
 * Errors as weft_put, and WEFT_ERROR_OPERATION. */
int weft_atomic(const weft_key* on, size_t offset, weft_atomic_op operation, weft_type type,
                const void* operand, const void* expected, void* old, const weft_notice* notice,
                weft_request* request);

/* --- a FIFO in memory: many writers, on any node, and one reader --- */

typedef struct weft_fifo weft_fifo;

/* This node reads. There is room for at least `messages` of up to `most_bytes` bytes. The key is
 * for writers. Null with errno EINVAL (no messages, or no bytes), or ENOMEM. Does not block. */
weft_fifo* weft_fifo_open(size_t messages, size_t most_bytes, weft_key* key);
/* Messages that were not read are lost; writers that wait are refused. */
int weft_fifo_close(weft_fifo* fifo);

/* Appends a message. Messages of one thread stay in order. weft_fifo_put waits while the FIFO is
 * full: in the call, or as an operation that is under way. weft_fifo_try_put is then refused with
 * WEFT_ERROR_FULL. WEFT_ERROR_SIZE: longer than a message may be. Other errors as weft_put. */
int weft_fifo_put(const weft_key* to, const void* message, size_t bytes, weft_request* request);
int weft_fifo_try_put(const weft_key* to, const void* message, size_t bytes, weft_request* request);

/* Takes the oldest message. `*bytes` is its length; of a longer message than there is room for, the
 * rest is lost. weft_fifo_get blocks until there is one; weft_fifo_try_get returns
 * WEFT_ERROR_EMPTY. WEFT_ERROR_KEY: the FIFO is closed. On the node that opened it. */
int weft_fifo_get(weft_fifo* fifo, void* into, size_t room, size_t* bytes);
int weft_fifo_try_get(weft_fifo* fifo, void* into, size_t room, size_t* bytes);

/* --- signals in memory: a handler, or a thread that waits --- */

typedef struct weft_signals weft_signals;
/* From which node, with which value; on a thread of its own, on the node that opened it, one after
 * the other in the order of arrival. It may do whatever a thread may, and block: then later signals
 * wait, and senders when 256 do. */
typedef void (*weft_handler)(int node, uint64_t value, void* argument);

/* The key is for senders. Without a handler, threads wait by weft_signals_wait. Null with errno
 * ENOMEM or EAGAIN. Does not block. */
weft_signals* weft_signals_open(weft_handler handler, void* argument, weft_key* key);
/* Signals that nobody has taken are lost. Waits for the handler to return; not to be called by it.
 */
int weft_signals_close(weft_signals* signals);
/* Sends one. Errors and blocking as weft_fifo_put. */
int weft_signal(const weft_key* to, uint64_t value, weft_request* request);
/* Blocks until there is one, and takes it; for signals without a handler. `node` may be null. */
int weft_signals_wait(weft_signals* signals, int* node, uint64_t* value);

#ifdef __cplusplus
}
#endif

#endif
