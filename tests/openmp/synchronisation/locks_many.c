// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thousands of locks: in arrays and in the structures that they guard, plain and nestable, with
// every hint, destroyed and made again, in the same place and in others, by any thread.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kAccounts = 3000, kCells = 2000, kTransfers = 400, kLives = 3 };

typedef struct {
  long balance;
  omp_lock_t lock;
  int owner;
} Account;

typedef struct Cell {
  omp_nest_lock_t lock;
  long count;
  struct Cell* next;
} Cell;

static Account accounts[kAccounts];

static const omp_sync_hint_t hints[] = {
    omp_sync_hint_none,
    omp_sync_hint_uncontended,
    omp_sync_hint_contended,
    omp_sync_hint_nonspeculative,
    omp_sync_hint_speculative,
    omp_sync_hint_uncontended | omp_sync_hint_speculative,
    omp_sync_hint_contended | omp_sync_hint_nonspeculative,
};
enum { kHints = sizeof hints / sizeof hints[0] };

static unsigned next_random(unsigned* state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

static long sum_of_balances(void) {
  long sum = 0;
  for (int i = 0; i < kAccounts; ++i) sum += accounts[i].balance;
  return sum;
}

// Two locks at once, in the order of their addresses.
static void transfer(Account* from, Account* to, long amount) {
  Account* const first = from < to ? from : to;
  Account* const second = from < to ? to : from;
  omp_set_lock(&first->lock);
  if (second != first) {
    while (!omp_test_lock(&second->lock)) {
    }
  }
  from->balance -= amount;
  to->balance += amount;
  to->owner = omp_get_thread_num();
  if (second != first) omp_unset_lock(&second->lock);
  omp_unset_lock(&first->lock);
}

static void in_structures(int life) {
  for (int i = 0; i < kAccounts; ++i) accounts[i].balance = i;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 100)
    for (int i = 0; i < kAccounts; ++i) {
      if (i % 3 == 0) {
        omp_init_lock(&accounts[i].lock);
      } else {
        omp_init_lock_with_hint(&accounts[i].lock, hints[(i + life) % kHints]);
      }
    }
    unsigned state = (unsigned)(omp_get_thread_num() * 7919 + life);
    for (int round = 0; round < kTransfers; ++round) {
      // Mostly among neighbours, so that some meet.
      const unsigned near = next_random(&state) % kAccounts;
      const unsigned far = round % 10 == 0 ? next_random(&state) : near + next_random(&state) % 5;
      transfer(&accounts[near], &accounts[far % kAccounts], 1 + round % 7);
    }
#pragma omp barrier
#pragma omp for schedule(static, 7)
    for (int i = 0; i < kAccounts; ++i) {
      EXPECT(omp_test_lock(&accounts[i].lock), "Lock %d is not free.", i);
      omp_unset_lock(&accounts[i].lock);
      omp_destroy_lock(&accounts[i].lock);
    }
  }
  const long expected = (long)kAccounts * (kAccounts - 1) / 2;
  EXPECT(sum_of_balances() == expected, "The balances sum to %ld.", sum_of_balances());
}

static void take_in_turn(Cell* cell, int depth) {
  omp_set_nest_lock(&cell->lock);
  cell->count += 1;
  if (depth > 0 && cell->next != NULL) take_in_turn(cell->next, depth - 1);
  omp_unset_nest_lock(&cell->lock);
}

// A list of cells from all threads' heaps; each is locked from within itself, and with those behind
// it.
static void in_a_list(int life) {
  static Cell* cells[kCells];
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < kCells; ++i) {
    cells[i] = calloc(1, sizeof(Cell));
    if (i % 2 == 0) {
      omp_init_nest_lock(&cells[i]->lock);
    } else {
      omp_init_nest_lock_with_hint(&cells[i]->lock, hints[(i + life) % kHints]);
    }
  }
#pragma omp parallel for
  for (int i = 0; i < kCells - 1; ++i) cells[i]->next = cells[i + 1];
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < kCells; i += 2) {
    take_in_turn(cells[i], 3);
    omp_set_nest_lock(&cells[i]->lock);
    EXPECT(omp_test_nest_lock(&cells[i]->lock) == 2, "Cell %d was not locked twice.", i);
    cells[i]->count += 10;
    omp_unset_nest_lock(&cells[i]->lock);
    omp_unset_nest_lock(&cells[i]->lock);
  }
#pragma omp parallel for schedule(dynamic, 50)
  for (int i = 0; i < kCells; ++i) {
    const long expected = (i < 2 ? 1 : 2) + (i % 2 == 0 ? 10 : 0);
    EXPECT(cells[i]->count == expected, "Cell %d was visited %ld times.", i, cells[i]->count);
    omp_destroy_nest_lock(&cells[i]->lock);
    free(cells[i]);
  }
}

// The bytes of a lock that is no more are the program's; another kind of lock may live there next.
static void in_the_same_place(void) {
  static union {
    omp_lock_t plain;
    omp_nest_lock_t nest;
    unsigned char bytes[64];
  } place;
  static long count;
  for (int life = 0; life < 40; ++life) {
    memset(&place, life, sizeof place);
    if (life % 2 == 0) {
      omp_init_lock(&place.plain);
    } else {
      omp_init_nest_lock(&place.nest);
    }
#pragma omp parallel
    if (life % 2 == 0) {
      omp_set_lock(&place.plain);
      ++count;
      omp_unset_lock(&place.plain);
    } else {
      omp_set_nest_lock(&place.nest);
      omp_set_nest_lock(&place.nest);
      ++count;
      omp_unset_nest_lock(&place.nest);
      omp_unset_nest_lock(&place.nest);
    }
    if (life % 2 == 0) {
      omp_destroy_lock(&place.plain);
    } else {
      omp_destroy_nest_lock(&place.nest);
    }
  }
  EXPECT(count == 40L * omp_get_max_threads(), "The count is %ld.", count);
}

int main(void) {
  for (int life = 0; life < kLives; ++life) {
    in_structures(life);
    in_a_list(life);
  }
  in_the_same_place();
  return ok();
}
