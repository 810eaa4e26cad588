// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the primes below a limit: threads take pieces of work from a counter in the memory of node
// 0, and send what they find to a queue that node 0 reads.
//
//   queue [LIMIT [PIECE]]
//
// No lock and no barrier is in the loop, and no page of memory goes to and fro: the counter is
// changed where it lies, and each result is one message. The pieces at the end take longer than
// those at the beginning, so who is done takes the next. On one node the same calls work on the
// memory of the process. Compile with weftcc.

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/remote.h>

typedef struct {
  uint64_t piece, primes, last;
} Found;

static weft_key counter_key, queue_key;

static void die(const char* sentence) {
  fprintf(stderr, "queue: %s\n", sentence);
  exit(1);
}

static void check(int result) {
  if (result != WEFT_OK) die(weft_error_text(result));
}

static int is_prime(uint64_t number) {
  if (number < 4) return number > 1;
  if (number % 2 == 0) return 0;
  for (uint64_t i = 3; i * i <= number; i += 2)
    if (number % i == 0) return 0;
  return 1;
}

static uint64_t next_piece(void) {
  const uint64_t one = 1;
  uint64_t piece = 0;
  weft_request request;
  check(weft_atomic(&counter_key, 0, WEFT_OP_ADD, WEFT_UINT64, &one, NULL, &piece, NULL, &request));
  check(weft_wait(&request));
  return piece;
}

static void find(uint64_t limit, uint64_t size, uint64_t pieces) {
  for (uint64_t piece = next_piece(); piece < pieces; piece = next_piece()) {
    Found found = {.piece = piece};
    const uint64_t end = (piece + 1) * size < limit ? (piece + 1) * size : limit;
    for (uint64_t number = piece * size; number < end; number++) {
      if (!is_prime(number)) continue;
      found.primes++;
      found.last = number;
    }
    check(weft_fifo_put(&queue_key, &found, sizeof found, NULL));
  }
  check(weft_fence(0));
}

// By one thread of node 0, while the others search.
static Found collect(weft_fifo* queue, uint64_t pieces) {
  Found all = {0};
  for (uint64_t i = 0; i < pieces; i++) {
    Found found;
    size_t bytes;
    check(weft_fifo_get(queue, &found, sizeof found, &bytes));
    all.piece += found.piece;
    all.primes += found.primes;
    if (found.last > all.last) all.last = found.last;
  }
  return all;
}

int main(int argc, char** argv) {
  const long limit = argc > 1 ? atol(argv[1]) : 2000000, size = argc > 2 ? atol(argv[2]) : 1000;
  if (limit < 1 || size < 1 || argc > 3) die("usage: queue [LIMIT [PIECE]]");
  const uint64_t pieces = ((uint64_t)limit + (uint64_t)size - 1) / (uint64_t)size;
  void* const counter = weft_register(sizeof(uint64_t), WEFT_RIGHT_ATOMIC, &counter_key);
  // Whoever is alone puts all of it there before it reads.
  weft_fifo* const queue = weft_fifo_open((size_t)pieces, sizeof(Found), &queue_key);
  if (counter == NULL || queue == NULL) die("There is not enough memory for this many pieces.");

  Found all = {0};
#pragma omp parallel
  {
    if (omp_get_thread_num() > 0 || omp_get_num_threads() == 1)
      find((uint64_t)limit, (uint64_t)size, pieces);
    if (omp_get_thread_num() == 0) all = collect(queue, pieces);
  }
  check(weft_fifo_close(queue));
  check(weft_unregister(counter));

  if (all.piece != pieces * (pieces - 1) / 2) die("A piece of work is missing.");
  if (limit > 2 && !is_prime(all.last)) die("The greatest prime is none.");
  printf("%lu primes\nchecksum: %lu\nverified\n", (unsigned long)all.primes,
         (unsigned long)(all.primes + all.last));
  return 0;
}
