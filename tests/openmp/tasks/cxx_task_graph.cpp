// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard containers as the data of a graph of tasks: what a task on one node inserts, moves and
// erases, its successors find and change on others; nodes of containers change hands; shared
// ownership ends where the last owner is.

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "../check.h"

namespace {

constexpr int kStages = 16, kItems = 200;

// A chain of tasks works on one map; what is erased from it goes on in a list.
void chain() {
  std::map<std::string, std::vector<int>> table;
  std::list<std::string> history;
  std::unordered_map<int, std::string> names;
#pragma omp parallel
#pragma omp single
  for (int stage = 0; stage < kStages; ++stage) {
#pragma omp task depend(inout : table) shared(table, names) firstprivate(stage)
    for (int i = 0; i < kItems; ++i) {
      const std::string key = "a rather long key, number " + std::to_string(i);
      table[key].push_back(stage);
      names[i] = key;
    }
#pragma omp task depend(inout : table) depend(inout : history) shared(table, history, names)
    {
      auto node = table.extract(table.begin());
      history.push_back(std::move(node.key()));
      EXPECT(names.size() == kItems, "There are %zu names.", names.size());
    }
  }
  // Erased keys come back with the next stage, but only with what was added since.
  EXPECT(history.size() == kStages, "%zu keys were taken out.", history.size());
  EXPECT(table.size() == kItems - 1, "The table has %zu keys.", table.size());
  for (const auto& [key, stages] : table) {
    EXPECT(std::is_sorted(stages.begin(), stages.end()), "%s has stages out of order.",
           key.c_str());
    EXPECT(stages.back() == kStages - 1, "%s ends with %d.", key.c_str(), stages.back());
  }
}

// Many producers and one mutex; results of different types.
void queue() {
  using Result = std::variant<int, std::string, std::vector<double>>;
  std::mutex mutex;
  std::priority_queue<int> order;
  std::deque<Result> results;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kItems; ++i) {
#pragma omp task shared(results, order, mutex) firstprivate(i)
    {
      Result result;
      if (i % 3 == 0) result = i;
      if (i % 3 == 1) result = std::string(static_cast<std::size_t>(i), 'x');
      if (i % 3 == 2) result = std::vector<double>(static_cast<std::size_t>(i), 0.5);
      const std::lock_guard guard(mutex);
      results.push_back(std::move(result));
      order.push(i);
    }
  }
  std::size_t total = 0;
  for (const Result& result : results) {
    total += std::visit(
        [](const auto& held) -> std::size_t {
          if constexpr (requires { held.size(); })
            return held.size();
          else
            return static_cast<std::size_t>(held);
        },
        result);
  }
  EXPECT(total == kItems * (kItems - 1) / 2, "The results add up to %zu.", total);
  for (int i = kItems - 1; i >= 0; --i, order.pop())
    EXPECT(order.top() == i, "%d comes before %d.", order.top(), i);
}

struct Counted {
  explicit Counted(std::atomic<int>& alive) : alive(alive) { ++alive; }
  ~Counted() { --alive; }
  std::atomic<int>& alive;
  std::string text = "text that does not fit into the string itself";
};

// Tasks capture shared pointers and functions; the last of them destroys.
void ownership() {
  std::atomic<int> alive = 0, calls = 0;
  std::weak_ptr<Counted> first;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; ++i) {
    auto shared = std::make_shared<Counted>(alive);
    if (i == 0) first = shared;
    std::function<std::size_t()> measure = [shared] { return shared->text.size(); };
    for (int j = 0; j < 4; ++j) {
#pragma omp task firstprivate(shared, measure) shared(calls)
      {
        EXPECT(shared.use_count() > 0 && measure() == 45, "Its text has length %zu.", measure());
        ++calls;
      }
    }
  }
  EXPECT(calls == 160, "%d tasks ran.", calls.load());
  EXPECT(alive == 0 && first.expired(), "%d objects are left.", alive.load());
}

// A tree, built and torn down by recursive tasks.
struct Tree {
  std::unique_ptr<Tree> left, right;
  std::optional<std::string> label;
};
std::unique_ptr<Tree> build(int depth, const std::string& path) {
  auto tree = std::make_unique<Tree>();
  if (depth == 0) {
    tree->label = path;
    return tree;
  }
#pragma omp task shared(tree) firstprivate(path)
  tree->left = build(depth - 1, path + "l");
#pragma omp task shared(tree) firstprivate(path)
  tree->right = build(depth - 1, path + "r");
#pragma omp taskwait
  return tree;
}
void collect(const Tree& tree, std::set<std::string>& labels) {
  if (tree.label) labels.insert(*tree.label);
  if (tree.left) collect(*tree.left, labels);
  if (tree.right) collect(*tree.right, labels);
}
void trees() {
  std::unique_ptr<Tree> tree;
#pragma omp parallel
#pragma omp single
  tree = build(7, "a path of some length: ");
  std::set<std::string> labels;
  collect(*tree, labels);
  EXPECT(labels.size() == 128, "The tree has %zu leaves.", labels.size());
#pragma omp parallel
#pragma omp masked filter(omp_get_num_threads() - 1)
  tree.reset();
}

// Streams of text, one for each task.
void texts() {
  std::vector<std::string> lines(kItems);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(3)
  for (int i = 0; i < kItems; ++i) {
    std::ostringstream out;
    out << "line " << i << " of " << kItems << ' ' << std::hex << i;
    lines[static_cast<std::size_t>(i)] = out.str();
  }
  for (int i = 0; i < kItems; ++i) {
    std::istringstream in(lines[static_cast<std::size_t>(i)]);
    std::string word;
    int number = -1;
    in >> word >> number;
    EXPECT(number == i, "Line %d says '%s'.", i, lines[static_cast<std::size_t>(i)].c_str());
  }
}

}  // namespace

int main() {
  chain();
  queue();
  ownership();
  trees();
  texts();
  return ok();
}
