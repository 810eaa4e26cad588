// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search trees (tsearch) and tables with a handle (hsearch_r). The C library would keep them on its
// own heap, which is private to the node. Here they are where the program's other blocks are.
//
// A tree is a treap: ordered by key, and a heap by a number that follows from the node's address.
// So its depth is about twice the logarithm, and a node needs nothing but key and children.
// Rejected: red and black nodes as in the C library: three times the code for calls that few
// programs make.
//
// All callers get these, in the child of a fork, too: a tree may have been made before it.
#include <search.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "libc/allocation/allocation.hpp"
#include "libc/interposition/interpose.hpp"
#include "process/library_state/hash_places.hpp"
#include "process/requests/calls.hpp"

namespace weft::process {
namespace {

using Compare = int (*)(const void*, const void*);

struct TreeNode {
  const void* key;  // first: the program reads it by way of the node's address
  TreeNode* less;
  TreeNode* more;
};
using Tree = TreeNode*;

std::uint64_t height_of(Tree node) {
  auto mixed = reinterpret_cast<std::uintptr_t>(node) * 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93U;
  return mixed ^ (mixed >> 32);
}

void* allocate(const void* caller, std::size_t bytes) {
  return job_of_caller(caller) != nullptr ? libc::program_allocate(bytes) : std::malloc(bytes);
}

// Where the node with this key hangs, or would; `parent` is the node above.
Tree* find(Tree* at, const void* key, Compare compare, Tree* parent = nullptr) {
  while (*at != nullptr) {
    const int order = compare(key, (*at)->key);
    if (order == 0) break;
    if (parent != nullptr) *parent = *at;
    at = order < 0 ? &(*at)->less : &(*at)->more;
  }
  return at;
}

void split(Tree tree, const void* key, Compare compare, Tree* less, Tree* more) {
  while (tree != nullptr) {
    if (compare(key, tree->key) < 0) {
      *more = tree;
      more = &tree->less;
      tree = tree->less;
    } else {
      *less = tree;
      less = &tree->more;
      tree = tree->more;
    }
  }
  *less = *more = nullptr;
}

Tree join(Tree less, Tree more) {
  Tree joined = nullptr;
  Tree* at = &joined;
  while (less != nullptr && more != nullptr) {
    if (height_of(less) > height_of(more)) {
      *at = less;
      at = &less->more;
      less = less->more;
    } else {
      *at = more;
      at = &more->less;
      more = more->less;
    }
  }
  *at = less != nullptr ? less : more;
  return joined;
}

void insert(Tree* at, Tree node, Compare compare) {
  while (*at != nullptr && height_of(*at) > height_of(node)) {
    at = compare(node->key, (*at)->key) < 0 ? &(*at)->less : &(*at)->more;
  }
  split(*at, node->key, compare, &node->less, &node->more);
  *at = node;
}

template <typename Visit>
void walk(Tree node, int depth, const Visit& visit) {
  if (node->less == nullptr && node->more == nullptr) return visit(node, leaf, depth);
  visit(node, preorder, depth);
  if (node->less != nullptr) walk(node->less, depth + 1, visit);
  visit(node, postorder, depth);
  if (node->more != nullptr) walk(node->more, depth + 1, visit);
  visit(node, endorder, depth);
}

void destroy(Tree node, __free_fn_t free_key) {
  if (node == nullptr) return;
  destroy(node->less, free_key);
  destroy(node->more, free_key);
  free_key(const_cast<void*>(node->key));
  libc::release(node);
}

}  // namespace

WEFT_ENTRY(void*, tsearch, const void* key, void** root, Compare compare) {
  if (root == nullptr) return nullptr;
  auto* const tree = reinterpret_cast<Tree*>(root);
  if (Tree* const found = find(tree, key, compare); *found != nullptr) return *found;
  auto* const node = static_cast<Tree>(allocate(__builtin_return_address(0), sizeof(TreeNode)));
  if (node == nullptr) return nullptr;
  *node = {key, nullptr, nullptr};
  insert(tree, node, compare);
  return node;
}
WEFT_ENTRY(void*, tfind, const void* key, void* const* root, Compare compare) {
  if (root == nullptr) return nullptr;
  return *find(reinterpret_cast<Tree*>(const_cast<void**>(root)), key, compare);
}
// The node above, or, of the root, something that is not null.
WEFT_ENTRY(void*, tdelete, const void* key, void** root, Compare compare) {
  if (root == nullptr) return nullptr;
  Tree parent = nullptr;
  Tree* const at = find(reinterpret_cast<Tree*>(root), key, compare, &parent);
  Tree const node = *at;
  if (node == nullptr) return nullptr;
  *at = join(node->less, node->more);
  libc::release(node);
  return parent != nullptr ? static_cast<void*>(parent) : root;
}
WEFT_ENTRY(void, twalk, const void* root, __action_fn_t action) {
  if (root == nullptr || action == nullptr) return;
  walk(static_cast<Tree>(const_cast<void*>(root)), 0, action);
}
WEFT_ENTRY(void, twalk_r, const void* root, void (*action)(const void*, VISIT, void*),
           void* closure) {
  if (root == nullptr || action == nullptr) return;
  walk(static_cast<Tree>(const_cast<void*>(root)), 0,
       [=](Tree node, VISIT visit, int) { action(node, visit, closure); });
}
WEFT_ENTRY(void, tdestroy, void* root, __free_fn_t free_key) {
  destroy(static_cast<Tree>(root), free_key);
}

// --- tables with a handle, which has the places, how many there are, and how many are used ---

WEFT_ENTRY(int, hcreate_r, std::size_t entries, hsearch_data* table) {
  if (table == nullptr || entries > kMostEntries) {
    errno = table == nullptr ? EINVAL : ENOMEM;
    return 0;
  }
  if (table->table != nullptr) return 0;
  const std::size_t count = places_for(entries);
  void* const places = allocate(__builtin_return_address(0), count * sizeof(ENTRY));
  if (places == nullptr) return 0;
  std::memset(places, 0, count * sizeof(ENTRY));
  *table = {static_cast<_ENTRY*>(places), static_cast<unsigned>(count), 0};
  return 1;
}
WEFT_ENTRY(int, hsearch_r, ENTRY wanted, ACTION action, ENTRY** found, hsearch_data* table) {
  auto* const places = reinterpret_cast<ENTRY*>(table->table);
  ENTRY* const place = places == nullptr ? nullptr : place_of(places, table->size, wanted.key);
  *found = place;
  if (place != nullptr && place->key != nullptr) return 1;
  *found = nullptr;
  if (place == nullptr || action == FIND || table->filled + 1 == table->size) {
    errno = action == FIND ? ESRCH : ENOMEM;
    return 0;
  }
  ++table->filled;
  *place = wanted;
  *found = place;
  return 1;
}
WEFT_ENTRY(void, hdestroy_r, hsearch_data* table) {
  if (table == nullptr) {
    errno = EINVAL;
    return;
  }
  libc::release(table->table);
  table->table = nullptr;
}

}  // namespace weft::process
