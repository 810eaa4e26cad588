// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// tsearch and hsearch_r: trees and tables that threads of all nodes change in turn.

#include <errno.h>
#include <omp.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { kKeys = 400, kStep = 7 };

static int keys[kKeys];
static void* root;
static struct hsearch_data table;
static char names[kKeys][8];

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static int me(void) { return omp_get_thread_num(); }

// In an order that would make a list of a tree without balance.
static void enter(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < kKeys; ++i) {
#pragma omp ordered
    {
      keys[i] = i;
      int** const node = tsearch(&keys[i], &root, compare);
      EXPECT(node != NULL && *node == &keys[i], "thread %d cannot enter %d", me(), i);
      const int same = i;
      EXPECT(tsearch(&same, &root, compare) == node, "%d is entered twice", i);
    }
  }
}

static void find_all(int removed_below) {
#pragma omp parallel for
  for (int i = 0; i < kKeys; ++i) {
    const int wanted = i;
    int** const node = tfind(&wanted, &root, compare);
    const bool is_there = i >= removed_below || i % kStep != 0;
    EXPECT((node != NULL) == is_there, "thread %d: %d", me(), i);
    if (node != NULL) EXPECT(**node == i, "%d is %d", i, **node);
  }
}

static void delete_below(int end) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < end; i += kStep) {
#pragma omp ordered
    {
      EXPECT(tdelete(&keys[i], &root, compare) != NULL, "thread %d cannot delete %d", me(), i);
      EXPECT(tdelete(&keys[i], &root, compare) == NULL, "%d is deleted twice", i);
    }
  }
}

static int visited, last_key, deepest;

static void visit(const void* node, VISIT which, int depth) {
  if (depth > deepest) deepest = depth;
  if (which != postorder && which != leaf) return;
  const int key = **(int* const*)node;
  EXPECT(key > last_key, "%d comes after %d", key, last_key);
  last_key = key;
  ++visited;
}
static void count_into(const void* node, VISIT which, void* counter) {
  if (which == postorder || which == leaf) *(int*)counter += **(int* const*)node;
}

static void walk(void) {
#pragma omp parallel
#pragma omp critical
  {
    visited = deepest = 0;
    last_key = -1;
    twalk(root, visit);
    const int removed = (kKeys / 2 + kStep - 1) / kStep;
    EXPECT(visited == kKeys - removed, "thread %d visited %d", me(), visited);
    EXPECT(deepest < 60, "the tree is %d deep", deepest);
    int sum = 0, expected = 0;
    twalk_r(root, count_into, &sum);
    for (int i = 0; i < kKeys; ++i) {
      if (i >= kKeys / 2 || i % kStep != 0) expected += i;
    }
    EXPECT(sum == expected, "the sum is %d, not %d", sum, expected);
  }
}

static int freed;
static void note_freed(void* key) { freed += *(int*)key >= 0; }

static void destroy(void) {
#pragma omp parallel
#pragma omp masked filter(omp_get_num_threads() - 1)
  tdestroy(root, note_freed);
  EXPECT(freed == visited, "%d of %d are freed", freed, visited);
  root = NULL;
}

static void tables(void) {
#pragma omp parallel
#pragma omp masked filter(omp_get_num_threads() - 1)
  EXPECT(hcreate_r(kKeys, &table) != 0, "hcreate_r");
  ENTRY* found;
#pragma omp parallel for ordered schedule(static, 1) private(found)
  for (int i = 0; i < kKeys; ++i) {
#pragma omp ordered
    {
      snprintf(names[i], sizeof names[i], "k%d", i);
      EXPECT(hsearch_r((ENTRY){names[i], &keys[i]}, ENTER, &found, &table) != 0, "ENTER %d", i);
    }
  }
#pragma omp parallel for private(found)
  for (int i = 0; i < kKeys; ++i) {
    EXPECT(hsearch_r((ENTRY){names[i], NULL}, FIND, &found, &table) != 0 && found->data == &keys[i],
           "FIND %d", i);
  }
  EXPECT(hsearch_r((ENTRY){"none", NULL}, FIND, &found, &table) == 0 && errno == ESRCH,
         "found none");
  hdestroy_r(&table);
}

int main(void) {
  enter();
  find_all(0);
  delete_below(kKeys / 2);
  find_all(kKeys / 2);
  walk();
  destroy();
  tables();
  return ok();
}
