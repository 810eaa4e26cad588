// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers and algorithms of C++ that overwrite whole ranges, or parts, or what they read: each
// element is as on one node.

#include <omp.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <vector>

#include "../check.h"

namespace {

constexpr int kCount = 50000;

// All threads look, once all have done their part.
template <typename Sequence, typename Expected>
void expect_all(const Sequence& found, const char* what, Expected expected) {
#pragma omp barrier
  for (int i = 0; i < kCount; i++) {
    EXPECT(found[i] == expected(i), "%s: element %d is wrong", what, i);
  }
#pragma omp barrier
}

struct Share {
  int begin = 0, end = 0;
};

Share my_share() {
  const int threads = omp_get_num_threads();
  const int me = omp_get_thread_num();
  return {static_cast<int>(static_cast<long>(kCount) * me / threads),
          static_cast<int>(static_cast<long>(kCount) * (me + 1) / threads)};
}

std::vector<double> numbers(kCount), others(kCount);
std::vector<std::complex<double>> points(kCount);
std::vector<int> order(kCount);

void fill_shares(int turn) {
  const Share mine = my_share();
  std::fill(numbers.begin() + mine.begin, numbers.begin() + mine.end, turn);
  std::iota(order.begin() + mine.begin, order.begin() + mine.end, mine.begin);
  std::generate(others.begin() + mine.begin, others.begin() + mine.end,
                [n = mine.begin]() mutable { return n++; });
  for (int i = mine.begin; i < mine.end; i++) points[i] = {double(turn), double(-i)};
  expect_all(numbers, "fill", [&](int) { return turn; });
  expect_all(order, "iota", [](int i) { return i; });
  expect_all(others, "generate", [](int i) { return i; });
  expect_all(points, "points", [&](int i) { return std::complex<double>(turn, -i); });
}

void copy_shares() {
  const Share mine = my_share();
  std::copy(others.begin() + mine.begin, others.begin() + mine.end, numbers.begin() + mine.begin);
  expect_all(numbers, "copy", [](int i) { return i; });
  std::transform(numbers.begin() + mine.begin, numbers.begin() + mine.end,
                 numbers.begin() + mine.begin, [](double x) { return 3 * x; });
  expect_all(numbers, "transform in place", [](int i) { return 3 * i; });
  std::transform(others.begin() + mine.begin, others.begin() + mine.end, order.begin() + mine.begin,
                 numbers.begin() + mine.begin, [](double x, int n) { return x - n; });
  expect_all(numbers, "transform", [](int) { return 0; });
}

// One thread moves what all have made.
void move_along() {
#pragma omp single
  std::copy(order.begin() + 1, order.end(), order.begin());
  expect_all(order, "copy to the left", [](int i) { return std::min(i + 1, kCount - 1); });
#pragma omp single
  std::copy_backward(order.begin(), order.end() - 1, order.end());
  expect_all(order, "copy to the right",
             [](int i) { return i == 0 ? 1 : std::min(i, kCount - 1); });
#pragma omp single
  std::rotate(others.begin(), others.begin() + 7, others.end());
  expect_all(others, "rotate", [](int i) { return (i + 7) % kCount; });
#pragma omp single
  std::reverse(others.begin(), others.end());
  expect_all(others, "reverse", [](int i) { return (kCount - 1 - i + 7) % kCount; });
}

void assign_whole(int turn) {
#pragma omp single
  {
    others.assign(kCount, turn);
    std::vector<int> fresh(kCount, -turn);
    order = fresh;
    fresh.assign(kCount, 0);
    points = std::vector<std::complex<double>>(kCount, {1.0, double(turn)});
  }
  expect_all(others, "assign", [&](int) { return turn; });
  expect_all(order, "vector to vector", [&](int) { return -turn; });
  expect_all(points, "vector moved", [&](int) { return std::complex<double>(1, turn); });
}

}  // namespace

int main() {
#pragma omp parallel
  for (int turn = 1; turn <= 4; turn++) {
    fill_shares(turn);
    copy_shares();
    move_along();
    assign_whole(turn);
  }
  return ok();
}
