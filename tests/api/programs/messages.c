// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Node 0 does one kind of remote memory operation, kTurns times, as the argument names it. tests/api/run counts the
// messages that each node sends for that, beside "none".
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <weft/remote.h>

enum { kMostNodes = 64, kTurns = 200, kWords = 64 };

static weft_key keys[kMostNodes], fifo_keys[kMostNodes];
static int is_wrong;

static void need(int result) {
  if (result != WEFT_OK) is_wrong = 1;
}

struct node {
  int number, last;
  uint64_t* memory;
  weft_fifo* fifo;
};

static int is(const char* way, const char* name) { return strcmp(way, name) == 0; }

static uint64_t take(const struct node* here) {
  uint64_t value = 0;
  size_t bytes = 0;
  need(weft_fifo_get(here->fifo, &value, sizeof value, &bytes));
  return value;
}

// There and back, between node 0 and the last one.
static void by_fifo(const struct node* here) {
  const int peer = here->number == 0 ? here->last : 0;
  for (uint64_t turn = 0; turn < kTurns; turn++) {
    if (here->number != 0 && take(here) != turn) is_wrong = 1;
    need(weft_fifo_put(&fifo_keys[peer], &turn, sizeof turn, NULL));
    if (here->number == 0 && take(here) != turn) is_wrong = 1;
  }
}

static void expect_put(const struct node* here, uint64_t turn) {
  need(weft_wait_for(here->memory, turn));
  if (here->memory[1] != turn) is_wrong = 1;
}

static void by_notice(const struct node* here) {
  const int peer = here->number == 0 ? here->last : 0;
  for (uint64_t turn = 1; turn <= kTurns; turn++) {
    const weft_notice arrived = {.key = &keys[peer], .offset = 0, .value = 1};
    if (here->number != 0) expect_put(here, turn);
    need(weft_put(&keys[peer], 8, &turn, sizeof turn, &arrived, NULL));
    if (here->number == 0) expect_put(here, turn);
  }
}

// Nobody answers: the fence has to ask for what waits there.
static void by_fenced_fifo(const struct node* here) {
  for (uint64_t turn = 0; turn < kTurns; turn++) {
    if (here->number == here->last) take(here);
    if (here->number != 0) continue;
    need(weft_fifo_put(&fifo_keys[here->last], &turn, sizeof turn, NULL));
    need(weft_fence(0));
  }
}

static void by_put(const struct node* here) {
  for (uint64_t turn = 0; turn < kTurns && here->number == 0; turn++) {
    weft_request request;
    need(weft_put(&keys[here->last], 0, &turn, sizeof turn, NULL, &request));
    need(weft_wait(&request));
  }
}

// To all other nodes.
static void by_multicast(const struct node* here) {
  for (uint64_t turn = 0; turn < kTurns && here->number == 0; turn++) {
    weft_request request;
    need(weft_put_multicast(&keys[1], (size_t)here->last, 0, &turn, sizeof turn, NULL, &request));
    need(weft_wait(&request));
  }
}

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "none";
#pragma omp parallel num_threads(weft_nodes())
  {
    struct node here = {.number = weft_node(), .last = weft_nodes() - 1};
    here.memory = weft_register(kWords * sizeof(uint64_t), WEFT_RIGHT_MEMORY, &keys[here.number]);
    here.fifo = weft_fifo_open(kTurns, sizeof(uint64_t), &fifo_keys[here.number]);
    if (here.memory == NULL || here.fifo == NULL) is_wrong = 1;
#pragma omp barrier
    const int takes_part = here.number == 0 || here.number == here.last;
    if (takes_part && is(way, "fifo")) by_fifo(&here);
    if (takes_part && is(way, "fenced-fifo")) by_fenced_fifo(&here);
    if (takes_part && is(way, "notice")) by_notice(&here);
    if (is(way, "put")) by_put(&here);
    if (is(way, "multicast")) by_multicast(&here);
#pragma omp barrier
    if (is(way, "multicast") && here.number != 0 && here.memory[0] != kTurns - 1) is_wrong = 1;
  }
  printf(is_wrong ? "wrong\n" : "right\n");
  return is_wrong;
}
