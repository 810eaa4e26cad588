// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::atomic is its instructions, inlined or (at -O0) in its member functions.
//
// RUN: weftc++ -std=c++20 -O0 -S -emit-llvm %s -o - | FileCheck -check-prefixes=CHECK,O0 %s
// RUN: weftc++ -std=c++20 -O2 -S -emit-llvm %s -o - | FileCheck -check-prefixes=CHECK,O2 %s
#include <atomic>

struct Pair {
  long a, b;
};
std::atomic<int> number;
std::atomic<float> real;
std::atomic<Pair> pair;

// O2-LABEL: @_Z4bumpv(
// O2: call void @__weft_atomic_rmw(ptr {{.*}}@number, {{.*}}, i32 4, i32 4, i32 0, i32 5)
// O0-DAG: call void @__weft_atomic_rmw(ptr {{.*}}, ptr {{.*}}, ptr {{.*}}, i32 4, i32 4, i32 0, i32
// {{.*}})
int bump() { return number++; }

// O2-LABEL: @_Z3addf(
// O2: call void @__weft_atomic_load(ptr {{.*}}@real, ptr {{.*}}, i32 4, i32 0)
// O2: call i32 @__weft_atomic_compare_exchange(ptr {{.*}}@real, {{.*}}, i32 4, i32 0, i32 0)
// O0-DAG: call i32 @__weft_atomic_compare_exchange({{.*}}, i32 4, i32 {{[0-5]}}, i32 {{[0-5]}})
void add(float x) { real.fetch_add(x, std::memory_order_relaxed); }

// O2-LABEL: @_Z4swap4Pair(
// O2: call void @__weft_atomic_rmw(ptr {{.*}}@pair, ptr {{.*}}, ptr {{.*}}, i32 16, i32 2, i32 0,
// i32 5) O0-DAG: call void @__weft_atomic_rmw({{.*}}, i32 {{(16|%.*)}}, i32 2, i32 0, i32 {{.*}})
Pair swap(Pair x) { return pair.exchange(x); }

// CHECK: atomicrmw xchg ptr {{.*}}, i128
