// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft/weft.hpp: objects in place of bytes.

#include <omp.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>
#include <weft/weft.hpp>

#include "../check.h"

namespace {

using OnNode = std::vector<double, weft::NodeAllocator<double>>;

void expect(weft::Result result) { EXPECT(result, "refused: %s", result.text()); }

void containers_on_nodes() {
  for (int node = 0; node < weft::nodes(); ++node) {
    OnNode numbers(10000, 1.5, weft::NodeAllocator<double>(node));
    EXPECT(weft::home_of(numbers.data()).has_value(), "no home");
    numbers.resize(30000, 2.5);
    EXPECT(reinterpret_cast<std::uintptr_t>(numbers.data()) % 4096 == 0, "not aligned");
    double sum = 0;
#pragma omp parallel
    {
      expect(weft::check_out(numbers, weft::Access::kRead));
#pragma omp for reduction(+ : sum)
      for (std::size_t at = 0; at < numbers.size(); ++at) sum += numbers[at];
    }
    EXPECT(sum == 65000, "the sum is %g", sum);
  }
  bool is_refused = false;
  try {
    const OnNode none(1, weft::NodeAllocator<double>(weft::nodes()));
  } catch (const std::system_error& error) {
    is_refused = error.code().value() == EINVAL;
  }
  EXPECT(is_refused, "a node too many is not refused");
  expect(weft::thread_on(weft::nodes() - 1));
  EXPECT(weft::thread_on(weft::nodes()).code() == WEFT_ERROR_NODE, "threads on a node too many");
  expect(weft::thread_on(WEFT_ANY_NODE));
}

void blocks_of_a_matrix() {
  constexpr std::size_t kRows = 40, kColumns = 3000;
  std::vector<int> matrix(kRows * kColumns);
#pragma omp parallel
  {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    const auto all = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t left = kColumns * me / all, right = kColumns * (me + 1) / all;
    const weft::Block<int> mine{&matrix[left], kRows, right - left, kColumns};
    expect(weft::check_out_begin(mine, weft::Access::kWrite));
    expect(weft::check_out(mine, weft::Access::kOverwrite));
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t at = left; at < right; ++at)
        matrix[row * kColumns + at] = static_cast<int>(row * kColumns + at);
    expect(weft::commit(mine));
#pragma omp barrier
    expect(weft::check_out_begin(matrix, weft::Access::kRead));
    for (std::size_t at = 0; at < matrix.size(); ++at)
      EXPECT(matrix[at] == static_cast<int>(at), "%zu is %d", at, matrix[at]);
  }
  expect(weft::commit(matrix));
}

void refusals() {
  std::array<int, 4> numbers{};
  const weft::Block<int> overlapping{numbers.data(), 2, 2, 1};
  const weft::Result result = weft::check_out(overlapping, weft::Access::kRead);
  EXPECT(!result && result.code() == WEFT_ERROR_SIZE, "it is %d", result.code());
  EXPECT(std::string_view(result.text()).size() > 5, "it has no text");
  EXPECT(!weft::home_of(nullptr), "null has a home");
}

}  // namespace

int main() {
  EXPECT(weft::node() == 0, "main is on node %d", weft::node());
  containers_on_nodes();
  blocks_of_a_matrix();
  refusals();
  return ok();
}
