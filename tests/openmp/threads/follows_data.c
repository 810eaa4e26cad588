// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// least_nodes: 2
// environment: WEFT_BALANCE=1
// counted: threads_balanced
//
// A thread reads what another one writes, again and again, on pages of node 1 (`weft run
// --balance`). It goes there by itself, whether it faults on the pages or its loop asks for them
// before it begins. The program goes on until it has. The writer stays where the program has placed
// it, and so do threads that hold a lock.

#include <pthread.h>
#include <stdlib.h>
#include <weft/weft.h>

#include "../check.h"

enum { kPages = 256, kPageWords = 512, kStep = 101, kRoundsThere = 40 };

static long (*table)[kPageWords];
static pthread_barrier_t turn;
static long rounds;
static int is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void write_all(long round) {
  for (int page = 0; page < kPages; ++page) table[page][0] = round + page;
}

// In an order in which no page can be foreseen.
static void read_anyhow(long round) {
  for (int i = 0; i < kPages; ++i) {
    const int page = i * i * kStep % kPages;
    EXPECT(table[page][0] == round + page, "Page %d has %ld in round %ld.", page, table[page][0],
           round);
  }
}

static void read_in_order(long round) {
  long sum = 0;
  for (int page = 0; page < kPages; ++page) sum += table[page][0];
  const long expected = kPages * round + kPages * (kPages - 1) / 2;
  EXPECT(sum == expected, "The sum is %ld in round %ld, not %ld.", sum, round, expected);
}

static void* write_here(void* unused) {
  (void)unused;
  for (long round = 0;; ++round) {
    EXPECT(weft_node() == 1, "The writer is on node %d.", weft_node());
    if (is_over) return NULL;
    write_all(round);
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
  }
}

static void read_there(void (*read_all)(long round), int is_last) {
  for (int there = 0; there < kRoundsThere; ++rounds) {
    pthread_barrier_wait(&turn);
    read_all(rounds);
    if (weft_node() == 1) ++there;
    is_over = is_last && there == kRoundsThere;
    pthread_barrier_wait(&turn);
  }
}

static void* fault_there(void* unused) {
  (void)unused;
  read_there(read_anyhow, 0);
  return NULL;
}

static void* ask_there(void* unused) {
  (void)unused;
  read_there(read_in_order, 1);
  return NULL;
}

// As a reader, for a round. With a lock it stays, much as it would like to go.
static void* read_with_lock(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  const int begun_on = weft_node();
  pthread_barrier_wait(&turn);
  read_anyhow(rounds++);
  for (int i = 0; i < kRoundsThere; ++i) {
    pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&other);
    EXPECT(weft_node() == begun_on && begun_on != 1, "It has moved to node %d.", weft_node());
    pthread_mutex_unlock(&other);
  }
  pthread_mutex_unlock(&lock);
  pthread_barrier_wait(&turn);
  return NULL;
}

int main(void) {
  table = weft_alloc_on(1, kPages * sizeof *table);
  pthread_barrier_init(&turn, NULL, 2);
  pthread_t writer;
  weft_thread_on(1);
  pthread_create(&writer, NULL, write_here, NULL);
  weft_thread_on(WEFT_ANY_NODE);
  void* (*const readers[])(void*) = {read_with_lock, fault_there, ask_there};
  for (int i = 0; i < 3; ++i) {
    pthread_t reader;
    pthread_create(&reader, NULL, readers[i], NULL);
    pthread_join(reader, NULL);
  }
  pthread_join(writer, NULL);
  return ok();
}
