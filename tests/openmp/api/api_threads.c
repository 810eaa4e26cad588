// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Where a program has its threads start: on nodes of its choice (weft_thread_on), and on those with
// the processors that a thread's attributes name. It has parallel regions as well.

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <weft/weft.h>

#include "../check.h"

enum { kMostNodes = 64 };

static cpu_set_t processors_of[kMostNodes];

static void* say_node(void* unused) {
  (void)unused;
  return (void*)(intptr_t)weft_node();
}

static int node_of_new_thread(const pthread_attr_t* attributes, void* (*function)(void*)) {
  pthread_t thread;
  void* node = NULL;
  const int error = pthread_create(&thread, attributes, function, NULL);
  EXPECT(error == 0, "pthread_create: %s", strerror(error));
  EXPECT(pthread_join(thread, &node) == 0, "pthread_join");
  return (int)(intptr_t)node;
}

// The choice is the thread's own: a new one, and any other, has Weft's.
static void* choose_for_itself(void* unused) {
  const int node = node_of_new_thread(NULL, say_node);
  EXPECT(node == (weft_nodes() > 1), "A thread's thread was on node %d.", node);
  return say_node(unused);
}

static void on_nodes_of_choice(void) {
  for (int round = 0; round < 2; ++round) {
    for (int node = weft_nodes() - 1; node >= 0; --node) {
      EXPECT(weft_thread_on(node) == WEFT_OK, "weft_thread_on(%d)", node);
      for (int turn = 0; turn < 3; ++turn) {
        const int found = node_of_new_thread(NULL, say_node);
        EXPECT(found == node, "It was on node %d, not %d.", found, node);
      }
    }
  }
  // It is on node 0, which has two then, so that its own goes elsewhere.
  EXPECT(node_of_new_thread(NULL, choose_for_itself) == 0, "The choice is forgotten.");
  EXPECT(weft_thread_on(WEFT_ANY_NODE) == WEFT_OK, "weft_thread_on(WEFT_ANY_NODE)");
  const int found = node_of_new_thread(NULL, say_node);
  EXPECT(found == (weft_nodes() > 1), "It was on node %d.", found);
}

static void nodes_that_are_not_there(void) {
  weft_thread_on(weft_nodes() - 1);
  EXPECT(weft_thread_on(weft_nodes()) == WEFT_ERROR_NODE, "a node too many");
  EXPECT(weft_thread_on(-2) == WEFT_ERROR_NODE, "a negative node");
  EXPECT(strcmp(weft_error_text(WEFT_ERROR_NODE), "there is no such node") == 0, "the text");
  const int found = node_of_new_thread(NULL, say_node);
  EXPECT(found == weft_nodes() - 1, "The choice became node %d.", found);
  weft_thread_on(WEFT_ANY_NODE);
}

static void* note_processors(void* unused) {
  pthread_getaffinity_np(pthread_self(), sizeof(cpu_set_t), &processors_of[weft_node()]);
  return say_node(unused);
}

static void* check_processor(void* unused) {
  cpu_set_t set;
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  EXPECT(CPU_COUNT(&set) == 1, "It may use %d processors.", CPU_COUNT(&set));
  for (int number = 0; number < CPU_SETSIZE; ++number) {
    if (!CPU_ISSET(number, &set)) continue;
    EXPECT(CPU_ISSET(number, &processors_of[weft_node()]), "Node %d may not use processor %d.",
           weft_node(), number);
  }
  return say_node(unused);
}

static void on_processors_of_choice(void) {
  for (int node = 0; node < weft_nodes(); ++node) {
    weft_thread_on(node);
    node_of_new_thread(NULL, note_processors);
  }
  weft_thread_on(WEFT_ANY_NODE);
  for (int node = 0; node < weft_nodes(); ++node) {
    const cpu_set_t all = processors_of[node];
    for (int number = 0; number < CPU_SETSIZE; ++number) {
      cpu_set_t one;
      pthread_attr_t attributes;
      if (!CPU_ISSET(number, &all)) continue;
      CPU_ZERO(&one);
      CPU_SET(number, &one);
      pthread_attr_init(&attributes);
      pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
      node_of_new_thread(&attributes, check_processor);
      pthread_attr_destroy(&attributes);
    }
  }
}

int main(void) {
  on_nodes_of_choice();
  nodes_that_are_not_there();
  on_processors_of_choice();
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  {
    weft_thread_on(omp_get_thread_num() % weft_nodes());
    const int found = node_of_new_thread(NULL, say_node);
    EXPECT(found == omp_get_thread_num() % weft_nodes(), "It was on node %d.", found);
    ++threads;
  }
  EXPECT(threads == omp_get_max_threads(), "There were %d threads.", threads);
  return ok();
}
