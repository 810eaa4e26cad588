// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive tasks: Fibonacci numbers, queens on a board, a merge sort. Tasks refer to variables of
// the task that made them, on whatever node that one runs.

#include <omp.h>
#include <string.h>

#include "../check.h"

static long fibonacci(int n) {
  long a = -1, b = -1;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n)
  a = fibonacci(n - 1);
#pragma omp task shared(b) firstprivate(n)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

enum { kBoard = 7 };

static int is_safe(const char* column, int row, int c) {
  for (int r = 0; r < row; ++r) {
    const int d = column[r] - c;
    if (d == 0 || d == row - r || d == r - row) return 0;
  }
  return 1;
}

static int queens(int row, const char* column) {
  int found[kBoard] = {0}, sum = 0;
  if (row == kBoard) return 1;
  for (int c = 0; c < kBoard; ++c) {
    if (!is_safe(column, row, c)) continue;
    char next[kBoard];
    memcpy(next, column, sizeof next);
    next[row] = (char)c;
#pragma omp task shared(found) firstprivate(next, row, c)
    found[c] = queens(row + 1, next);
  }
#pragma omp taskwait
  for (int c = 0; c < kBoard; ++c) sum += found[c];
  return sum;
}

enum { kLength = 20000, kSmall = 700 };
static int values[kLength], space[kLength];

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void sort(int* v, int* s, int n) {
  if (n <= kSmall) {
    qsort(v, (size_t)n, sizeof *v, compare);
    return;
  }
  const int half = n / 2;
#pragma omp task
  sort(v, s, half);
#pragma omp task
  sort(v + half, s + half, n - half);
#pragma omp taskwait
  for (int i = 0, left = 0, right = half; i < n; ++i) {
    const int from_left = right == n || (left < half && v[left] <= v[right]);
    s[i] = from_left ? v[left++] : v[right++];
  }
  memcpy(v, s, (size_t)n * sizeof *v);
}

int main(void) {
  long number = 0;
  int boards = 0;
  long sum = 0, sorted_sum = 0;
  for (int i = 0; i < kLength; ++i) sum += values[i] = (int)((i * 7919L) % 100003);
#pragma omp parallel
  {
#pragma omp single nowait
    number = fibonacci(13);
#pragma omp single
    {
      const char empty[kBoard] = {0};
      boards = queens(0, empty);
    }
#pragma omp masked
    sort(values, space, kLength);
  }
  EXPECT(number == 233, "The Fibonacci number is %ld.", number);
  EXPECT(boards == 40, "There are %d boards.", boards);
  for (int i = 0; i < kLength; ++i) {
    EXPECT(i == 0 || values[i - 1] <= values[i], "Not sorted at %d.", i);
    sorted_sum += values[i];
  }
  EXPECT(sum == sorted_sum, "Values were lost.");
  return ok();
}
