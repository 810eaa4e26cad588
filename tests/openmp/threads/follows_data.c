// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// least_nodes: 2
// environment: WEFT_BALANCE=1
// counted: threads_balanced
//
// A thread reads what another one writes, again and again, on pages of node 1 (`weft run
// --balance`). It goes there by itself. The program goes on until it has. The writer stays where
// the program has placed it, and so do threads that hold a lock.

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
static void read_all(long round) {
  for (int i = 0; i < kPages; ++i) {
    const int page = i * i * kStep % kPages;
    EXPECT(table[page][0] == round + page, "Page %d has %ld in round %ld.", page, table[page][0],
           round);
  }
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

static void* read_there(void* unused) {
  (void)unused;
  for (int there = 0; there < kRoundsThere; ++rounds) {
    pthread_barrier_wait(&turn);
    read_all(rounds);
    if (weft_node() == 1) ++there;
    is_over = there == kRoundsThere;
    pthread_barrier_wait(&turn);
  }
  return NULL;
}

// As a reader, for a round. With a lock it stays, much as it would like to go.
static void* read_with_lock(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  const int begun_on = weft_node();
  pthread_barrier_wait(&turn);
  read_all(rounds++);
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
  pthread_t reader, writer;
  weft_thread_on(1);
  pthread_create(&writer, NULL, write_here, NULL);
  weft_thread_on(WEFT_ANY_NODE);
  pthread_create(&reader, NULL, read_with_lock, NULL);
  pthread_join(reader, NULL);
  pthread_create(&reader, NULL, read_there, NULL);
  pthread_join(reader, NULL);
  pthread_join(writer, NULL);
  return ok();
}
