/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What compiled programs expect to find at run time: the contract between the compiler pass
 * (compiler/pass), the small library that every program links (src/start, the definitions for one
 * node) and the node library (which stands before it in symbol search when a job has several).
 *
 * The pass turns each atomic operation on memory that may be shared into
 *
 *     if (__weft_threads_elsewhere == 0) the ordinary instruction; else __weft_atomic_...(...);
 *
 * so the functions here run only in jobs of several nodes. `p` is any address of the program:
 * private memory (a library's data, thread-local storage) reaches them too, and gets the plain
 * operation. `size` is the number of bytes; in generic operations on odd sizes or addresses that
 * are not naturally aligned it may be anything, and then every operation on such an object comes
 * with the same address and size (a lock does it; see weft_atomic_is_native).
 *
 * `order` is the C ABI's memory order: 0 relaxed, 1 consume, 2 acquire, 3 release,
 * 4 acquire-release, 5 sequentially consistent; WEFT_ORDER_VOLATILE and WEFT_ORDER_POLLED.
 */
#ifndef WEFT_BASE_COMPILER_ABI_H_
#define WEFT_BASE_COMPILER_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 in one-node runs. Set before the program's first instruction, never changed after. */
extern int __weft_spans_nodes;

/* 0 where no thread of another node can touch the program's memory: in one-node runs, and while a
 * region runs inside node 0 alone. It becomes 0 only before such a region's functions begin, when
 * no other function of the program is under way but those that wait for the region. So a function
 * may load it once. If it becomes 1 during the region, those that have seen 0 are right until the
 * region ends. Of operations that a lock does, __weft_spans_nodes decides: all must take it. */
extern int __weft_threads_elsewhere;

/* What each does: base/atomic_operation.hpp. */
enum weft_atomic_operation {
  WEFT_ATOMIC_LOAD,
  WEFT_ATOMIC_STORE,
  WEFT_ATOMIC_EXCHANGE,
  WEFT_ATOMIC_COMPARE_EXCHANGE,
  WEFT_ATOMIC_ADD,
  WEFT_ATOMIC_SUBTRACT,
  WEFT_ATOMIC_AND,
  WEFT_ATOMIC_NAND,
  WEFT_ATOMIC_OR,
  WEFT_ATOMIC_XOR,
  WEFT_ATOMIC_MAX,
  WEFT_ATOMIC_MIN,
  WEFT_ATOMIC_UNSIGNED_MAX,
  WEFT_ATOMIC_UNSIGNED_MIN,
  WEFT_ATOMIC_INCREMENT_WRAP,
  WEFT_ATOMIC_DECREMENT_WRAP,
  WEFT_ATOMIC_SUBTRACT_CONDITIONAL,
  WEFT_ATOMIC_SUBTRACT_SATURATE,
  WEFT_ATOMIC_FLOAT_ADD,
  WEFT_ATOMIC_FLOAT_SUBTRACT,
  WEFT_ATOMIC_FLOAT_MAX,
  WEFT_ATOMIC_FLOAT_MIN
};

enum weft_atomic_type {
  WEFT_TYPE_INTEGER, /* pointers too, and whatever is only moved, not computed with */
  WEFT_TYPE_HALF,
  WEFT_TYPE_BFLOAT,
  WEFT_TYPE_FLOAT,
  WEFT_TYPE_DOUBLE,
  WEFT_TYPE_X87,
  WEFT_TYPE_QUAD
};

/* Of volatile variables. A store releases; a load acquires whenever it sees something new, and
 * looks for that before long, if not each time. In signal handlers both are plain. */
enum { WEFT_ORDER_VOLATILE = 6 };

/* Of a fence behind a poll: a flag was seen, and whoever stored it may not have flushed. Acquires
 * what was written before it all the same. */
enum { WEFT_ORDER_POLLED = 7 };

/* Added to the order of a load in a loop that does nothing but look, from the second turn on: the
 * thread waits for another value than it has found, and the load may take long. */
enum { WEFT_LOAD_WAITS = 0x100 };

/* Reads `size` bytes into `out`. */
void __weft_atomic_load(const void* p, void* out, uint32_t size, uint32_t order);

/* Writes `size` bytes from `value`. */
void __weft_atomic_store(void* p, const void* value, uint32_t size, uint32_t order);

/* *p = *p operation *operand. What *p held goes to `old_out`, which is null when the program does
 * not use it (an update that commutes may then be merged later). Operations other than
 * WEFT_ATOMIC_EXCHANGE have a native size; floating types come with the FLOAT operations only. */
void __weft_atomic_rmw(void* p, const void* operand, void* old_out, uint32_t size,
                       uint32_t operation, uint32_t type, uint32_t order);

/* --- critical sections that only add (protocol/locks.md, 26) --- */

enum weft_lock_kind { WEFT_LOCK_VARIABLE, WEFT_LOCK_CRITICAL };

/* *target = *target operation operand. */
struct weft_sum {
  void* target;
  uint32_t size, operation, type;
  unsigned char operand[8];
};
/* Bytes from which an operand was computed. */
struct weft_term {
  const void* address;
  uint32_t size;
};
enum { WEFT_MOST_SUMS = 4, WEFT_MOST_TERMS = 16 };

/* A section under the lock is about to begin that only adds to these targets. Returns one of these,
 * or a right: then the operands may be loaded and computed, for __weft_add. */
enum {
  WEFT_NOT_BEGUN = 0,   /* the lock is to be taken as ever */
  WEFT_LOCK_IS_HELD = 1 /* the caller holds it */
};
uint64_t __weft_begin_adding(uint32_t kind, void* lock, const struct weft_sum* sums,
                             uint32_t sum_count);

/* The section, by that right. */
enum {
  WEFT_TAKE_LOCK = 0, /* nothing is done: it is to be begun anew, with the lock */
  WEFT_ADDED = 1,
  WEFT_BEGIN_AGAIN = 2 /* nothing is done: it is to be begun anew, by __weft_begin_adding */
};
int __weft_add(uint32_t kind, void* lock, uint64_t right, const struct weft_sum* sums,
               uint32_t sum_count, const struct weft_term* terms, uint32_t term_count);

/* If *p equals *expected bit for bit, stores *desired and returns 1; else copies *p to *expected
 * and returns 0. Never fails spuriously. */
int __weft_atomic_compare_exchange(void* p, void* expected, const void* desired, uint32_t size,
                                   uint32_t success_order, uint32_t failure_order);

/* A fence between threads, and OpenMP's flush without a list. */
void __weft_fence(uint32_t order);

/* Since the last barrier of the calling thread's team, it has stored to what a reduction may add
 * to, or is about to. */
void __weft_wrote_original(void);

/* Of functions that loops call seldom, in front of them: general registers are kept for the loop.
 * Called through the global offset table, as who binds a call late keeps fewer. */
#define WEFT_KEEPS_REGISTERS __attribute__((preserve_most))

/* The calling thread is about to store to each byte of [first, first + bytes), in the loop or the
 * copy that begins now, before it loads any of them, and nobody else uses them meanwhile. What they
 * hold need not be kept. Costs about a lock; of use for some pages at least. Called only if
 * __weft_spans_nodes. */
WEFT_KEEPS_REGISTERS void __weft_overwrite(void* first, __SIZE_TYPE__ bytes);

/* The calling thread is about to use `bytes` at first + i0 * strides[0].bytes + i1 *
 * strides[1].bytes
 * + ..., for each i below its count, in the loops that begin now. A hint: of what is not here all
 * is asked for at once, and nobody waits; and where it stores, first writes need no fault. Any
 * values may come; what is said wrongly costs time.
 * Called only if __weft_spans_nodes. */
struct weft_stride {
  int64_t bytes;
  uint64_t count;
};
enum { WEFT_MOST_STRIDES = 6 };
enum weft_use { WEFT_USE_LOADS, WEFT_USE_STORES };
WEFT_KEEPS_REGISTERS void __weft_prefetch(const void* first, uint64_t bytes,
                                          const struct weft_stride* strides, uint32_t stride_count,
                                          uint32_t use);

/* Several accesses in one call, which takes less code. Constant: the numbers that are known, and
 * behind them, for each access, codes of a byte: an enum weft_use, how many strides it has, and its
 * `first`, its `bytes` and each stride's `bytes` and `count`. Such a number is a formula, operator
 * first: below WEFT_FORMULA it is that one of the call's `values`, from WEFT_CONSTANT on one of the
 * constants, and else an enum weft_formula with what follows it. */
struct weft_uses {
  uint32_t access_count, constant_count;
  uint64_t constants[];
};
enum { WEFT_FORMULA = 112, WEFT_CONSTANT = 128, WEFT_MOST_KEPT = 128 };
enum weft_formula {
  WEFT_ADD = WEFT_FORMULA, /* two formulas, as the next five */
  WEFT_SUBTRACT,
  WEFT_MULTIPLY,
  WEFT_DIVIDE,  /* unsigned; by zero: zero */
  WEFT_SMALLER, /* signed */
  WEFT_GREATER,
  WEFT_SMALL,     /* a byte, signed: that number */
  WEFT_ADD_SMALL, /* a byte, signed, and a formula */
  WEFT_EIGHTFOLD, /* a formula */
  WEFT_LOAD, /* a byte n, a formula p: what is at p + 8 n, which the program has loaded before */
  WEFT_LOAD_INT, /* the same of 4 bytes, signed, at p + 4 n */
  WEFT_KEEP,     /* a formula that is used again. WEFT_MOST_KEPT at most */
  WEFT_KEPT,     /* a byte n: the nth that was kept in this call */
};
WEFT_KEEPS_REGISTERS void __weft_prefetch_all(const struct weft_uses* uses, const uint64_t* values);

/* A value that the loop loads leads to memory: [base + scale * value, + bytes), or a row, which is
 * longer by rate * (upper - lower) / 8, two values of which each lies so many bytes behind the
 * first.
 *
 *     x[column[k]]                        base x, scale 8, bytes 8
 *     value[k], from first[i] on, as long as k < first[i + 1]
 *                                         base value, scale 8, bytes 0, rate 64, upper 4, lower 0
 */
struct weft_indirection {
  int64_t step;   /* from a value to the next one, in the memory where they lie; positive */
  int64_t loaded; /* bytes of a value: 1, 2, 4 or 8; negative if it is signed */
  uint64_t base;
  int64_t scale;
  int64_t bytes;
  int64_t counted; /* as `loaded`, of the two that count; 0: no row */
  int64_t rate;
  int64_t upper, lower; /* lower: WEFT_NO_LOWER for 0 in its place */
};
enum { WEFT_MOST_INDIRECTIONS = 3, WEFT_INDIRECTION_WORDS = 9 };
#define WEFT_NO_LOWER INT64_MIN

/* As __weft_prefetch. The strided memory holds the values of the first indirection, the memory to
 * which they lead those of the next one, and the last one leads to the memory that is used. The
 * node reads the values, if it has them or can soon have them, so the loop must be certain, or very
 * likely, to load them. They may mean anything. */
void __weft_prefetch_indirect(const void* first, uint64_t bytes, const struct weft_stride* strides,
                              uint32_t stride_count, const struct weft_indirection* indirections,
                              uint32_t indirection_count, uint32_t use);

/* Behind the prefetches of a loop: waits for what they have asked for, but not for long. */
WEFT_KEEPS_REGISTERS void __weft_await_prefetches(void);

/* What p points to, of 1, 2, 4 or 8 bytes, zero-extended, by which such a hint is computed before
 * the program itself loads it; 0 if this node can read nothing there. Any p may come. */
uint64_t __weft_hint_load(const void* p, uint32_t bytes);

/* --- -fweft-check-ranges (docs/internals/ranges.md): on one node, too --- */

/* Where something is in the program's source. */
struct weft_place {
  const char* file;
  const char* function;
  const char* variable;  /* a global one, or null */
  uint32_t line, column; /* 0 if that is not known */
};

/* What was said before a loop, while the thread is in the loop. Null if it was not said. */
struct weft_watch;

/* Beside a call of __weft_overwrite, which is made or not. */
struct weft_watch* __weft_watch_overwrite(const struct weft_place* place, const void* first,
                                          uint64_t bytes, uint32_t is_said);
/* Beside a call of __weft_prefetch. */
struct weft_watch* __weft_watch_prefetch(const struct weft_place* place, const void* first,
                                         uint64_t bytes, const struct weft_stride* strides,
                                         uint32_t stride_count, uint32_t use);
/* Beside a call of __weft_prefetch_indirect. */
struct weft_watch* __weft_watch_indirect(const struct weft_place* place, const void* first,
                                         uint64_t bytes, const struct weft_stride* strides,
                                         uint32_t stride_count,
                                         const struct weft_indirection* indirections,
                                         uint32_t indirection_count);
/* The thread leaves the loop: all that it said that it stores to is stored to. */
void __weft_end_watch(struct weft_watch* watch);

/* Before a store by which the range is overwritten. */
void __weft_check_overwrite(struct weft_watch* watch, const struct weft_place* place, const void* p,
                            uint64_t bytes);
/* Before each load in the loop: nothing of the range is loaded before it is stored to. */
void __weft_check_load(struct weft_watch* watch, const struct weft_place* place, const void* p,
                       uint64_t bytes);
/* Before a load or a store of which one of the two was said; the second may be null. */
void __weft_check_use(const struct weft_place* place, const void* p, uint64_t bytes, uint32_t use,
                      struct weft_watch* watch, struct weft_watch* other);
/* __weft_hint_load that knows the memory on one node, too. */
uint64_t __weft_check_hint(const void* p, uint32_t bytes);

/* The program's exit status if a range was not overwritten as said. */
enum { WEFT_STATUS_OF_WRONG_RANGES = 66 };

/* Around each statement of Fortran's input and output, and each use of its random numbers: their
 * state is the program's, so shared. `needs_lock` is 0 for internal files. Statements nest. */
void __weft_fortran_begin(uint32_t needs_lock);
void __weft_fortran_end(void);

/* The executable's libraries are loaded, and none of their constructors has run. */
void __weft_program_begins(void);

/* A shared library that weftcc linked is about to run its constructors, of which the caller, at
 * `inside`, is the first. */
void __weft_library_begins(const void* inside);

/* The program's dlopen, in jobs of several nodes: the library is loaded on all of them. `open`
 * calls dlopen from the calling object. The result means the same on every node; __weft_handle_here
 * gives what the C library of this node calls it, and __weft_dlerror says why the last load failed,
 * once; null if no load did. A handle that is asked for begins another call: its error counts. */
typedef void* (*weft_dlopen_from)(const char* file, int mode);
void* __weft_dlopen(const char* file, int mode, weft_dlopen_from open);
char* __weft_dlerror(void);
void* __weft_handle_here(void* handle);

/* In jobs of several nodes: f(argument) on each node, on one after the other and all before this
 * returns, in a thread of Weft's. Of the calls in f none is the job's, and f
 * must not write to memory of the program. The result is node 0's. */
void* __weft_run_everywhere(void* (*f)(void*), void* argument);

/* Whether an operation is one that the processor does at once: otherwise a lock is taken. */
static inline int weft_atomic_is_native(const void* p, uint32_t size) {
  int power_of_two = size != 0 && (size & (size - 1)) == 0;
  return power_of_two && size <= 16 && ((uintptr_t)p & (size - 1)) == 0;
}

/* Allocation by the program's own code: weftcc links with --wrap for each of these
 * names, so that the program's `malloc` arrives as `__wrap_malloc`. Of the functions that return
 * memory of the C library's making (strdup, getline, ...) src/start makes versions over these. */
void* __wrap_malloc(__SIZE_TYPE__ size);
void* __wrap_calloc(__SIZE_TYPE__ count, __SIZE_TYPE__ size);
void* __wrap_realloc(void* block, __SIZE_TYPE__ size);
void* __wrap_reallocarray(void* block, __SIZE_TYPE__ count, __SIZE_TYPE__ size);
void __wrap_free(void* block);
int __wrap_posix_memalign(void** block, __SIZE_TYPE__ alignment, __SIZE_TYPE__ size);
void* __wrap_aligned_alloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size);
void* __wrap_memalign(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size);
void* __wrap_valloc(__SIZE_TYPE__ size);
void* __wrap_pvalloc(__SIZE_TYPE__ size);
__SIZE_TYPE__ __wrap_malloc_usable_size(void* block);

/* The owner of an ELF note (section .note.weft, type 1) that the pass leaves in each object; its
 * descriptor is the version of this contract, 4 bytes. */
#define WEFT_NOTE_OWNER "Weft"
#define WEFT_NOTE_TYPE 1
#define WEFT_ABI_VERSION 2

#ifdef __cplusplus
}
#endif

#endif /* WEFT_BASE_COMPILER_ABI_H_ */
