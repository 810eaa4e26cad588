// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods, templates and lambdas that a loop calls.
//
// RUN: weftc++ -std=c++20 -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftc++ -std=c++20 -O3 -S -emit-llvm %s -o - | FileCheck %s

class Matrix {
 public:
  // Its numbers are hints: the object is where it is.
  [[gnu::noinline]] void scale_row(long at, double factor) {
    for (long j = 0; j < columns_; j++) data_[at * width_ + 2 * j] *= factor;
  }

 private:
  long columns_, width_;
  double* data_;
};

template <typename T, typename Body>
[[gnu::noinline]] void for_each(T* all, long count, Body body) {
  for (long i = 0; i < count; i++) body(all[2 * i]);
}

struct Sizes {
  double* first;
  long count, stride, rows;
};

template <typename Body>
[[gnu::noinline]] void with(Sizes sizes, Body body) {
  for (long i = 0; i < sizes.count; i++) body(sizes.first[2 * i]);
}

extern "C" {

// CHECK-LABEL: @method(
// CHECK: br i1
// CHECK: call i64 @__weft_hint_load(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
// CHECK: call void @_ZN6Matrix9scale_row
void method(Matrix& matrix, long n) {
  for (long i = 0; i < n; i++) matrix.scale_row(i, 0.5);
}

// A definition of which the linker takes any: they are all the same.
// CHECK-LABEL: @of_lambdas(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
// CHECK: call {{.*}}_Z8for_each
void of_lambdas(double* a, long n, double factor) {
  for (long j = 0; j < n; j++) for_each(a + 2 * j * n, n, [=](double& each) { each *= factor; });
}

// A copy of the argument is made for each call: what is in it was stored just before.
// CHECK-LABEL: @by_value(
// CHECK-NOT: @__weft_hint_load
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
// CHECK: call {{.*}}_Z4with
void by_value(double* a, long n) {
  for (long j = 0; j < n; j++) with(Sizes{a + 2 * j * n, n, 3, 4}, [](double& each) { each += 1; });
}
}
