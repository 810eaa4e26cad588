// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that call the compilers' entry points for dependences themselves, as some libraries do.
// They set the bits for in and out and leave the others of the byte as the stack has them; libomp
// alone expects zeros there, which a fresh stack has. So this is not for one node. All memory is
// said by the address -1 as well as by a bit. A task without code hands its dependences on, as a
// taskwait that does not wait.
//
// least_nodes: 2

#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "../check.h"

typedef struct {
  intptr_t address;
  size_t length;
  unsigned char flags;
} Dependence;

typedef struct {
  void* shareds;
  int (*routine)(int, void*);
  int part;
} Task;

int __kmpc_global_thread_num(void* where);
Task* __kmpc_omp_task_alloc(void* where, int thread, int flags, size_t bytes, size_t shareds,
                            int (*routine)(int, void*));
int __kmpc_omp_task_with_deps(void* where, int thread, Task* task, int count, Dependence* list,
                              int more_count, Dependence* more);
void __kmpc_omp_wait_deps(void* where, int thread, int count, Dependence* list, int more_count,
                          Dependence* more);
int __kmpc_omp_taskwait(void* where, int thread);

static const struct {
  int reserved, flags, reserved2, reserved3;
  const char* source;
} kWhere = {0, 2, 0, 0, ";program;main;1;1;;"};

enum { kIn = 1, kOut = 2, kInOut = 3, kRounds = 25 };
static long value, copies[3], written_after;

static int write_it(int thread, void* task) {
  (void)thread, (void)task;
  for (int i = 0; i < 3; ++i) written_after += copies[i] == value;  // all readers have run
  value = value * 3 + 1;
  return 0;
}
static int read_0(int thread, void* task) { return (void)thread, (void)task, copies[0] = value, 0; }
static int read_1(int thread, void* task) { return (void)thread, (void)task, copies[1] = value, 0; }
static int read_2(int thread, void* task) { return (void)thread, (void)task, copies[2] = value, 0; }

static Dependence on_value(int flags, int garbage) {
  Dependence dependence;
  memset(&dependence, 0, sizeof dependence);
  dependence.address = (intptr_t)&value;
  dependence.length = sizeof value;
  dependence.flags = (unsigned char)(flags | garbage);
  return dependence;
}

static void make(int (*routine)(int, void*), int flags, int garbage) {
  void* const where = (void*)&kWhere;
  const int thread = __kmpc_global_thread_num(where);
  Task* task = __kmpc_omp_task_alloc(where, thread, 1, sizeof(Task), 0, routine);
  Dependence dependence = on_value(flags, garbage);
  __kmpc_omp_task_with_deps(where, thread, task, 1, &dependence, 0, NULL);
}

// The unused bits: never these alone, so that the two lowest say what is meant.
static void check(int garbage) {
  value = 1, written_after = 0;
  for (int i = 0; i < 3; ++i) copies[i] = 1;
  long expected = 1;
  for (int round = 0; round < kRounds; ++round) {
    make(write_it, round % 2 == 0 ? kInOut : kOut | kIn, garbage);
    make(read_0, kIn, garbage);
    make(read_1, kIn, garbage);
    make(read_2, kIn, garbage);
    expected = (long)((unsigned long)expected * 3 + 1);
  }
  void* const where = (void*)&kWhere;
  const int thread = __kmpc_global_thread_num(where);
  Dependence dependence = on_value(kIn, garbage);
  __kmpc_omp_wait_deps(where, thread, 1, &dependence, 0, NULL);
  EXPECT(value == expected, "With bits %#x writers made it %ld, not %ld.", garbage, value,
         expected);
  __kmpc_omp_taskwait(where, thread);
  EXPECT(written_after == 3 * kRounds,
         "With bits %#x, %ld readers came before the next writer, not %d.", garbage, written_after,
         3 * kRounds);
  for (int i = 0; i < 3; ++i) EXPECT(copies[i] == expected, "A reader read %ld.", copies[i]);
}

static long parts[3], sum, seen_after[3];

static int write_part_0(int thread, void* task) {
  return (void)thread, (void)task, parts[0] = 1, 0;
}
static int write_part_1(int thread, void* task) {
  return (void)thread, (void)task, parts[1] = 2, 0;
}
static int write_part_2(int thread, void* task) {
  return (void)thread, (void)task, parts[2] = 4, 0;
}
static int add_parts(int thread, void* task) {
  (void)thread, (void)task;
  sum = parts[0] + parts[1] + parts[2];
  return 0;
}
static int look_0(int thread, void* task) {
  return (void)thread, (void)task, seen_after[0] = sum, 0;
}
static int look_1(int thread, void* task) {
  return (void)thread, (void)task, seen_after[1] = sum, 0;
}
static int look_2(int thread, void* task) {
  return (void)thread, (void)task, seen_after[2] = sum, 0;
}

// The writers go before a task that does nothing, and that goes before the reader.
static void check_empty(void) {
  static char gate;
  void* const where = (void*)&kWhere;
  const int thread = __kmpc_global_thread_num(where);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 3; ++i) parts[i] = 0;
    sum = 0;
    Dependence list[4];
    for (int i = 0; i < 3; ++i) {
      list[i] = on_value(kInOut, 0);
      list[i].address = (intptr_t)&parts[i];
    }
    static int (*const kWriters[])(int, void*) = {write_part_0, write_part_1, write_part_2};
    for (int i = 0; i < 3; ++i) {
      Task* writer = __kmpc_omp_task_alloc(where, thread, 1, sizeof(Task), 0, kWriters[i]);
      __kmpc_omp_task_with_deps(where, thread, writer, 1, &list[i], 0, NULL);
      list[i].flags = kIn;
    }
    list[3] = on_value(kOut, 0);
    list[3].address = (intptr_t)&gate;
    Task* empty = __kmpc_omp_task_alloc(where, thread, 1, sizeof(Task), 0, NULL);
    __kmpc_omp_task_with_deps(where, thread, empty, 4, list, 0, NULL);
    list[3].flags = kIn;
    Task* reader = __kmpc_omp_task_alloc(where, thread, 1, sizeof(Task), 0, add_parts);
    __kmpc_omp_task_with_deps(where, thread, reader, 1, &list[3], 0, NULL);
    __kmpc_omp_taskwait(where, thread);
    EXPECT(sum == 7, "Behind a task without code, the parts were %ld.", sum);
  }
}

static void make_with(int (*routine)(int, void*), void* address, int flags) {
  void* const where = (void*)&kWhere;
  const int thread = __kmpc_global_thread_num(where);
  Task* task = __kmpc_omp_task_alloc(where, thread, 1, sizeof(Task), 0, routine);
  Dependence dependence = on_value(flags, 0);
  dependence.address = (intptr_t)address;
  __kmpc_omp_task_with_deps(where, thread, task, 1, &dependence, 0, NULL);
}

static void check_all_memory(void* address, int flags) {
  static int (*const kWriters[])(int, void*) = {write_part_0, write_part_1, write_part_2};
  static int (*const kLookers[])(int, void*) = {look_0, look_1, look_2};
  void* const where = (void*)&kWhere;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 3; ++i) parts[i] = seen_after[i] = 0;
    sum = 0;
    for (int i = 0; i < 3; ++i) make_with(kWriters[i], &parts[i], kInOut);
    make_with(add_parts, address, flags);
    for (int i = 0; i < 3; ++i) make_with(kLookers[i], &parts[i], kIn);
    __kmpc_omp_taskwait(where, __kmpc_global_thread_num(where));
    EXPECT(sum == 7, "All memory, by flags %#x: the parts were %ld.", flags, sum);
    for (int i = 0; i < 3; ++i) {
      EXPECT(seen_after[i] == 7, "All memory, by flags %#x: later ones saw %ld.", flags,
             seen_after[i]);
    }
  }
}

int main(void) {
  static const int kGarbage[] = {0, 0x10, 0x50, 0x70, 0x38, 0x7c};
  for (unsigned i = 0; i < sizeof kGarbage / sizeof *kGarbage; ++i) {
    const int garbage = kGarbage[i];
    check(garbage);  // the serial part
#pragma omp parallel
#pragma omp single
    check(garbage);
  }
#pragma omp parallel
#pragma omp single
  {
    check_all_memory((void*)-1, kOut);
    check_all_memory(NULL, 0x80);
    check_empty();
  }
  return ok();
}
