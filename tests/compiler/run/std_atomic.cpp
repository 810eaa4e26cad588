// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::atomic and std::atomic_ref of every size from 1 to 16 bytes and of larger ones.
//
// RUN: clang++-22 -std=c++20 -fopenmp -O0 %s -o %t.plain -latomic && %t.plain > %t.expected
// RUN: weftc++ -std=c++20 -O0 %s -o %t.O0 -latomic && %t.O0 | diff %t.expected -
// RUN: weftc++ -std=c++20 -O2 %s -o %t.O2 -latomic && %t.O2 | diff %t.expected -
// RUN: weftc++ -std=c++20 -O2 -mcx16 %s -o %t.cx16 -latomic && %t.cx16 | diff %t.expected -
// RUN: %node %t.O0 2> %t.log0 | diff %t.expected - && FileCheck %s < %t.log0
// RUN: %node %t.O2 2> %t.log2 | diff %t.expected - && FileCheck %s < %t.log2
// RUN: %node %t.cx16 2> %t.log16 | diff %t.expected - && FileCheck %s < %t.log16
// CHECK: loads {{[1-9][0-9]*}} stores {{[1-9][0-9]*}} updates {{[1-9][0-9]*}} exchanges
// {{[1-9][0-9]*}}
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

template <std::size_t N>
struct Bytes {
  std::array<unsigned char, N> bytes;
  explicit Bytes(int start = 0) {
    for (std::size_t i = 0; i < N; ++i) bytes[i] = static_cast<unsigned char>(start + i);
  }
};

template <std::size_t N>
void show(const char* what, const Bytes<N>& value) {
  std::printf("%zu %s", N, what);
  for (unsigned char byte : value.bytes) std::printf(" %d", byte);
  std::printf("\n");
}

template <std::size_t N>
void size_test() {
  static std::atomic<Bytes<N>> shared{Bytes<N>(1)};
  show("load", shared.load());
  shared.store(Bytes<N>(2), std::memory_order_release);
  show("exchange", shared.exchange(Bytes<N>(3)));
  Bytes<N> expected(7);
  std::printf("%d\n", shared.compare_exchange_strong(expected, Bytes<N>(4)));
  show("found", expected);
  std::printf("%d\n", shared.compare_exchange_strong(expected, Bytes<N>(4)));
  show("left", shared.load(std::memory_order_acquire));
}

template <class T>
void number_test() {
  static std::atomic<T> shared{T{10}};
  shared += T{5};
  shared.fetch_sub(T{2}, std::memory_order_relaxed);
  T expected{13};
  while (!shared.compare_exchange_weak(expected, T{20})) {
  }
  static T plain{3};
  std::atomic_ref<T> reference(plain);
  reference.fetch_add(T{4});
  std::printf("%zu %g %g\n", sizeof(T), static_cast<double>(shared.load()),
              static_cast<double>(reference.load()));
}

void between_threads() {
  std::atomic<long> count{0};
  std::atomic<double> sum{0};
  auto shared = std::make_shared<int>(5);
  {
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&count, &sum, shared] {
        for (int i = 0; i < 200; ++i) {
          auto copy = shared;
          count.fetch_add(*copy);
          sum += 0.5;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::printf("%ld %g %ld\n", count.load(), sum.load(), shared.use_count());
}

template <std::size_t... N>
void all_sizes(std::index_sequence<N...>) {
  (size_test<N + 1>(), ...);
}

int main() {
  all_sizes(std::make_index_sequence<17>());
  size_test<40>();
  number_test<signed char>();
  number_test<short>();
  number_test<int>();
  number_test<long>();
  number_test<float>();
  number_test<double>();
  number_test<long double>();
  between_threads();
  return 0;
}
