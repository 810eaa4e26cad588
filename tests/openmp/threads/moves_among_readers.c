// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// A thread goes from node to node many times while threads of all nodes read and write what it
// holds: a local and a thread-local variable, a part of the heap, each under a mutex, and a counter
// without. Nothing is lost. So many moves as MOVES says.

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "../check.h"

enum { kOthers = 4, kLong = 1500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long* local_sum;
static long* own_sum;
static long* table;  // kLong equal numbers
static long additions, counter, moves_done;
static int stop, is_ready;
static _Thread_local long own = 0;

static void check_table(void) {
  for (int i = 1; i < kLong; ++i) {
    EXPECT(table[i] == table[0], "It has %ld at %d, and %ld before.", table[i], i, table[0]);
  }
}

static void add(long what) {
  *local_sum += what;
  *own_sum += what;
  additions += what;
  EXPECT(*local_sum == additions && *own_sum == additions, "%ld, %ld and %ld", *local_sum, *own_sum,
         additions);
}

static void* travel(void* argument) {
  const long moves = *(long*)argument;
  long sum = 0, mine = 0;
  pthread_mutex_lock(&lock);
  local_sum = &sum;
  own_sum = &own;
  table = calloc(kLong, sizeof(long));
  pthread_mutex_unlock(&lock);
  __atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);
  unsigned random = 1;
  for (long move = 0; move < moves; ++move) {
    random = random * 1103515245U + 12345U;
    const int node =
        (weft_node() + 1 + (int)(random >> 16) % (weft_nodes() > 1 ? weft_nodes() - 1 : 1)) %
        weft_nodes();
    const int with_lock = move % 8 == 0;
    if (with_lock) {
      pthread_mutex_lock(&lock);
      add(1);
      for (int i = 0; i < kLong / 2; ++i) ++table[i];
    }
    const int error = weft_migrate(node);
    EXPECT(error == WEFT_OK && weft_node() == node, "to %d: %s", node, weft_error_text(error));
    if (with_lock) {
      for (int i = kLong / 2; i < kLong; ++i) ++table[i];
      check_table();
      add(1);
      pthread_mutex_unlock(&lock);
    }
    ++mine;
    __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_lock(&lock);
  EXPECT(sum == additions && own == additions && mine == moves, "%ld, %ld and %ld", sum, own, mine);
  moves_done = mine;
  stop = 1;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* read_and_write(void* argument) {
  while (!__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE)) {
  }
  for (long* turns = argument;; ++*turns) {
    pthread_mutex_lock(&lock);
    const int is_over = stop;
    if (!is_over) {
      check_table();
      add(1);
      if (*turns % 4 == 0) {
        for (int i = 0; i < kLong; ++i) ++table[i];
      }
    }
    pthread_mutex_unlock(&lock);
    if (is_over) return NULL;
    __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
  }
}

int main(void) {
  const char* const wanted = getenv("MOVES");
  long moves = wanted == NULL ? 1000 : strtol(wanted, NULL, 10), turns[kOthers] = {0}, sum = 0;
  pthread_t others[kOthers], traveller;
  pthread_create(&traveller, NULL, travel, &moves);
  for (int t = 0; t < kOthers; ++t) pthread_create(&others[t], NULL, read_and_write, &turns[t]);
  pthread_join(traveller, NULL);
  for (int t = 0; t < kOthers; ++t) {
    pthread_join(others[t], NULL);
    sum += turns[t];
  }
  EXPECT(moves_done == moves, "It has moved %ld times.", moves_done);
  EXPECT(counter == moves + sum, "The counter is %ld, not %ld.", counter, moves + sum);
  EXPECT(additions == sum + 2 * ((moves + 7) / 8), "%ld were added.", additions);
  free(table);
  return ok();
}
