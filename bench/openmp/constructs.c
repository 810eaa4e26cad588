// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each construct of OpenMP costs by itself, in the manner of the EPCC microbenchmarks: an
// ordinary program, which executes a construct so many times and prints the microseconds that one
// takes, a line for each repetition. Usage: constructs NAME COUNT REPETITIONS
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kElements = 512 };

// 0, but the compiler can't know.
static int never(void) {
  int zero = 0;
  __asm__ volatile("" : "+r"(zero));
  return zero;
}
static int own[kElements];
#pragma omp threadprivate(own)
static omp_lock_t lock;
static struct {
  char before[128];
  long value;
  char after[128];
} cell;

static void work(void) {
  if (never()) abort();
}
static void work_on(int* array) {
  if (never()) array[0] = 1;
}

// --- regions ---

static void parallel(int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp parallel
    work();
  }
}

static void parallel_for(int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp parallel for
    for (int k = 0; k < 64; ++k) work();
  }
}

static void parallel_values(int count) {
  int value = 0, bound = never();
  int* array = own;
  for (int i = 0; i < count; ++i) {
    value = i;
    array += never();
#pragma omp parallel
    if (value < bound) work_on(array);
  }
}

static void parallel_private(int count) {
  int array[kElements];
  for (int i = 0; i < count; ++i) {
#pragma omp parallel private(array)
    work_on(array);
  }
}

static void parallel_firstprivate(int count) {
  int array[kElements] = {0};
  for (int i = 0; i < count; ++i) {
#pragma omp parallel firstprivate(array)
    work_on(array);
  }
}

static void parallel_copyin(int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp parallel copyin(own)
    work_on(own);
  }
}

static void parallel_reduction(int count) {
  for (int i = 0; i < count; ++i) {
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += never() + 1;
    if (sum < 0) abort();
  }
}

static void nested_parallel(int count) {
#pragma omp parallel firstprivate(count)
  for (int i = 0; i < count; ++i) {
#pragma omp parallel num_threads(2)
    work();
  }
}

// --- what a team meets; each is executed `count` times by the whole team ---

#define IN_A_TEAM(name, construct)                \
  static void name(int count) {                   \
    _Pragma("omp parallel firstprivate(count)") { \
      for (int i = 0; i < count; ++i) {           \
        construct                                 \
      }                                           \
    }                                             \
  }
#define LOOP(clauses) _Pragma(clauses) for (int k = 0; k < 64; ++k) work();

IN_A_TEAM(barrier, _Pragma("omp barrier"))
IN_A_TEAM(for_static, LOOP("omp for schedule(static)"))
IN_A_TEAM(for_static_1, LOOP("omp for schedule(static, 1)"))
IN_A_TEAM(for_static_nowait, LOOP("omp for schedule(static) nowait"))
IN_A_TEAM(for_dynamic, LOOP("omp for schedule(dynamic)"))
IN_A_TEAM(for_dynamic_8, LOOP("omp for schedule(dynamic, 8)"))
IN_A_TEAM(for_guided, LOOP("omp for schedule(guided)"))
IN_A_TEAM(for_auto, LOOP("omp for schedule(auto)"))
IN_A_TEAM(single, _Pragma("omp single") work();)
IN_A_TEAM(single_nowait, _Pragma("omp single nowait") work();)
IN_A_TEAM(copyprivate, int value; _Pragma("omp single copyprivate(value)") value = i;
          if (value < 0) work();)
IN_A_TEAM(copyprivate_array, int array[kElements];
          _Pragma("omp single copyprivate(array)") array[0] = i; if (array[0] < 0) work();)
IN_A_TEAM(masked, _Pragma("omp masked") work();)
IN_A_TEAM(master, _Pragma("omp master") work();)
IN_A_TEAM(
    sections, _Pragma("omp sections") {
      _Pragma("omp section") work();
      _Pragma("omp section") work();
    })
IN_A_TEAM(critical, _Pragma("omp critical") work();)
IN_A_TEAM(lock_unlock, omp_set_lock(&lock); omp_unset_lock(&lock);)
IN_A_TEAM(atomic, _Pragma("omp atomic") cell.value += 1;)
IN_A_TEAM(flush, _Pragma("omp flush"))
IN_A_TEAM(threadprivate, own[i % kElements] += never();)
IN_A_TEAM(task, _Pragma("omp task") work();)
IN_A_TEAM(taskwait, _Pragma("omp taskwait"))
IN_A_TEAM(taskgroup, _Pragma("omp taskgroup"){})

static void for_reduction(int count) {
  static long sum;
#pragma omp parallel firstprivate(count)
  for (int i = 0; i < count; ++i) {
#pragma omp for reduction(+ : sum)
    for (int k = 0; k < 64; ++k) sum += never();
  }
}

static void ordered(int count) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < count; ++i) {
#pragma omp ordered
    work();
  }
}

static void doacross(int count) {
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 0; i < count; ++i) {
#pragma omp ordered depend(sink : i - 1)
    work();
#pragma omp ordered depend(source)
  }
}

static void task_by_one(int count) {
#pragma omp parallel firstprivate(count)
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task
    work();
  }
}

static void taskloop(int count) {
#pragma omp parallel firstprivate(count)
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp taskloop num_tasks(4)
    for (int k = 0; k < 64; ++k) work();
  }
}

// --- by turns, so that the number of messages is always the same ---

// The threads execute a construct one after another, with a barrier after each.
#define BY_TURNS(name, construct)                  \
  static void name(int count) {                    \
    _Pragma("omp parallel firstprivate(count)") {  \
      const int threads = omp_get_num_threads();   \
      for (int i = 0; i < count; ++i) {            \
        if (i % threads == omp_get_thread_num()) { \
          construct                                \
        }                                          \
        _Pragma("omp barrier")                     \
      }                                            \
    }                                              \
  }
// The last thread alone executes it.
#define BY_ONE(name, construct)                                                  \
  static void name(int count) {                                                  \
    _Pragma("omp parallel firstprivate(count)") if (omp_get_thread_num() ==      \
                                                    omp_get_num_threads() - 1) { \
      for (int i = 0; i < count; ++i) {                                          \
        construct                                                                \
      }                                                                          \
    }                                                                            \
  }

BY_TURNS(critical_by_turns, _Pragma("omp critical") work();)
BY_TURNS(lock_by_turns, omp_set_lock(&lock); omp_unset_lock(&lock);)
BY_TURNS(flush_by_turns, _Pragma("omp flush"))
BY_ONE(critical_by_one, _Pragma("omp critical") work();)
BY_ONE(lock_by_one, omp_set_lock(&lock); omp_unset_lock(&lock);)
BY_ONE(flush_by_one, _Pragma("omp flush"))

// The main thread's node is the variable's home.
static void atomic_elsewhere(int count) {
#pragma omp parallel firstprivate(count)
  {
#pragma omp master
    cell.value = 1;
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      for (int i = 0; i < count; ++i) {
        long value;
#pragma omp atomic capture
        value = cell.value += 1;
        if (value < 0) abort();
      }
    }
  }
}

#define ENTRY(name) {#name, name}
static const struct {
  const char* name;
  void (*execute)(int count);
} kConstructs[] = {
    ENTRY(parallel),
    ENTRY(parallel_for),
    ENTRY(parallel_values),
    ENTRY(parallel_private),
    ENTRY(parallel_firstprivate),
    ENTRY(parallel_copyin),
    ENTRY(parallel_reduction),
    ENTRY(nested_parallel),
    ENTRY(barrier),
    ENTRY(for_static),
    ENTRY(for_static_1),
    ENTRY(for_static_nowait),
    ENTRY(for_dynamic),
    ENTRY(for_dynamic_8),
    ENTRY(for_guided),
    ENTRY(for_auto),
    ENTRY(for_reduction),
    ENTRY(single),
    ENTRY(single_nowait),
    ENTRY(copyprivate),
    ENTRY(copyprivate_array),
    ENTRY(masked),
    ENTRY(master),
    ENTRY(sections),
    ENTRY(critical),
    ENTRY(lock_unlock),
    ENTRY(atomic),
    ENTRY(flush),
    ENTRY(threadprivate),
    ENTRY(task),
    ENTRY(taskwait),
    ENTRY(taskgroup),
    ENTRY(ordered),
    ENTRY(doacross),
    ENTRY(task_by_one),
    ENTRY(taskloop),
    ENTRY(critical_by_turns),
    ENTRY(lock_by_turns),
    ENTRY(flush_by_turns),
    ENTRY(critical_by_one),
    ENTRY(lock_by_one),
    ENTRY(flush_by_one),
    ENTRY(atomic_elsewhere),
};

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "Usage: constructs NAME COUNT REPETITIONS\n");
    return 2;
  }
  const int count = atoi(argv[2]), repetitions = atoi(argv[3]);
  omp_init_lock(&lock);
  for (size_t i = 0; i < sizeof kConstructs / sizeof kConstructs[0]; ++i) {
    if (strcmp(kConstructs[i].name, argv[1]) != 0) continue;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      const double start = omp_get_wtime();
      kConstructs[i].execute(count);
      printf("%.4f\n", (omp_get_wtime() - start) / count * 1e6);
    }
    omp_destroy_lock(&lock);
    return 0;
  }
  fprintf(stderr, "constructs: there is no construct called %s\n", argv[1]);
  return 2;
}
