// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variables' values come with a region's message: a note behind the position of its call says
// so for each argument (1 and the bytes; 0 stays where it is).
//
// RUN: weftcc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O1 -g -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PLAIN
//
// PLAIN-NOT: weft.note{{.*}}, i64
// CHECK-DAG: [[HEAT:@weft.note[.0-9]*]] = {{.*}}, i32 0, i32 3, i64 1, i64 4, i64 1, i64 8, i64 1, i64 8 }
// CHECK-DAG: [[PAIR:@weft.note[.0-9]*]] = {{.*}}, i32 0, i32 1, i64 1, i64 16 }
// CHECK-DAG: [[SUM:@weft.note[.0-9]*]] = {{.*}}, i32 0, i32 2, i64 0, i64 0, i64 1, i64 4 }
// CHECK-DAG: [[LATER:@weft.note[.0-9]*]] = {{.*}}, i32 0, i32 1, i64 1, i64 8 }

void use(long);
void keep(const long*);
void look(const long* p) __attribute__((noinline));

// CHECK-LABEL: define {{.*}}@heat(
// CHECK: @__kmpc_fork_call({{[^@]*}}[[HEAT]],
void heat(double* from, double* to, int n, int steps) {
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) to[i] = from[i - 1] + from[i + 1];
    double* const next = from;
    from = to;
    to = next;
  }
}

struct Pair {
  long first, second;
};

// CHECK-LABEL: define {{.*}}@copied(
// CHECK: @__kmpc_fork_call({{[^@]*}}[[PAIR]],
void copied(const struct Pair* given) {
  const struct Pair pair = *given;
#pragma omp parallel
  use(pair.second);
}

// One is written, the other is not.
// CHECK-LABEL: define {{.*}}@written(
// CHECK: @__kmpc_fork_call({{[^@]*}}[[SUM]],
int written(int n) {
  int sum = 0;
#pragma omp parallel
  {
#pragma omp critical
    sum += n;
  }
  return sum;
}

// A region before it writes the variable, and has forgotten the address.
// CHECK-LABEL: define {{.*}}@written_before(
// CHECK: @__kmpc_fork_call({{[^@]*}}@{{[0-9]+}},
// CHECK: @__kmpc_fork_call({{[^@]*}}[[LATER]],
void written_before(void) {
  long value = 0;
#pragma omp parallel
  {
#pragma omp single
    value = 5;
  }
#pragma omp parallel
  use(value);
}

// Somebody else has the address.
// CHECK-LABEL: define {{.*}}@known_elsewhere(
// CHECK: @__kmpc_fork_call({{[^@]*}}@{{[0-9]+}},
void known_elsewhere(long n) {
  keep(&n);
#pragma omp parallel
  use(n);
}

static long* kept;

// CHECK-LABEL: define {{.*}}@stored(
// CHECK: @__kmpc_fork_call({{[^@]*}}@{{[0-9]+}},
void stored(long n) {
  kept = &n;
#pragma omp parallel
  {
    use(n);
#pragma omp single
    *kept = 3;
  }
}

// The region gives it away, perhaps to a function that writes it.
// CHECK-LABEL: define {{.*}}@given_away(
// CHECK: @__kmpc_fork_call({{[^@]*}}@{{[0-9]+}},
void given_away(long n) {
#pragma omp parallel
  keep(&n);
}

// A task has it.
// CHECK-LABEL: define {{.*}}@task(
// CHECK: @__kmpc_fork_call({{[^@]*}}@{{[0-9]+}},
void task(long n) {
#pragma omp parallel
#pragma omp single
#pragma omp task shared(n)
  n = 4;
}

// Too large.
// CHECK-LABEL: define {{.*}}@large(
// CHECK: @__kmpc_fork_call({{[^@]*}}@{{[0-9]+}},
void large(int i) {
  long array[33];
  for (int k = 0; k < 33; ++k) array[k] = k * i;
#pragma omp parallel
  use(array[7]);
}
