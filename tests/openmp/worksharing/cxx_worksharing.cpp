// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worksharing with C++ objects: iterators, firstprivate and lastprivate objects with constructors,
// captured variables in lambdas, templates, and regions in member functions.

#include <omp.h>

#include <string>
#include <vector>

#include "../check.h"

namespace {

int alive = 0;

struct Object {
  int value = 0;
  std::vector<int> data;
  explicit Object(int v) : value(v), data(v, v) { count(1); }
  Object() { count(1); }
  Object(const Object& other) : value(other.value), data(other.data) { count(1); }
  Object& operator=(const Object& other) = default;
  ~Object() { count(-1); }
  static void count(int step) {
#pragma omp atomic
    alive += step;
  }
};

void clauses() {
  Object first(5), last(1);
#pragma omp parallel for firstprivate(first) lastprivate(last) schedule(static)
  for (int i = 0; i < 70; ++i) {
    EXPECT(first.value == 5 && first.data.size() == 5 && first.data[4] == 5,
           "The firstprivate object starts as %d.", first.value);
    last.value = i;
    last.data.assign(i, i);
  }
  EXPECT(last.value == 69 && last.data.size() == 69 && last.data[0] == 69,
         "The last object is %d, with %zu.", last.value, last.data.size());
  Object mine(3);
#pragma omp parallel private(mine)
  EXPECT(mine.value == 0 && mine.data.empty(), "A private object is not default-constructed.");
}

class Grid {
 public:
  explicit Grid(int n) : n_(n), cells_(n * n) {}
  void fill() {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) cells_[i * n_ + j] = i * 1000 + j;
  }
  template <typename Function>
  long sum(Function function) const {
    long total = 0;
#pragma omp parallel for reduction(+ : total) schedule(guided)
    for (auto it = cells_.begin(); it < cells_.end(); ++it) total += function(*it);
    return total;
  }
  int n_;

 private:
  std::vector<int> cells_;
};

template <typename T, int kSize>
T total_of() {
  T total{};
  T values[kSize];
  for (int i = 0; i < kSize; ++i) values[i] = T(i);
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < kSize; ++i) total += values[i];
  return total;
}

void lambdas() {
  int factor = 3;
  std::vector<int> results(100);
  auto scale = [&](int i) { results[i] = factor * i; };
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) scale(i);
  auto region = [&results] {
#pragma omp parallel for schedule(dynamic, 9)
    for (std::size_t i = 0; i < results.size(); ++i) results[i] += 1;
  };
  region();
  for (int i = 0; i < 100; ++i)
    EXPECT(results[i] == 3 * i + 1, "results[%d] is %d.", i, results[i]);
}

void over_a_range() {
  std::vector<std::string> words(50, "word");
#pragma omp parallel for
  for (auto& word : words) word += " and another, to make it long enough";
  for (const auto& word : words) EXPECT(word.size() == 40, "A word has %zu letters.", word.size());
}

}  // namespace

int main() {
  clauses();
  EXPECT(alive == 0, "%d objects are alive.", alive);
  Grid grid(40);
  grid.fill();
  const long sum = grid.sum([&grid](int cell) { return long{cell} + grid.n_; });
  EXPECT(sum == 31200000L + 31200 + 64000, "The grid's sum is %ld.", sum);
  EXPECT((total_of<int, 100>()) == 4950 && (total_of<double, 40>()) == 780, "A template is wrong.");
  lambdas();
  over_a_range();
  return ok();
}
