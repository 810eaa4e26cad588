// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multicasts of node 0 to all other nodes, with what comes before and behind them on single nodes, with notices, with
// errors of single nodes, and of more than a message can hold. Two nodes send at the same time, by each other.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/remote.h>

enum { kMostNodes = 64, kTurns = 40, kWords = 1 << 17, kBytes = kWords * 8, kNotified = 2, kOfFirst = 8, kOfSecond = 16 };

static weft_key keys[kMostNodes], readers[kMostNodes];
static uint64_t* memory;  // this node's: the program's threads are one a node
#pragma omp threadprivate(memory)

static void expect(int is_so, const char* what) {
  if (is_so) return;
  printf("node %d: %s\n", weft_node(), what);
  fflush(stdout);
  exit(1);
}
static void good(int error) { expect(error == WEFT_OK, weft_error_text(error)); }

static void put_everywhere(size_t offset, const void* from, size_t bytes) {
  weft_request request;
  good(weft_put_multicast(&keys[1], (size_t)weft_nodes() - 1, offset, from, bytes, NULL, &request));
  good(weft_wait(&request));
}

// A word of each node gets its last value from the last operation on it, by whatever way.
static void in_order(int node) {
  const int last = weft_nodes() - 1;
  for (uint64_t turn = 0; turn < kTurns && node == 0; turn++) {
    uint64_t value = 4 * turn;
    for (int to = 1; to <= last; to += 2) good(weft_put(&keys[to], 0, &value, 8, NULL, NULL));
    value = 4 * turn + 1;
    good(weft_put_multicast(&keys[1], (size_t)last, 0, &value, 8, NULL, NULL));
    value = 4 * turn + 2;
    good(weft_put_multicast(&keys[1], (size_t)last, 0, &value, 8, NULL, NULL));
    if (last > 5) good(weft_put_multicast(&keys[2], (size_t)last - 1, 0, &value, 8, NULL, NULL));
    value = 4 * turn + 3;
    for (int to = 1; to <= last; to++) good(weft_put(&keys[to], 0, &value, 8, NULL, NULL));
    good(weft_fence(turn % 3 == 0 ? 0 : 100));
    for (int to = 1; to <= last && turn % 3 == 0; to++) {
      uint64_t found = 0;
      weft_request request;
      good(weft_get(&found, &keys[to], 0, 8, NULL, &request));
      good(weft_wait(&request));
      expect(found == value, "an earlier operation was done last");
    }
  }
  if (node == 0) good(weft_fence(0));
#pragma omp barrier
  expect(node == 0 || memory[0] == 4 * (kTurns - 1) + 3, "an earlier operation was done last of all");
}

static void with_notices(int node) {
  weft_notice notices[kMostNodes];
  for (int to = 1; to < weft_nodes(); to++)
    notices[to - 1] = (weft_notice){.key = &keys[to], .offset = 8 * kNotified, .value = (uint64_t)to};
  for (uint64_t turn = 1; turn <= kTurns; turn++) {
    if (node == 0) {
      good(weft_put_multicast(&keys[1], (size_t)weft_nodes() - 1, 8, &turn, 8, notices, NULL));
    } else {
      good(weft_wait_for(&memory[kNotified], turn * (uint64_t)node));
      expect(memory[1] >= turn, "the notice has come before the bytes");
    }
  }
  if (node == 0) good(weft_fence(0));
}

// One key after the other lacks the right, or is revoked. The others' memories are written all the same.
static void with_errors(int node) {
  const int others = weft_nodes() - 1;
  weft_key mixed[kMostNodes];
  for (int bad = 1; bad <= others; bad++) {
    if (node == 0) {
      memcpy(mixed, keys, sizeof mixed);
      mixed[bad] = readers[bad];
      const uint64_t value = 1000 + (uint64_t)bad;
      weft_request request;
      int error = weft_put_multicast(&mixed[1], (size_t)others, 0, &value, 8, NULL, &request);
      if (error == WEFT_OK) error = weft_wait(&request);
      expect(error == (bad % 2 == 0 ? WEFT_ERROR_RIGHT : WEFT_ERROR_KEY), "the error of one node is not told");
    }
#pragma omp barrier
    if (node != 0) expect((memory[0] == 1000 + (uint64_t)bad) == (node != bad), "the wrong memories are written");
#pragma omp barrier
  }
}

static void of_much(int node) {
  uint64_t* const words = malloc(kBytes);
  for (int i = 0; i < kWords; i++) words[i] = (uint64_t)i * 77;
  if (node == 0) put_everywhere(0, words, kBytes);
#pragma omp barrier
  expect(node == 0 || memcmp(memory, words, kBytes) == 0, "other bytes have come");
  free(words);
}

// Each goes by way of the other one to some nodes, and has more for these.
static void crossing(int node) {
  weft_key order[kMostNodes];
  const int nodes = weft_nodes();
  for (int i = 1; i < nodes; i++) order[i - 1] = keys[(node + i) % nodes];
  const size_t at = node == 0 ? 8 * kOfFirst : 8 * kOfSecond;
#pragma omp barrier
  for (uint64_t turn = 1; turn <= kTurns && node < 2; turn++) {
    good(weft_put_multicast(order, (size_t)nodes - 1, at, &turn, 8, NULL, NULL));
    for (int i = 0; i < nodes - 1; i++) good(weft_put(&order[i], at + 8, &turn, 8, NULL, NULL));
  }
  if (node < 2) good(weft_fence(0));
#pragma omp barrier
  for (int i = 0; i < 2; i++) {
    expect(node == 0 || memory[kOfFirst + i] == kTurns, "a word of node 0's is lost");
    expect(node == 1 || nodes < 2 || memory[kOfSecond + i] == kTurns, "a word of node 1's is lost");
  }
}

int main(void) {
#pragma omp parallel num_threads(weft_nodes())
  {
    const int node = weft_node();
    memory = weft_register(kBytes, WEFT_RIGHT_MEMORY, &keys[node]);
    expect(memory != NULL, "no memory");
    good(weft_grant(memory, 8, node % 2 == 0 ? WEFT_RIGHT_READ : WEFT_RIGHT_MEMORY, &readers[node]));
    if (node % 2 != 0) good(weft_revoke(&readers[node]));
#pragma omp barrier
    in_order(node);
    with_notices(node);
#pragma omp barrier
    with_errors(node);
    of_much(node);
#pragma omp barrier
    memset(memory, 0, 8 * 20);
    crossing(node);
  }
  printf("right\n");
}
