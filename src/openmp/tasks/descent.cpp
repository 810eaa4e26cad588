// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tasks/descent.hpp"

#include <algorithm>

namespace weft::openmp::tasks {
namespace {

// A recursion deeper than that is not followed over a further node. A thread that waits for a
// task so far out does not get this one then, which it might have.
constexpr std::size_t kMostAncestors = 1024;

}  // namespace

bool may_take(const Task& task, const Task* waiting) {
  if (waiting == nullptr || !task.tied) return true;
  const Task* t = &task;
  while (t->parent != nullptr && t->level > waiting->level) {
    t = t->parent;
    if (t == waiting) return true;
  }
  // The rest of its ancestors is on other nodes, where it came from.
  return t->ancestors != nullptr && t->level > waiting->level &&
         std::ranges::find(*t->ancestors, waiting->number) != t->ancestors->end();
}

bool may_give(const Task& task, Number waiting) {
  if (waiting == 0 || !task.tied) return true;
  const Task* t = &task;
  while (t->parent != nullptr) {
    t = t->parent;
    if (t->number == waiting) return true;
  }
  return t->ancestors != nullptr &&
         std::ranges::find(*t->ancestors, waiting) != t->ancestors->end();
}

std::vector<Number> ancestors_of(const Task& task) {
  std::vector<Number> result;
  const Task* t = &task;
  for (; t->parent != nullptr && result.size() < kMostAncestors; t = t->parent) {
    result.push_back(t->parent->number);
  }
  if (t->ancestors != nullptr) {
    for (const Number number : *t->ancestors) {
      if (result.size() >= kMostAncestors) break;
      result.push_back(number);
    }
  }
  return result;
}

std::vector<GroupName> names_from(const Group* group) {
  std::vector<GroupName> result;
  for (; group != nullptr; group = group->outer) {
    if (group->elsewhere.empty()) {
      result.push_back(group->name);
    } else {
      result.insert(result.end(), group->elsewhere.begin(), group->elsewhere.end());
    }
  }
  return result;
}

}  // namespace weft::openmp::tasks
