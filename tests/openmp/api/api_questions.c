// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program asks of weft/weft.h: nodes, homes, and memory on a node of its choice.
//
// environment: WEFT_SPREAD=auto

#include <errno.h>
#include <malloc.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <weft/weft.h>

#include "../check.h"

enum { kPage = 4096, kPages = 20, kMostNodes = 64 };

static int node_of_thread[4 * kMostNodes];
static char variable[kPage];
static unsigned char* blocks[kMostNodes];

// Threads of a team are numbered node after node.
static void nodes_and_threads(void) {
  EXPECT(weft_node() == 0, "main runs on node %d", weft_node());
  const int nodes = weft_nodes();
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    node_of_thread[omp_get_thread_num()] = weft_node();
    EXPECT(weft_nodes() == nodes, "there are %d nodes, or %d", nodes, weft_nodes());
  }
  EXPECT(threads % nodes == 0, "%d threads on %d nodes", threads, nodes);
  for (int thread = 0; thread < threads; thread++)
    EXPECT(node_of_thread[thread] == thread / (threads / nodes), "thread %d is on node %d", thread,
           node_of_thread[thread]);
}

static void check_block(const unsigned char* block, int node) {
  for (int page = 0; page < kPages; page++) {
    const int home = weft_home_of(block + page * kPage + page);
    EXPECT(home == node, "page %d of node %d has its home on %d", page, node, home);
  }
}

static void memory_on_nodes(void) {
  const int nodes = weft_nodes();
  for (int node = 0; node < nodes; node++) {
    blocks[node] = weft_alloc_on(node, kPages * kPage);
    EXPECT(blocks[node] != NULL, "no memory on node %d: %s", node, strerror(errno));
    EXPECT((uintptr_t)blocks[node] % kPage == 0, "a block begins at %p", (void*)blocks[node]);
    EXPECT(malloc_usable_size(blocks[node]) >= kPages * kPage, "a block has %zu bytes",
           malloc_usable_size(blocks[node]));
    check_block(blocks[node], node);
  }
#pragma omp parallel
  {
    for (int node = 0; node < nodes; node++) check_block(blocks[node], node);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < nodes * kPages * kPage; i++)
      blocks[i / (kPages * kPage)][i % (kPages * kPage)] = (unsigned char)(i % 251);
    // A block of each thread's own, from each node, of which others free one.
#pragma omp critical
    for (int node = 0; node < nodes; node++) {
      unsigned char* own = weft_alloc_on(node, 100);
      memset(own, 7, 100);
      free(own);
    }
  }
  for (int i = 0; i < nodes * kPages * kPage; i++)
    EXPECT(blocks[i / (kPages * kPage)][i % (kPages * kPage)] == i % 251, "byte %d is wrong", i);
#pragma omp parallel
#pragma omp single
  for (int node = 0; node < nodes; node++) free(blocks[node]);
  // Freed blocks are used again, and may be resized.
  for (int round = 0; round < 30; round++) {
    const int node = round % nodes;
    char* block = weft_alloc_on(node, 3 * kPage);
    EXPECT(block != NULL, "no memory in round %d", round);
    memset(block, round, 3 * kPage);
    block = realloc(block, 9 * kPage);
    for (int i = 0; i < 3 * kPage; i++) EXPECT(block[i] == round, "byte %d in round %d", i, round);
    free(block);
#pragma omp parallel
    {}
  }
}

static void refusals(void) {
  int local = 0;
  for (int node = -1; node <= weft_nodes(); node += weft_nodes() + 1) {
    errno = 0;
    EXPECT(weft_alloc_on(node, 8) == NULL && errno == EINVAL, "node %d: %s", node, strerror(errno));
  }
  for (int node = 0; node < weft_nodes(); node++) {
    errno = 0;
    EXPECT(weft_alloc_on(node, SIZE_MAX / 2) == NULL && errno == ENOMEM, "on %d: %s", node,
           strerror(errno));
    void* nothing = weft_alloc_on(node, 0);
    EXPECT(nothing != NULL, "no bytes are no block on %d", node);
    free(nothing);
  }
  EXPECT(weft_home_of(NULL) == WEFT_ERROR_RANGE, "null has a home");
  EXPECT(weft_home_of(variable) == 0, "a variable has its home on %d", weft_home_of(variable));
  EXPECT(weft_home_of(&local) >= 0, "the stack has no home: %d", weft_home_of(&local));
  for (int error = -4; error <= 0; error++)
    EXPECT(strlen(weft_error_text(error)) > 5, "error %d has no text", error);
  EXPECT(strcmp(weft_error_text(-99), weft_error_text(WEFT_ERROR_RANGE)) != 0, "all is one");
  EXPECT(strcmp(weft_error_text(WEFT_ERROR_SIZE), weft_error_text(WEFT_ERROR_ACCESS)) != 0,
         "all is one");
}

int main(void) {
  nodes_and_threads();
  memory_on_nodes();
  refusals();
  return ok();
}
