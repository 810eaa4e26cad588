// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft/remote.hpp: objects in place of bytes.
//
// environment: WEFT_SPREAD=auto

#include <omp.h>

#include <memory>
#include <numeric>
#include <optional>
#include <system_error>
#include <vector>
#include <weft/remote.hpp>

#include "../check.h"

namespace {

constexpr int kMostNodes = 64;
struct Point {
  double x, y;
};

weft::RemoteKey<double> doubles[kMostNodes], first_ten[kMostNodes];
weft::RemoteKey<unsigned> counters;
weft::FifoWriter<Point> queues[kMostNodes];

void expect(weft::Result result) { EXPECT(result, "refused: %s", result.text()); }

void puts_and_gets(int node, int nodes) {
  std::vector<double> values(500), back(500);
  for (int to = 0; to < nodes; ++to) {
    std::iota(values.begin(), values.end(), node * 1000.0);
    weft::Transfer put = doubles[to].put(20 + 500 * static_cast<std::size_t>(node), values);
    expect(put.wait());
    weft::Transfer get = doubles[to].get(20 + 500 * static_cast<std::size_t>(node), back);
    while (!get.test()) {
    }
    expect(get.wait());
    EXPECT(back == values, "the values are others");
    EXPECT(first_ten[to].get(1, back).wait().code() == WEFT_ERROR_RANGE, "beyond the key");
    EXPECT(first_ten[to].put(0, std::span(values).first(2)).wait().code() == WEFT_ERROR_RIGHT,
           "without the right");
  }
}

void changes(int nodes, int threads) {
  for (int i = 0; i < 30; ++i) {
    expect(counters.add(0, 2));
    const auto before = counters.fetch_add(1, 3);
    EXPECT(before && before.value() % 3 == 0, "%u before", before.value());
    expect(counters.change(2, WEFT_OP_MAX, static_cast<unsigned>(omp_get_thread_num())));
  }
  expect(weft::fence());
#pragma omp barrier
  EXPECT(counters.load(0).value() == 60U * static_cast<unsigned>(threads), "a sum is wrong");
  EXPECT(counters.load(1).value() == 90U * static_cast<unsigned>(threads), "another is wrong");
  EXPECT(counters.load(2).value() == static_cast<unsigned>(threads - 1), "the maximum is wrong");
#pragma omp barrier
  const auto half = doubles[nodes - 1].compare_exchange(0, 0.0, 0.5);
  EXPECT(half && (half.value() == 0.0 || half.value() == 0.5), "%g", half.value());
  EXPECT(doubles[nodes - 1].load(0).value() == 0.5, "it is not there");
}

void queue(const std::optional<weft::FifoReader<Point>>& reader, int nodes, int threads) {
  for (int i = 0; i < 10; ++i) {
    for (int to = 0; to < nodes; ++to)
      expect(queues[to].put({double(i), double(omp_get_thread_num())}));
  }
  double sum = 0;
  for (int i = 0; reader && i < 10 * threads; ++i) {
    const Point point = reader->get();
    sum += point.x;
  }
  EXPECT(!reader || sum == 45.0 * threads, "the sum is %g", sum);
  EXPECT(!reader || !reader->try_get(), "a message too many");
  expect(weft::fence());
}

void work() {
  const int nodes = weft::nodes(), node = weft::node(), threads = omp_get_num_threads();
  const bool is_first = omp_get_thread_num() % (threads / nodes) == 0;
  std::unique_ptr<weft::RemoteMemory<double>> memory;
  std::unique_ptr<weft::RemoteMemory<unsigned>> counts;
  std::optional<weft::FifoReader<Point>> reader;
  if (is_first) {
    const std::size_t count = 20 + 500 * static_cast<std::size_t>(nodes);
    memory = std::make_unique<weft::RemoteMemory<double>>(count);
    EXPECT(memory->objects().size() == count && memory->key().size() == count, "another size");
    doubles[node] = memory->key();
    first_ten[node] = memory->grant(0, 10, WEFT_RIGHT_READ).value();
    EXPECT(!memory->grant(count, 1, WEFT_RIGHT_READ), "more is granted than there is");
    // Smaller than the program's messages together: the readers write, too.
    reader.emplace(10 * static_cast<std::size_t>(threads));
    queues[node] = reader->writer();
  }
  if (omp_get_thread_num() == 0) {
    counts = std::make_unique<weft::RemoteMemory<unsigned>>(3);
    counters = counts->key();
  }
#pragma omp barrier
  if (is_first) puts_and_gets(node, nodes);
  changes(nodes, threads);
  queue(reader, nodes, threads);
#pragma omp barrier
}

}  // namespace

int main() {
  static_assert(weft::remote_type<int>() == WEFT_INT32 && weft::remote_type<char>() == WEFT_INT8);
  static_assert(weft::remote_type<std::uint64_t>() == WEFT_UINT64);
  static_assert(weft::remote_type<float>() == WEFT_FLOAT);
#pragma omp parallel
  work();
  try {
    const weft::RemoteMemory<int> none(0);
    EXPECT(false, "no objects are taken");
  } catch (const std::system_error&) {
  }
  return ok();
}
