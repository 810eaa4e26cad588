// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remote memory operations with strides, of lists and to many nodes at once; and the same calls on
// shared memory.
//
// environment: WEFT_SPREAD=auto

#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <weft/remote.h>

#include "outcomes.h"

enum { kMostNodes = 64, kRows = 300, kColumns = 400 };

static weft_key keys[kMostNodes];
static double* matrices[kMostNodes];
static double shared[kRows][kColumns];
static weft_key shared_key;

static double element(int node, int row, int column) { return node * 1e6 + row * 1e3 + column; }

// A column block of the matrix behind the key, from another layout, and back.
static void strided(const weft_key* key, int node, int left, int width) {
  static double packed[kMostNodes][kRows][kColumns];  // shared: each node uses its own
  double (*const mine)[kColumns] = packed[node];
  const size_t row = sizeof shared[0], bytes = sizeof(double) * (size_t)width;
  const size_t at = sizeof(double) * (size_t)left;
  for (int i = 0; i < kRows; i++)
    for (int j = 0; j < width; j++) mine[i][j] = element(node, i, left + j);
  weft_request request;
  good(weft_put_strided(key, at, row, mine, row, bytes, kRows, NULL, &request));
  memset(mine, 0, sizeof packed[node]);
  good(weft_wait(&request));
  // Into rows that lie one behind the other.
  good(weft_get_strided(mine, bytes, key, at, row, bytes, kRows, NULL, &request));
  good(weft_wait(&request));
  const double* const rows = &mine[0][0];
  for (int i = 0; i < kRows; i++)
    for (int j = 0; j < width; j++)
      EXPECT(rows[i * width + j] == element(node, i, left + j), "row %d, column %d: %g", i, j,
             rows[i * width + j]);
  is(weft_put_strided(key, at, bytes - 1, mine, row, bytes, 2, NULL, &request), WEFT_ERROR_SIZE);
  is(weft_put_strided(key, at, row, mine, bytes - 1, bytes, 2, NULL, &request), WEFT_ERROR_SIZE);
  int error = weft_put_strided(key, at, row, mine, row, bytes, kRows + 1, NULL, &request);
  if (error == WEFT_OK) error = weft_wait(&request);
  is(error, WEFT_ERROR_RANGE);
}

// Pieces of rows, some of them long.
static void lists(const weft_key* key, int node, int left, int width) {
  enum { kPieces = 20 };
  static double from[kMostNodes][kPieces][kColumns], into[kMostNodes][kPieces][kColumns];
  weft_piece pieces[kPieces], back[kPieces];
  for (int i = 0; i < kPieces; i++) {
    const int row = i * kRows / kPieces, length = width > i ? width - i : 1;
    for (int j = 0; j < length; j++) from[node][i][j] = element(node + 1, row, left + j);
    pieces[i] =
        (weft_piece){.offset = sizeof shared[0] * (size_t)row + sizeof(double) * (size_t)left,
                     .memory = from[node][i],
                     .bytes = sizeof(double) * (size_t)length};
    back[i] = pieces[i];
    back[i].memory = into[node][i];
  }
  weft_request request;
  good(weft_put_list(key, pieces, kPieces, NULL, &request));
  good(weft_wait(&request));
  good(weft_get_list(key, back, kPieces, NULL, &request));
  good(weft_wait(&request));
  for (int i = 0; i < kPieces; i++)
    EXPECT(memcmp(from[node][i], into[node][i], pieces[i].bytes) == 0, "piece %d is another", i);
  good(weft_put_list(key, NULL, 0, NULL, NULL));
  back[3].offset = SIZE_MAX / 2;
  int error = weft_get_list(key, back, kPieces, NULL, &request);
  if (error == WEFT_OK) error = weft_wait(&request);
  is(error, WEFT_ERROR_RANGE);
}

static void registered(void) {
#pragma omp parallel
  {
    const int nodes = weft_nodes(), node = weft_node();
    const int first = omp_get_thread_num() % (omp_get_num_threads() / nodes) == 0;
    if (first) matrices[node] = weft_register(sizeof shared, WEFT_RIGHT_MEMORY, &keys[node]);
    const int width = kColumns / nodes;
#pragma omp barrier
    for (int to = 0; first && to < nodes; to++) {
      strided(&keys[to], node, width * node, width);
      lists(&keys[to], node, width * node, width);
    }
#pragma omp barrier
  }
}

// Node by node: the same bytes to all others, and a count of arrivals behind them.
static void multicasts(void) {
#pragma omp parallel
  {
    const int nodes = weft_nodes(), node = weft_node();
    const int first = omp_get_thread_num() % (omp_get_num_threads() / nodes) == 0;
    uint64_t* const counter = (uint64_t*)matrices[node] + kColumns * (kRows - 1);
    if (first) memset(matrices[node], 0, sizeof shared);
#pragma omp barrier
    for (int from = 0; first && from < nodes; from++) {
      if (node == from) {
        static double message[kMostNodes][5000];
        weft_notice notices[kMostNodes];
        for (int i = 0; i < 5000; i++) message[node][i] = element(from, 0, i);
        for (int to = 0; to < nodes; to++)
          notices[to] =
              (weft_notice){.key = &keys[to], .offset = sizeof shared[0] * (kRows - 1), .value = 1};
        weft_request request;
        good(weft_put_multicast(keys, (size_t)nodes, 0, message[node], sizeof message[node],
                                notices, &request));
        good(weft_wait(&request));
        weft_key some[3] = {keys[node], keys[node], keys[node]};
        some[1].secret++;
        int error = weft_put_multicast(some, 3, 8, message[node] + 1, 8, NULL, &request);
        if (error == WEFT_OK) error = weft_wait(&request);
        is(error, WEFT_ERROR_KEY);
      }
      good(weft_wait_for(counter, (uint64_t)from + 1));
      // The next node writes when all have read: they tell it by its own counter.
      const double last = ((volatile double*)matrices[node])[4999];
      EXPECT(last == element(from, 0, 4999), "from node %d: %g", from, last);
      const int next = (from + 1) % nodes;
      const weft_notice read = {
          .key = &keys[next], .offset = sizeof shared[0] * (kRows - 1) + 8, .value = 1};
      good(weft_put(&keys[next], 0, &last, 0, &read, NULL));
      if (node == next) good(weft_wait_for(counter + 1, (uint64_t)nodes));
      good(weft_fence(0));
    }
#pragma omp barrier
    if (first) good(weft_unregister(matrices[node]));
  }
}

static void on_shared_memory(void) {
  good(weft_shared_key(shared, sizeof shared, &shared_key));
#pragma omp parallel
  {
    const int all = omp_get_num_threads(), me = omp_get_thread_num();
    if (me % (all / weft_nodes()) == 0) {
      const int width = kColumns / weft_nodes();
      strided(&shared_key, weft_node(), width * weft_node(), width);
#pragma omp critical
      lists(&shared_key, weft_node(), width * weft_node(), width);
    }
#pragma omp barrier
    const int64_t one = 1;
    for (int i = 0; i < 50; i++) {
      int64_t old = -1;
      good(weft_atomic(&shared_key, 0, WEFT_OP_ADD, WEFT_INT64, &one, NULL, i % 2 ? &old : NULL,
                       NULL, NULL));
    }
  }
  int64_t sum;
  memcpy(&sum, &shared[0][0], sizeof sum);
  int64_t first;
  const double before = element(1, 0, 0);  // of the lists, by node 0
  memcpy(&first, &before, sizeof first);
  EXPECT(sum - first == 50LL * omp_get_max_threads(), "the sum is %lld", (long long)(sum - first));
  double value = 0;
  weft_request request;
  is(weft_put(&shared_key, sizeof shared - 7, &value, 8, NULL, &request), WEFT_ERROR_RANGE);
  is(weft_atomic(&shared_key, 4, WEFT_OP_ADD, WEFT_INT64, &sum, NULL, NULL, NULL, NULL),
     WEFT_ERROR_OPERATION);
  is(weft_fifo_put(&shared_key, &value, 8, NULL), WEFT_ERROR_RIGHT);
  is(weft_shared_key(NULL, 8, &shared_key), WEFT_ERROR_RANGE);
}

int main(void) {
  registered();
  multicasts();
  on_shared_memory();
  return ok();
}
