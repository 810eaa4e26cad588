// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::atomic of integers, floats, pointers, enumerations and small structs, on the heap and
// static.

#include <omp.h>

#include <atomic>
#include <memory>
#include <vector>

#include "../check.h"

namespace {

constexpr int kRounds = 25;

enum class Phase : short { kIdle, kBusy };

struct Pair {
  int left, right;
  bool operator==(const Pair&) const = default;
};

std::atomic<int> counter{5};
std::atomic<Phase> phase{Phase::kIdle};
std::atomic<Pair> pair{Pair{0, 0}};
std::atomic_flag flag;

struct Node {
  int value;
  Node* next;
};

void count() {
  auto on_heap = std::make_unique<std::atomic<long>>(0);
  std::atomic<double> real{0};  // on the main thread's stack
  std::atomic<bool> any{false};
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    ++counter;
    counter.fetch_sub(3, std::memory_order_relaxed);
    on_heap->fetch_add(1);
    real.fetch_add(0.25);
    any.store(true, std::memory_order_release);
    Pair seen = pair.load();
    while (!pair.compare_exchange_strong(seen, Pair{seen.left + 1, seen.right - 1})) {
    }
  }
  const int n = omp_get_max_threads() * kRounds;
  EXPECT(counter == 5 - 2 * n, "The counter is %d.", counter.load());
  EXPECT(*on_heap == n, "The counter on the heap is %ld.", on_heap->load());
  EXPECT(real == 0.25 * n, "The double is %g.", real.load());
  EXPECT(any, "The bool is false.");
  const Pair end = pair;
  EXPECT(end.left == n && end.right == -n, "The pair is %d, %d.", end.left, end.right);
}

void exclude() {
  long by_phase = 0, by_flag = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    Phase idle = Phase::kIdle;
    while (!phase.compare_exchange_weak(idle, Phase::kBusy, std::memory_order_acquire))
      idle = Phase::kIdle;
    by_phase += 1;
    phase.store(Phase::kIdle, std::memory_order_release);
    while (flag.test_and_set(std::memory_order_acquire)) {
    }
    by_flag += 1;
    flag.clear(std::memory_order_release);
  }
  const long expected = long{kRounds} * omp_get_max_threads();
  EXPECT(by_phase == expected, "Under the phase: %ld.", by_phase);
  EXPECT(by_flag == expected, "Under the flag: %ld.", by_flag);
}

void stack_of_nodes() {
  std::atomic<Node*> top{nullptr};
#pragma omp parallel
  for (int i = 0; i < kRounds; ++i) {
    Node* node = new Node{omp_get_thread_num() * kRounds + i, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(node->next, node, std::memory_order_acq_rel)) {
    }
  }
  std::vector<int> found(omp_get_max_threads() * kRounds);
  for (Node* node = top; node;) {
    found.at(node->value) += 1;
    Node* next = node->next;
    delete node;
    node = next;
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT(found[i] == 1, "Node %zu is there %d times.", i, found[i]);
}

}  // namespace

int main() {
  count();
  exclude();
  stack_of_nodes();
  return ok();
}
