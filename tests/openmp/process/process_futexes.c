// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Futexes by syscall(SYS_futex, ...), in words of pages that nobody has used: bits, counts, moves
// to another word, and operations on it are as futex(2) says, between threads of any nodes.

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

enum { kSleepers = 4, kRounds = 20, kPage = 4096 };

// Each word has a page of its own.
typedef struct {
  _Alignas(kPage) atomic_int word;
} Word;

static long futex(Word* futex, int operation, int value, long detail, Word* second, int third) {
  return syscall(SYS_futex, &futex->word, operation, value, detail, second, third);
}

static long wake(Word* word, int count) { return futex(word, FUTEX_WAKE, count, 0, NULL, 0); }

static pthread_t threads[kSleepers];

static void begin(int thread, void* (*function)(void*), void* argument) {
  const int error = pthread_create(&threads[thread], NULL, function, argument);
  EXPECT(error == 0, "pthread_create: %s", strerror(error));
}

static intptr_t result_of(int thread) {
  void* result = NULL;
  const int error = pthread_join(threads[thread], &result);
  EXPECT(error == 0, "pthread_join: %s", strerror(error));
  return (intptr_t)result;
}

// A move to where they are counts the sleepers. Waits until they are so many.
static void await_sleepers(Word* word, int count) {
  long found = -1;
  for (int tries = 0; tries < 4000 && found != count; ++tries) {
    if (tries > 0) usleep(5000);
    found = futex(word, FUTEX_CMP_REQUEUE, 0, INT_MAX, word, word->word);
    EXPECT(found >= 0, "The sleepers' count: %s", strerror(errno));
  }
  EXPECT(found == count, "%ld of %d sleep.", found, count);
}

static void* sleep_once(void* word) {
  return (void*)(intptr_t)(futex(word, FUTEX_WAIT, 0, 0, NULL, 0) == 0 ? 0 : errno);
}

static void begin_sleepers(Word* word) {
  for (int t = 0; t < kSleepers; ++t) begin(t, sleep_once, word);
  await_sleepers(word, kSleepers);
}

static void end_sleepers(void) {
  for (int t = 0; t < kSleepers; ++t) {
    const intptr_t error = result_of(t);
    EXPECT(error == 0, "A sleeper has got: %s", strerror((int)error));
  }
}

static void wakes_are_counted(void) {
  static Word nobody, crowd, other;
  Word* const heap = aligned_alloc(kPage, sizeof(Word));
  EXPECT(wake(&nobody, 1) == 0, "Nobody was there to be woken.");
  EXPECT(wake(heap, 1) == 0, "Nobody was there to be woken, either.");
  other.word = 1;
  EXPECT(sleep_once(&other) == (void*)EAGAIN, "A word with another value was waited for.");
  begin_sleepers(&crowd);
  EXPECT(wake(&crowd, 1) == 1, "One was to be woken.");
  EXPECT(wake(&crowd, 100) == kSleepers - 1, "The others were to be woken.");
  end_sleepers();
}

// One sleeps for bit 1, then one for bit 2.
static Word bits;
static atomic_int may_go[3];

static void* sleep_for_bit(void* bit) {
  const int number = (int)(intptr_t)bit;
  while (!may_go[number]) futex(&bits, FUTEX_WAIT_BITSET, 0, 0, NULL, number);
  return NULL;
}

static long wake_bit(int bit, int count) {
  may_go[bit] = 1;
  return futex(&bits, FUTEX_WAKE_BITSET, count, 0, NULL, bit);
}

static void bits_are_minded(void) {
  for (int bit = 1; bit <= 2; ++bit) {
    begin(bit, sleep_for_bit, (void*)(intptr_t)bit);
    await_sleepers(&bits, bit);
  }
  EXPECT(futex(&bits, FUTEX_WAKE_BITSET, 1, 0, NULL, 4) == 0, "Nobody has bit 4.");
  EXPECT(futex(&bits, FUTEX_WAKE_BITSET, 1, 0, NULL, 0) == -1 && errno == EINVAL, "No bit: %s",
         strerror(errno));
  EXPECT(wake_bit(2, 1) == 1, "The second one was to be woken.");
  result_of(2);
  await_sleepers(&bits, 1);
  EXPECT(wake_bit(1, 10) == 1, "The first one was to be woken.");
  result_of(1);
}

static void sleepers_are_moved(void) {
  static Word condition, mutex;
  begin_sleepers(&condition);
  EXPECT(futex(&condition, FUTEX_CMP_REQUEUE, 1, 10, &mutex, 7) == -1 && errno == EAGAIN,
         "Another value was expected: %s", strerror(errno));
  EXPECT(futex(&condition, FUTEX_REQUEUE, 1, 1, &mutex, 0) == 2,
         "One was to be woken, and one moved.");
  EXPECT(futex(&condition, FUTEX_CMP_REQUEUE, 1, 10, &mutex, 0) == kSleepers - 2,
         "One was to be woken, and all others moved.");
  EXPECT(wake(&condition, 10) == 0, "All had been moved.");
  EXPECT(wake(&mutex, 10) == kSleepers - 2, "The moved ones were to be woken.");
  end_sleepers();
}

static void* sleep_for_a_while(void* word) {
  const struct timespec time = {0, 300000000};
  return (void*)(intptr_t)(futex(word, FUTEX_WAIT, 0, (long)&time, NULL, 0) == 0 ? 0 : errno);
}

static void moved_ones_time_out(void) {
  static Word condition, mutex;
  begin(0, sleep_for_a_while, &condition);
  while (futex(&condition, FUTEX_CMP_REQUEUE, 0, 10, &mutex, 0) != 1) usleep(1000);
  EXPECT(result_of(0) == ETIMEDOUT, "There was no timeout.");
  EXPECT(wake(&mutex, 10) == 0, "It is gone.");
}

static void words_are_changed(void) {
  static Word first, second;
  second.word = 5;
  // Adds 3, and wakes there as well if it was more than 4; then if it was less.
  const int more = FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_GT, 4);
  const int less = FUTEX_OP(FUTEX_OP_ANDN, 8, FUTEX_OP_CMP_LT, 4);
  EXPECT(futex(&first, FUTEX_WAKE_OP, 1, 1, &second, more) == 0, "Nobody sleeps: %s",
         strerror(errno));
  EXPECT(second.word == 8, "5 + 3 is %d.", second.word);
  begin_sleepers(&first);
  EXPECT(futex(&first, FUTEX_CMP_REQUEUE, 0, 2, &second, 0) == 2, "Two were to be moved.");
  EXPECT(futex(&first, FUTEX_WAKE_OP, 1, 1, &second, less) == 1, "One was to be woken.");
  EXPECT(second.word == 0, "8 without 8 is %d.", second.word);
  second.word = 5;
  EXPECT(futex(&first, FUTEX_WAKE_OP, 9, 9, &second, more) == 3, "All were to be woken.");
  end_sleepers();
}

// The kernel has them, or nobody.
static void priorities_are_refused(void) {
  static Word lock;
  if (futex(&lock, FUTEX_LOCK_PI, 0, 0, NULL, 0) == 0) {
    EXPECT(futex(&lock, FUTEX_UNLOCK_PI, 0, 0, NULL, 0) == 0, "Unlocked: %s", strerror(errno));
  } else {
    EXPECT(errno == ENOSYS, "Locked: %s", strerror(errno));
  }
}

// A turn goes round: each thread wakes the next one by its bit, and sleeps for its own.
static Word turn;

static void* take_turns(void* argument) {
  const int me = (int)(intptr_t)argument;
  for (int round = 0; round < kRounds; ++round) {
    for (int now = turn.word; now % kSleepers != me; now = turn.word) {
      const long error = futex(&turn, FUTEX_WAIT_BITSET, now, 0, NULL, 1 << me);
      EXPECT(error == 0 || errno == EAGAIN, "Waiting for a turn: %s", strerror(errno));
    }
    ++turn.word;
    futex(&turn, FUTEX_WAKE_BITSET, 1, 0, NULL, 1 << (me + 1) % kSleepers);
  }
  return NULL;
}

static void turns_go_round(void) {
  for (int t = 0; t < kSleepers; ++t) begin(t, take_turns, (void*)(intptr_t)t);
  for (int t = 0; t < kSleepers; ++t) result_of(t);
  EXPECT(turn.word == kSleepers * kRounds, "There were %d turns.", turn.word);
}

int main(void) {
  wakes_are_counted();
  bits_are_minded();
  sleepers_are_moved();
  moved_ones_time_out();
  words_are_changed();
  priorities_are_refused();
  turns_go_round();
  return ok();
}
