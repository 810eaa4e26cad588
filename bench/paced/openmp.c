// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operations and constructs cost a program that computes between them: an ordinary OpenMP
// program, for two threads. It checks what it has computed. Usage: rows.h.
#include <omp.h>

#include "rows.h"

static long shared_sum;  // under the critical region, by ordered iterations, by reductions
static long atomic_sum;  // by atomic operations
static long task_sum;    // by tasks
static long* table;      // written by thread 1 before all else, and read by thread 0
static unsigned next_page;

static void fail(const char* row, long found, long expected) {
  fprintf(stderr, "%s: %ld instead of %ld\n", row, found, expected);
  exit(1);
}

static void expect(const char* row, long found, long expected) {
  if (found != expected) fail(row, found, expected);
}

// `count` times: compute, and the operation. Both threads do, and both have done when the time is
// taken.
#define IN_A_TEAM(name, operation)                                                   \
  static double name(const struct pace* given) {                                     \
    const struct pace pace = *given;                                                 \
    double took = 0;                                                                 \
    _Pragma("omp parallel firstprivate(pace)") {                                     \
      _Pragma("omp barrier") const double start = now_us();                          \
      for (long i = 0; i < pace.count; ++i) {                                        \
        spin(pace.turns);                                                            \
        operation                                                                    \
      }                                                                              \
      _Pragma("omp barrier") if (omp_get_thread_num() == 0) took = now_us() - start; \
    }                                                                                \
    return took / (double)pace.count - pace.reference_us;                            \
  }

IN_A_TEAM(barrier, _Pragma("omp barrier"))
IN_A_TEAM(loop, _Pragma("omp for") for (int k = 0; k < 2; ++k) spin(0);)
IN_A_TEAM(single, _Pragma("omp single") spin(0);)
IN_A_TEAM(reduce,
          _Pragma("omp for reduction(+ : shared_sum)") for (int k = 0; k < 2; ++k) shared_sum += 1;)
IN_A_TEAM(critical_region, _Pragma("omp critical")++ shared_sum;)
IN_A_TEAM(update, _Pragma("omp atomic") atomic_sum += 1;)
IN_A_TEAM(strict_update, _Pragma("omp atomic seq_cst") atomic_sum += 1;)

// Of a row whose operations each add 1 to the sum.
static double counted(const char* row, double (*measure)(const struct pace*), long* sum,
                      const struct pace* pace) {
  *sum = 0;
  const double took = measure(pace);
  expect(row, *sum, 2 * pace->count);
  return took;
}

static double reduction(const struct pace* pace) {
  return counted("reduction", reduce, &shared_sum, pace);
}

static double critical(const struct pace* pace) {
  return counted("critical", critical_region, &shared_sum, pace);
}

static double atomic(const struct pace* pace) {
  return counted("atomic", update, &atomic_sum, pace);
}

static double atomic_seq_cst(const struct pace* pace) {
  return counted("atomic_seq_cst", strict_update, &atomic_sum, pace);
}

static double parallel(const struct pace* given) {
  const struct pace pace = *given;
  const double start = now_us();
  for (long i = 0; i < pace.count; ++i) {
#pragma omp parallel
    spin(pace.turns);
  }
  return (now_us() - start) / (double)pace.count - pace.reference_us;
}

// An iteration, of which each thread has every other.
static double ordered(const struct pace* given) {
  const struct pace pace = *given;
  double took = 0;
  shared_sum = 0;
#pragma omp parallel firstprivate(pace)
  {
#pragma omp barrier
    const double start = now_us();
#pragma omp for ordered schedule(static, 1)
    for (long i = 0; i < 2 * pace.count; ++i) {
      spin(pace.turns);
#pragma omp ordered
      shared_sum = shared_sum == i ? i + 1 : -1;
    }
    if (omp_get_thread_num() == 0) took = now_us() - start;
  }
  expect("ordered", shared_sum, 2 * pace.count);
  return took / (double)(2 * pace.count) - pace.reference_us / 2;
}

// A task, made by one thread. At best each thread executes half of them.
static double tasks(const struct pace* given) {
  const struct pace pace = *given;
  const long tasks = 10 * pace.count;
  double took = 0;
  task_sum = 0;
#pragma omp parallel firstprivate(pace)
#pragma omp single
  {
    const double start = now_us();
    for (long i = 0; i < tasks; ++i) {
#pragma omp task
      {
        spin(pace.turns);
#pragma omp atomic
        task_sum += 1;
      }
    }
#pragma omp taskwait
    took = now_us() - start;
  }
  expect("tasks", task_sum, tasks);
  return took / (double)tasks - pace.reference_us / 2;
}

// The threads walk round a ring of three locks, each taking the next before it gives up its last:
// neither can overtake, so a lock changes hands each time.
static double lock_hand_over(const struct pace* given) {
  const struct pace pace = *given;
  omp_lock_t ring[3];
  for (int i = 0; i < 3; ++i) omp_init_lock(&ring[i]);
  double took = 0;
#pragma omp parallel firstprivate(pace)
  {
    int mine = omp_get_thread_num();
    omp_set_lock(&ring[mine]);
#pragma omp barrier
    const double start = now_us();
    for (long i = 0; i < pace.count; ++i) {
      const int next = (mine + 1) % 3;
      spin(pace.turns);
      omp_set_lock(&ring[next]);
      omp_unset_lock(&ring[mine]);
      mine = next;
    }
    omp_unset_lock(&ring[mine]);
#pragma omp barrier
    if (omp_get_thread_num() == 0) took = now_us() - start;
  }
  for (int i = 0; i < 3; ++i) omp_destroy_lock(&ring[i]);
  return took / (double)pace.count - pace.reference_us;
}

static struct {
  long turn;
  char apart[4096];
  long data[8];
} mail;

static void await_turn(long turn) {
  long seen;
  do {
#pragma omp atomic read acquire
    seen = mail.turn;
  } while (seen != turn);
}

static void pass_turn(long turn) {
#pragma omp atomic write release
  mail.turn = turn;
}

IN_A_TEAM(pass_mail, const long turn = 2 * i + omp_get_thread_num(); await_turn(turn);
          for (int k = 0; k < 8; ++k) mail.data[k] += 1; pass_turn(turn + 1);)

// The threads take turns by a flag, which stands for some data.
static double flag_hand_over(const struct pace* pace) {
  mail.turn = 0;
  return counted("flag_hand_over", pass_mail, &mail.data[7], pace);
}

// Thread 0 asks, and thread 1, whose node has the page or the variable, computes meanwhile. The
// time is that of the operations alone.
#define OF_A_COMPUTING_PEER(name, before, operation)                \
  static double name(const struct pace* given) {                    \
    const struct pace pace = *given;                                \
    double took = 0;                                                \
    long done = 0;                                                  \
    _Pragma("omp parallel firstprivate(pace)") {                    \
      if (omp_get_thread_num() == 1) before;                        \
      _Pragma("omp barrier") if (omp_get_thread_num() == 1)         \
          spin(pace.turns_in_a_microsecond * kStretchMicroseconds); \
      else {                                                        \
        const double end = now_us() + kAskingMicroseconds;          \
        double sum = 0;                                             \
        long i = 0;                                                 \
        for (; i < pace.count && now_us() < end; ++i) {             \
          spin(pace.turns);                                         \
          const double start = now_us();                            \
          operation sum += now_us() - start;                        \
        }                                                           \
        took = sum;                                                 \
        done = i;                                                   \
      }                                                             \
    }                                                               \
    return took / (double)done;                                     \
  }

static long* home_of_atomics;  // its page is written by thread 1 before each row

OF_A_COMPUTING_PEER(atomic_result, *home_of_atomics = 0, long value;
                    _Pragma("omp atomic capture") value = (*home_of_atomics)++;
                    if (value != i) fail("atomic_result", value, i);)
static void read_next_page(void) {
  const unsigned page = page_in_turn(next_page++);
  const long found = table[(size_t)page * kPageWords];
  if (found != (long)page) fail("a page that was read", found, page);
}

OF_A_COMPUTING_PEER(remote_page, , read_next_page();)

// In serial code: the other node, which has the page, waits for the next region.
static double page_at_rest(const struct pace* pace) {
  double took = 0;
  for (long i = 0; i < pace->count; ++i) {
    spin(pace->turns);
    const double start = now_us();
    read_next_page();
    took += now_us() - start;
  }
  return took / (double)pace->count;
}

static const struct row kRows[] = {
    {"barrier", barrier},
    {"reduction", reduction},
    {"lock_hand_over", lock_hand_over},
    {"flag_hand_over", flag_hand_over},
    {"parallel", parallel},
    {"for", loop},
    {"single", single},
    {"critical", critical},
    {"ordered", ordered},
    {"atomic", atomic},
    {"tasks", tasks},
    {"atomic_seq_cst", atomic_seq_cst},
    {"atomic_result", atomic_result},
    {"remote_page", remote_page},
    {"page_at_rest", page_at_rest},
};

static void make_table(void) {
  table = malloc(sizeof(long) * kPageWords * kTablePages);
  home_of_atomics = malloc(sizeof(long) * 4 * kPageWords);
  home_of_atomics += 2 * kPageWords;  // alone in its page
#pragma omp parallel
  if (omp_get_thread_num() == 1)
    for (size_t i = 0; i < (size_t)kPageWords * kTablePages; ++i) table[i] = (long)(i / kPageWords);
}

static void measure_all(const char* wanted, struct pace pace) {
  measure_rows(kRows, sizeof kRows / sizeof kRows[0], wanted, pace, 1);
}

int main(int argc, char** argv) {
  if (argc < 3 || omp_get_max_threads() != 2) {
    fprintf(stderr, "Usage: openmp ROW,ROW... MICROSECONDS,... [SCALE], by two threads (not %d)\n",
            omp_get_max_threads());
    return 2;
  }
  unsigned long turns = 0;
#pragma omp parallel reduction(max : turns)
  turns = turns_in_a_microsecond();
  make_table();
  const long scale = argc > 3 ? atol(argv[3]) : 1;
  for (char* word = strtok(argv[2], ","); word != NULL; word = strtok(NULL, ",")) {
    const int computing_us = atoi(word);
    struct pace pace;
#pragma omp parallel
    {
      const struct pace mine = pace_of(computing_us, turns, scale);
      if (omp_get_thread_num() == 0) pace = mine;
    }
    measure_all(argv[1], pace);
  }
  free(table);
  free(home_of_atomics - 2 * kPageWords);
  return 0;
}
