// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flush with a list and with each memory order, atomic constructs with each, and the programs that
// the specification's examples make of them: a handshake, a wait by acquire and release, a pipeline
// of threads that wait for their neighbour's flag.

#include <omp.h>

#include "../check.h"

enum { kStages = 64, kItems = 40 };

static int data, other, flag;

// What the producer does before it sets the flag, and the consumer after it has seen it.
#define HAND_OVER(name, set, look)                                         \
  static void name(void) {                                                 \
    data = other = flag = 0;                                               \
    _Pragma("omp parallel num_threads(2)") {                               \
      if (omp_get_num_threads() == 2) {                                    \
        if (omp_get_thread_num() == 0) {                                   \
          data = 17;                                                       \
          other = 4;                                                       \
          set                                                              \
        } else {                                                           \
          int seen = 0;                                                    \
          while (seen != 1) {                                              \
            look                                                           \
          }                                                                \
          EXPECT(data == 17 && other == 4, #name ": %d, %d", data, other); \
        }                                                                  \
      }                                                                    \
    }                                                                      \
  }
#define DO(text) _Pragma(#text)

HAND_OVER(lists, DO(omp flush(data, other)) DO(omp atomic write) flag = 1;
          DO(omp flush(flag)), DO(omp flush(flag)) DO(omp atomic read) seen = flag;
          DO(omp flush(flag, data, other)))
HAND_OVER(acquire_and_release, DO(omp flush release) DO(omp atomic write) flag = 1;
          , DO(omp atomic read) seen = flag; if (seen){DO(omp flush acquire)})
HAND_OVER(both, DO(omp flush acq_rel) DO(omp atomic write relaxed) flag = 1;
          , DO(omp atomic read relaxed) seen = flag; DO(omp flush acq_rel))
HAND_OVER(sequential, DO(omp flush seq_cst) DO(omp atomic write seq_cst) flag = 1;
          , DO(omp atomic read seq_cst) seen = flag;)
HAND_OVER(by_write, DO(omp atomic write release) flag = 1;
          , DO(omp atomic read acquire) seen = flag;)
HAND_OVER(by_update, DO(omp atomic update release)++ flag;
          , DO(omp atomic read acquire) seen = flag;)
HAND_OVER(
    by_capture, int old; DO(omp atomic capture acq_rel) {
      old = flag;
      flag = 1;
    } EXPECT(old == 0, "It was %d.", old);
    ,
    DO(omp atomic capture acq_rel) {
      seen = flag;
      flag += 0;
    })
HAND_OVER(
    by_compare, DO(omp atomic compare release) if (flag == 0) { flag = 1; },
    DO(omp atomic read acquire) seen = flag;)
HAND_OVER(
    by_fail, DO(omp atomic write release) flag = 1;
    , DO(omp atomic compare capture acq_rel fail(acquire)) {
      seen = flag;
      if (flag == 2) {
        flag = 3;
      }
    })
HAND_OVER(by_plain_flush, DO(omp flush) DO(omp atomic write) flag = 1;
          DO(omp flush), DO(omp flush) DO(omp atomic read) seen = flag; DO(omp flush))

// Each thread works on an item when its neighbour has done so.
static int done[kStages];
static long items[kItems];

static void neighbours(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    if (me < kStages) {
      for (int item = 0; item < kItems; ++item) {
        int ready = me == 0 ? item + 1 : 0;
        while (ready <= item) {
#pragma omp flush
#pragma omp atomic read
          ready = done[me - 1];
        }
#pragma omp flush
        items[item] = items[item] * 3 + me;
#pragma omp flush
#pragma omp atomic write
        done[me] = item + 1;
#pragma omp flush(done)
      }
    }
  }
  const int stages = omp_get_max_threads() < kStages ? omp_get_max_threads() : kStages;
  long expected = 0;
  for (int me = 0; me < stages; ++me) expected = expected * 3 + me;
  for (int item = 0; item < kItems; ++item)
    EXPECT(items[item] == expected, "Item %d is %ld, not %ld.", item, items[item], expected);
}

// A lock made of an atomic capture and a release.
static int held;
static long guarded;

static void own_lock(void) {
#pragma omp parallel
  for (int round = 0; round < 20; ++round) {
    int was = 1;
    while (was) {
#pragma omp atomic capture acquire
      {
        was = held;
        held = 1;
      }
    }
    guarded = guarded * 5 % 1000003 + 1;
#pragma omp atomic write release
    held = 0;
  }
  long expected = 0;
  for (int i = 0; i < 20 * omp_get_max_threads(); ++i) expected = expected * 5 % 1000003 + 1;
  EXPECT(guarded == expected, "The chain is %ld, not %ld.", guarded, expected);
}

int main(void) {
  lists();
  acquire_and_release();
  both();
  sequential();
  by_write();
  by_update();
  by_capture();
  by_compare();
  by_fail();
  by_plain_flush();
  neighbours();
  own_lock();
  return ok();
}
