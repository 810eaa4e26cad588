// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock API: plain and nestable locks, set, unset and test, static, on the heap, and in arrays.

#include <omp.h>

#include "../check.h"

enum { kRounds = 30, kLocks = 16 };

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long guarded, nested;

static void plain(void) {
  int tries = 0, got = 0;
#pragma omp parallel reduction(+ : tries, got)
  for (int round = 0; round < kRounds; ++round) {
    omp_set_lock(&lock);
    guarded = guarded * 5 % 1000003 + 1;
    omp_unset_lock(&lock);
    tries += 1;
    if (omp_test_lock(&lock)) {
      got += 1;
      guarded = guarded * 5 % 1000003 + 1;
      omp_unset_lock(&lock);
    }
  }
  long expected = 0;
  for (int i = 0; i < tries + got; ++i) expected = expected * 5 % 1000003 + 1;
  EXPECT(tries == kRounds * omp_get_max_threads(), "%d tries.", tries);
  EXPECT(guarded == expected, "The chain is %ld, not %ld.", guarded, expected);
}

static void test_of_a_held_lock(void) {
  omp_set_lock(&lock);
#pragma omp parallel
  {
    if (omp_get_thread_num() != 0)
      EXPECT(!omp_test_lock(&lock), "Thread %d got a lock that is held.", omp_get_thread_num());
  }
  omp_unset_lock(&lock);
  EXPECT(omp_test_lock(&lock), "A free lock was not to be had.");
  omp_unset_lock(&lock);
}

static void descend(int depth) {
  omp_set_nest_lock(&nest_lock);
  if (depth > 0) descend(depth - 1);
  nested += 1;
  omp_unset_nest_lock(&nest_lock);
}

static void nestable(void) {
#pragma omp parallel
  for (int round = 0; round < 8; ++round) {
    descend(4);
    const int depth = omp_test_nest_lock(&nest_lock);
    EXPECT(depth == 0 || depth == 1, "The first test gave depth %d.", depth);
    if (depth) {
      EXPECT(omp_test_nest_lock(&nest_lock) == 2, "The second test does not say 2.");
      omp_unset_nest_lock(&nest_lock);
      omp_unset_nest_lock(&nest_lock);
    }
  }
  EXPECT(nested == 40L * omp_get_max_threads(), "The nested count is %ld.", nested);
}

static void many_on_the_heap(void) {
  typedef struct {
    omp_lock_t lock;
    long balance;
  } Account;
  Account* accounts = malloc(kLocks * sizeof *accounts);
  for (int a = 0; a < kLocks; ++a) {
    if (a % 2)
      omp_init_lock(&accounts[a].lock);
    else
      omp_init_lock_with_hint(&accounts[a].lock, omp_sync_hint_contended);
    accounts[a].balance = 1000;
  }
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    const int from = (omp_get_thread_num() * 7 + round) % kLocks;
    const int to = (from + 1 + round % (kLocks - 1)) % kLocks;
    const int first = from < to ? from : to, second = from < to ? to : from;
    omp_set_lock(&accounts[first].lock);
    omp_set_lock(&accounts[second].lock);
    accounts[from].balance -= round;
    accounts[to].balance += round;
    omp_unset_lock(&accounts[second].lock);
    omp_unset_lock(&accounts[first].lock);
  }
  long total = 0;
  for (int a = 0; a < kLocks; ++a) {
    total += accounts[a].balance;
    omp_destroy_lock(&accounts[a].lock);
  }
  EXPECT(total == 1000L * kLocks, "The balances add up to %ld.", total);
  free(accounts);
}

// A lock taken in the main thread, outside of any region, and made inside of one.
static void made_inside(void) {
  static omp_lock_t made;
  long count = 0;
#pragma omp parallel
  {
#pragma omp single
    omp_init_lock(&made);
    omp_set_lock(&made);
    count += 1;
    omp_unset_lock(&made);
  }
  omp_set_lock(&made);
  EXPECT(count == omp_get_max_threads(), "The count is %ld.", count);
  omp_unset_lock(&made);
  omp_destroy_lock(&made);
}

int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  plain();
  test_of_a_held_lock();
  nestable();
  many_on_the_heap();
  made_inside();
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest_lock);
  return ok();
}
