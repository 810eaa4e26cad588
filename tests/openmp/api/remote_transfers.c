// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft/remote.h: memory that each node registers; put, get and atomic operations of all threads on
// all nodes, with every kind of completion; and what is refused.
//
// environment: WEFT_SPREAD=auto

#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <weft/remote.h>

#include "outcomes.h"

enum { kMostNodes = 64, kWords = 50000, kTurns = 40 };

static weft_key keys[kMostNodes], readers[kMostNodes];
static uint64_t* mine[kMostNodes];  // each node's own address, used there alone

// Runs `work` on one thread of each node, with barriers around it.
static void on_each_node(void (*work)(int node)) {
#pragma omp parallel
  {
    const int per_node = omp_get_num_threads() / weft_nodes();
    if (omp_get_thread_num() % per_node == 0) work(weft_node());
#pragma omp barrier
  }
}

static void register_memory(int node) {
  mine[node] = weft_register(kWords * sizeof(uint64_t), WEFT_RIGHT_MEMORY, &keys[node]);
  EXPECT(mine[node] != NULL, "no memory: %s", strerror(errno));
  for (int i = 0; i < kWords; i++) EXPECT(mine[node][i] == 0, "word %d is not zero", i);
  good(weft_grant(mine[node] + 10, 80, WEFT_RIGHT_READ, &readers[node]));
}

static uint64_t value(int node, int turn, int i) {
  return (uint64_t)node << 48 | (uint64_t)turn << 32 | (unsigned)i;
}

// Each node writes its part of the memory of all others, and they read it back.
static void puts_and_gets(int node) {
  const int nodes = weft_nodes(), part = (kWords - 100) / nodes;
  static uint64_t from[kWords], into[kWords];  // shared: each node uses its part
  uint64_t *const source = from + node * part, *const back = into + node * part;
  for (int turn = 0; turn < 6; turn++) {
    const int sizes[] = {1, 2, 7, 500, part, 3};
    const int count = sizes[turn] < part ? sizes[turn] : part;
    for (int i = 0; i < count; i++) source[i] = value(node, turn, i);
    weft_request requests[2 * kMostNodes];
    const size_t at = sizeof(uint64_t) * (size_t)(100 + node * part);
    const size_t bytes = sizeof(uint64_t) * (size_t)count;
    for (int to = 0; to < nodes; to++)
      good(weft_put(&keys[to], at, source, bytes, NULL, &requests[to]));
    memset(source, 0xff, bytes);  // it is the program's again
    good(weft_wait_all(requests, (size_t)nodes));
    for (int to = nodes - 1; to >= 0; to--) {
      memset(back, 0, bytes);
      good(weft_get(back, &keys[to], at, bytes, NULL, &requests[to]));
      if (turn % 2 == 0) {
        good(weft_wait(&requests[to]));
      } else {
        int error = WEFT_PENDING;
        while (error == WEFT_PENDING) error = weft_test(&requests[to]);
        good(error);
      }
      for (int i = 0; i < count; i++)
        EXPECT(back[i] == value(node, turn, i), "turn %d, word %d of node %d: %llx", turn, i, to,
               (unsigned long long)back[i]);
    }
  }
}

// Without requests, in order, and with a fence.
static void fenced(int node) {
  const int to = (node + 1) % weft_nodes();
  const size_t at = sizeof(uint64_t) * 20;
  uint64_t last = 0;
  for (uint64_t i = 1; i <= 3000; i++) {
    good(weft_put(&keys[to], at, &i, sizeof i, NULL, NULL));
    if (i % 100 == 0) good(weft_fence(10));
    if (i % 1000 == 0) {
      good(weft_get(&last, &keys[to], at, sizeof last, NULL, NULL));
      good(weft_fence(0));
      EXPECT(last == i, "%llu has come after %llu", (unsigned long long)last,
             (unsigned long long)i);
    }
  }
}

// By all threads, on words 0 to 4 of the memory of node 0.
static void atomics(void) {
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    const weft_key* const on = &keys[0];
    const int64_t one = 1, me = omp_get_thread_num() + 1;
    const double half = 0.5;
    for (int turn = 0; turn < kTurns; turn++) {
      int64_t old = -1;
      weft_request request;
      good(weft_atomic(on, 0, WEFT_OP_ADD, WEFT_INT64, &one, NULL, NULL, NULL, NULL));
      good(weft_atomic(on, 8, WEFT_OP_ADD, WEFT_INT64, &one, NULL, &old, NULL, &request));
      good(weft_atomic(on, 16, WEFT_OP_ADD, WEFT_DOUBLE, &half, NULL, NULL, NULL, NULL));
      good(weft_atomic(on, 24, WEFT_OP_MAX, WEFT_INT64, &me, NULL, NULL, NULL, NULL));
      good(weft_wait(&request));
      EXPECT(old >= turn, "the value before the %dth addition was %lld", turn + 1, (long long)old);
      // An addition by compare and swap.
      uint32_t seen = 0, found = 1;
      while (found != seen) {
        seen = found;
        const uint32_t next = seen + 1;
        good(weft_atomic(on, 32, WEFT_OP_COMPARE_SWAP, WEFT_UINT32, &next, &seen, &found, NULL,
                         &request));
        good(weft_wait(&request));
      }
    }
    good(weft_fence(0));
  }
  const int64_t all = (int64_t)threads * kTurns;
  int64_t words[5];
  weft_request request;
  good(weft_get(words, &keys[0], 0, sizeof words, NULL, &request));
  good(weft_wait(&request));
  double halves;
  uint32_t swaps;
  memcpy(&halves, &words[2], sizeof halves);
  memcpy(&swaps, &words[4], sizeof swaps);
  EXPECT(words[0] == all && words[1] == all, "%lld and %lld additions of %lld", (long long)words[0],
         (long long)words[1], (long long)all);
  EXPECT(halves == 0.5 * (double)all, "%g halves", halves);
  EXPECT(words[3] == threads, "the greatest is %lld", (long long)words[3]);
  EXPECT(swaps == all, "%u swaps", swaps);
}

// A ring of nodes: data, and a counter behind them in the target's memory; flags in one's own.
static void notices(int node) {
  const int nodes = weft_nodes(), next = (node + 1) % nodes;
  enum { kCounter = 30, kFlag = 31, kData = 40 };
  uint64_t message[8];
  for (uint64_t turn = 1; turn <= 200; turn++) {
    for (int i = 0; i < 8; i++) message[i] = turn * 10 + (uint64_t)i;
    const weft_notice arrived = {.key = &keys[next], .offset = 8 * kCounter, .value = 1};
    const weft_notice done = {
        .key = &keys[node], .offset = 8 * kFlag, .value = turn, .how = WEFT_NOTICE_STORE};
    good(
        weft_put(&keys[next], 8 * (kData + turn % 2 * 8), message, sizeof message, &arrived, NULL));
    good(weft_get(mine[node] + 60, &keys[next], 8 * kData, 8, &done, NULL));
    good(weft_wait_for(mine[node] + kCounter, turn));
    good(weft_wait_for(mine[node] + kFlag, turn));
    const volatile uint64_t* const data = mine[node] + kData + turn % 2 * 8;
    for (uint64_t i = 0; i < 8; i++)
      EXPECT(data[i] == turn * 10 + i, "turn %llu: %llu", (unsigned long long)turn,
             (unsigned long long)data[i]);
    // The next message but one goes to the same place: the neighbour has to have read this one.
    const weft_notice read = {
        .key = &keys[(node + nodes - 1) % nodes], .offset = 8 * 32, .value = 1};
    good(weft_put(read.key, 8 * 33, message, 0, &read, NULL));
    good(weft_wait_for(mine[node] + 32, turn));
  }
  good(weft_fence(0));
}

static void refusals(int node) {
  const int other = (node + 1) % weft_nodes();
  uint64_t word = 1;
  weft_request request;
  weft_key wrong = keys[other];
  wrong.secret++;
  is(weft_put(&wrong, 0, &word, 8, NULL, &request) ? request.error : weft_wait(&request),
     WEFT_ERROR_KEY);
  wrong = keys[other];
  wrong.number += 100;
  is(weft_put(&wrong, 0, &word, 8, NULL, &request) ? request.error : weft_wait(&request),
     WEFT_ERROR_KEY);
  wrong = keys[other];
  wrong.node = weft_nodes();
  is(weft_put(&wrong, 0, &word, 8, NULL, &request), WEFT_ERROR_NODE);
  const size_t end = kWords * sizeof word;
  is(weft_put(&keys[other], end - 7, &word, 8, NULL, &request) ? request.error
                                                               : weft_wait(&request),
     WEFT_ERROR_RANGE);
  is(weft_put(&keys[other], SIZE_MAX - 3, &word, 8, NULL, &request), WEFT_ERROR_SIZE);
  is(weft_get(&word, &readers[other], 73, 8, NULL, &request) ? request.error : weft_wait(&request),
     WEFT_ERROR_RANGE);
  is(weft_put(&readers[other], 0, &word, 8, NULL, &request) ? request.error : weft_wait(&request),
     WEFT_ERROR_RIGHT);
  is(weft_atomic(&readers[other], 0, WEFT_OP_ADD, WEFT_INT64, &word, NULL, NULL, NULL, &request)
         ? request.error
         : weft_wait(&request),
     WEFT_ERROR_RIGHT);
  is(weft_atomic(&keys[other], 4, WEFT_OP_ADD, WEFT_INT64, &word, NULL, NULL, NULL, &request)
         ? request.error
         : weft_wait(&request),
     WEFT_ERROR_OPERATION);
  is(weft_atomic(&keys[other], 0, WEFT_OP_AND, WEFT_DOUBLE, &word, NULL, NULL, NULL, &request),
     WEFT_ERROR_OPERATION);
  is(weft_atomic(&keys[other], 0, WEFT_OP_ADD, 77, &word, NULL, NULL, NULL, &request),
     WEFT_ERROR_OPERATION);
  // Without a request: the call or the fence tells.
  int error = weft_put(&readers[other], 0, &word, 8, NULL, NULL);
  if (error == WEFT_OK) error = weft_fence(0);
  is(error, WEFT_ERROR_RIGHT);
  good(weft_fence(0));
  const weft_notice refused = {.key = &readers[other], .offset = 0, .value = 1};
  is(weft_put(&keys[other], 8 * 99, &word, 8, &refused, &request) ? request.error
                                                                  : weft_wait(&request),
     WEFT_ERROR_RIGHT);
  weft_key key;
  EXPECT(weft_register(0, WEFT_RIGHT_READ, &key) == NULL && errno == EINVAL, "no bytes are taken");
  EXPECT(weft_register(8, 0, &key) == NULL && errno == EINVAL, "no rights are taken");
  EXPECT(weft_register(8, WEFT_RIGHT_SEND, &key) == NULL && errno == EINVAL, "a right too many");
  EXPECT(weft_register(SIZE_MAX, 1, &key) == NULL && errno == ENOMEM, "too much is taken");
  is(weft_grant(mine[node], end + 1, WEFT_RIGHT_READ, &key), WEFT_ERROR_RANGE);
  is(weft_grant(&word, 8, WEFT_RIGHT_READ, &key), WEFT_ERROR_RANGE);
  is(weft_grant(mine[node], 8, 16, &key), WEFT_ERROR_ACCESS);
  is(weft_unregister(mine[node] + 1), WEFT_ERROR_RANGE);
  is(weft_wait_for(&word, 1), WEFT_ERROR_RANGE);
  is(weft_revoke(&wrong), WEFT_ERROR_NODE);
}

static void revoke(int node) { good(weft_revoke(&readers[node])); }
static void find_revoked(int node) {
  uint64_t word;
  const weft_key* const key = &readers[(node + 1) % weft_nodes()];
  weft_request request;
  is(weft_get(&word, key, 0, 8, NULL, &request) ? request.error : weft_wait(&request),
     WEFT_ERROR_KEY);
  if (weft_nodes() > 1) is(weft_revoke(key), WEFT_ERROR_NODE);
  is(weft_revoke(&readers[node]), WEFT_ERROR_KEY);
  weft_key again;
  good(weft_grant(mine[node], 8, WEFT_RIGHT_READ, &again));
  good(weft_revoke(&again));
}

// Memory comes and goes while others use it: what they do is done or refused.
static void come_and_go(void) {
  enum { kPlaces = 4, kRounds = 60 };
  static weft_key places[kMostNodes][kPlaces];
#pragma omp parallel
  {
    const int nodes = weft_nodes(), node = weft_node();
    const int per_node = omp_get_num_threads() / nodes;
    const int is_owner = omp_get_thread_num() % per_node == 0;
    for (int round = 0; round < kRounds; round++) {
      void* memory[kPlaces] = {0};
      if (is_owner) {
        for (int i = 0; i < kPlaces; i++) {
          memory[i] = weft_register(5000 + 9000 * (size_t)i, WEFT_RIGHT_MEMORY, &places[node][i]);
          EXPECT(memory[i] != NULL, "no memory: %s", strerror(errno));
          for (size_t at = 0; at < 5000; at++)
            EXPECT(((char*)memory[i])[at] == 0, "memory is not zero");
        }
      }
#pragma omp barrier
      char bytes[5000];
      memset(bytes, 1, sizeof bytes);
      for (int turn = 0; turn < 3; turn++) {
        const weft_key* const key = &places[(node + turn) % nodes][turn % kPlaces];
        weft_request request;
        const int begun = weft_put(key, 0, bytes, sizeof bytes, NULL, &request);
        const int error = begun == WEFT_OK ? weft_wait(&request) : begun;
        EXPECT(error == WEFT_OK || error == WEFT_ERROR_KEY, "%s", weft_error_text(error));
        if (is_owner) good(weft_unregister(memory[turn]));
      }
      if (is_owner) good(weft_unregister(memory[3]));
#pragma omp barrier
    }
  }
}

static void unregister(int node) {
  good(weft_unregister(mine[node]));
  is(weft_unregister(mine[node]), WEFT_ERROR_RANGE);
}

int main(void) {
  on_each_node(register_memory);
  on_each_node(puts_and_gets);
  on_each_node(fenced);
  atomics();
  on_each_node(notices);
  on_each_node(refusals);
  on_each_node(revoke);
  on_each_node(find_revoked);
  on_each_node(unregister);
  come_and_go();
  return ok();
}
