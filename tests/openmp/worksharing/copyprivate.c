// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// single copyprivate: private variables of many types and sizes get the values of the one thread
// that ran the single.

#include <omp.h>
#include <string.h>

#include "../check.h"

typedef struct {
  char name[33];
  double weights[50];
  void* link;
} Node;

static int at_file_scope;
#pragma omp threadprivate(at_file_scope)

static void scalars(int round) {
  int i = -1;
  char c = 'n';
  short s = -1;
  long l = -1;
  float f = -1;
  double d = -1;
  long double ld = -1;
  void* p = NULL;
#pragma omp single copyprivate(i, c, s, l, f, d, ld, p)
  {
    i = round;
    c = (char)('a' + round % 26);
    s = (short)(round - 100);
    l = (long)round << 36;
    f = round * 0.5f;
    d = round * 0.25;
    ld = round * 0.125L;
    p = &at_file_scope;
  }
  EXPECT(i == round && c == 'a' + round % 26 && s == round - 100 && l == (long)round << 36,
         "Round %d: thread %d got %d, %c, %d, %ld.", round, omp_get_thread_num(), i, c, s, l);
  EXPECT(f == round * 0.5f && d == round * 0.25 && ld == round * 0.125L && p != NULL,
         "Round %d: thread %d got %g, %g, %Lg, %p.", round, omp_get_thread_num(), f, d, ld, p);
}

static void large(int round) {
  Node node;
  int array[1500];
  memset(&node, 0, sizeof node);
  memset(array, 0, sizeof array);
#pragma omp single copyprivate(node, array)
  {
    snprintf(node.name, sizeof node.name, "round %d", round);
    for (int k = 0; k < 50; ++k) node.weights[k] = k * round;
    for (int k = 0; k < 1500; ++k) array[k] = k ^ round;
  }
  char expected[33];
  snprintf(expected, sizeof expected, "round %d", round);
  EXPECT(!strcmp(node.name, expected), "Thread %d got '%s'.", omp_get_thread_num(), node.name);
  for (int k = 0; k < 50; ++k)
    EXPECT(node.weights[k] == k * round, "weights[%d] is %g.", k, node.weights[k]);
  for (int k = 0; k < 1500; ++k) EXPECT(array[k] == (k ^ round), "array[%d] is %d.", k, array[k]);
}

static void thread_private(int round) {
  at_file_scope = -1;
#pragma omp single copyprivate(at_file_scope)
  at_file_scope = round + 5;
  EXPECT(at_file_scope == round + 5, "Thread %d got %d.", omp_get_thread_num(), at_file_scope);
}

int main(void) {
#pragma omp parallel
  for (int round = 1; round <= 20; ++round) {
    scalars(round);
    large(round);
    thread_private(round);
  }
  return ok();
}
