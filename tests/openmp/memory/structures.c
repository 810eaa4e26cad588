// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked structures built by many threads and walked by others: lists, a tree, a hash table.

#include <omp.h>
#include <string.h>

#include "../check.h"

typedef struct Tree {
  struct Tree *left, *right;
  int key;
  char name[24];
} Tree;

typedef struct Item {
  struct Item* next;
  int key;
} Item;

enum { kKeys = 400, kSlots = 37 };

static void insert(Tree** at, int key) {
  while (*at) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  Tree* node = calloc(1, sizeof *node);
  node->key = key;
  snprintf(node->name, sizeof node->name, "key %d", key);
  *at = node;
}

static int walk(Tree* node, int* expected) {
  if (!node) return 0;
  int count = walk(node->left, expected);
  char name[24];
  snprintf(name, sizeof name, "key %d", *expected);
  EXPECT(node->key == *expected && !strcmp(node->name, name), "Found '%s' for %d.", node->name,
         *expected);
  *expected += 1;
  count += 1 + walk(node->right, expected);
  free(node);
  return count;
}

static void tree(void) {
  Tree* root = NULL;
#pragma omp parallel for schedule(dynamic, 5)
  for (int i = 0; i < kKeys; ++i) {
#pragma omp critical(tree)
    insert(&root, i * 151 % kKeys);
  }
  int expected = 0, count = 0;
#pragma omp parallel
#pragma omp single
  count = walk(root, &expected);
  EXPECT(count == kKeys, "The tree has %d nodes.", count);
}

static void hash_table(void) {
  static Item* slots[kSlots];
  static omp_lock_t locks[kSlots];
  for (int s = 0; s < kSlots; ++s) omp_init_lock(&locks[s]);
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < kKeys; ++i) {
    Item* item = malloc(sizeof *item);
    const int slot = i * 7 % kSlots;
    item->key = i;
    omp_set_lock(&locks[slot]);
    item->next = slots[slot];
    slots[slot] = item;
    omp_unset_lock(&locks[slot]);
  }
  static int found[kKeys];
#pragma omp parallel for schedule(dynamic)
  for (int s = 0; s < kSlots; ++s)
    for (Item* item = slots[s]; item;) {
      Item* next = item->next;
      EXPECT(item->key * 7 % kSlots == s, "Key %d is in slot %d.", item->key, s);
      found[item->key] += 1;
      free(item);
      item = next;
    }
  for (int i = 0; i < kKeys; ++i) EXPECT(found[i] == 1, "Key %d was found %d times.", i, found[i]);
  for (int s = 0; s < kSlots; ++s) omp_destroy_lock(&locks[s]);
}

// Lists made privately, joined under a reduction of their ends.
static void joined_lists(void) {
  Item* head = NULL;
#pragma omp parallel
  {
    Item* mine = NULL;
#pragma omp for nowait
    for (int i = 0; i < kKeys; ++i) {
      Item* item = malloc(sizeof *item);
      *item = (Item){mine, i};
      mine = item;
    }
    Item* last = mine;
    while (last && last->next) last = last->next;
#pragma omp critical
    if (last) {
      last->next = head;
      head = mine;
    }
  }
  long sum = 0;
  int count = 0;
  while (head) {
    Item* next = head->next;
    sum += head->key;
    count += 1;
    free(head);
    head = next;
  }
  EXPECT(count == kKeys && sum == kKeys * (kKeys - 1) / 2, "%d items, sum %ld.", count, sum);
}

int main(void) {
  tree();
  hash_table();
  joined_lists();
  return ok();
}
