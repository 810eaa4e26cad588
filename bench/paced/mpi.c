// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What openmp.c does by the closest means of MPI, between two processes. A lock that changes hands
// each time is a token, sent to who waits for it: no lock of MPI's needs less. Memory of the other
// process is asked for one-sidedly. Usage: rows.h.
#include <mpi.h>

#include "rows.h"

static int rank;
static long* window_memory;
static MPI_Win window;
static unsigned next_page;

// Both processes do `count` times: compute, and the operation.
#define BY_BOTH(name, operation)                                          \
  static double name(const struct pace* pace) {                           \
    MPI_Barrier(MPI_COMM_WORLD);                                          \
    const double start = now_us();                                        \
    for (long i = 0; i < pace->count; ++i) {                              \
      spin(pace->turns);                                                  \
      operation                                                           \
    }                                                                     \
    MPI_Barrier(MPI_COMM_WORLD);                                          \
    return (now_us() - start) / (double)pace->count - pace->reference_us; \
  }

// The token that the peer gives up in each step is taken by this process in its next. Process 1
// walks ahead, by one.
static void step_of_the_ring(long step) {
  long token = 0;
  if (rank == 0 || step > 0)
    MPI_Recv(&token, 1, MPI_LONG, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&step, 1, MPI_LONG, 1 - rank, 0, MPI_COMM_WORLD);
}

BY_BOTH(barrier, MPI_Barrier(MPI_COMM_WORLD);)
BY_BOTH(reduction, long one = 1; long sum = 0;
        MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (sum != 2) MPI_Abort(MPI_COMM_WORLD, 1);)
BY_BOTH(walk, step_of_the_ring(i);)

static double lock_hand_over(const struct pace* pace) {
  const double took = walk(pace);
  long token = 0;  // the last step of process 0
  if (rank == 1) MPI_Recv(&token, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return took;
}

// A message with the data in place of a flag. Process 0 is the first.
static void turn_with_mail(long step) {
  static long data[8];
  if (rank == 1 || step > 0)
    MPI_Recv(data, 8, MPI_LONG, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int k = 0; k < 8; ++k) data[k] += 1;
  MPI_Send(data, 8, MPI_LONG, 1 - rank, 0, MPI_COMM_WORLD);
}

BY_BOTH(pass_mail, turn_with_mail(i);)

static double flag_hand_over(const struct pace* pace) {
  const double took = pass_mail(pace);
  long data[8];  // the last turn of process 1
  if (rank == 0) MPI_Recv(data, 8, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return took;
}

// Process 1 computes for the stretch, and looks after messages between two pieces of computing, as
// MPI needs it.
static void compute(const struct pace* pace) {
  const int piece_us = pace->computing_us == 0 ? 10 : pace->computing_us;
  for (int us = 0; us < kStretchMicroseconds; us += piece_us) {
    int is_there = 0;
    spin(pace->turns_in_a_microsecond * (unsigned long)piece_us);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
  }
}

// Process 0 asks meanwhile. The time is that of the operations alone.
#define OF_A_COMPUTING_PEER(name, operation)             \
  static double name(const struct pace* pace) {          \
    double took = 0;                                     \
    long i = 0;                                          \
    MPI_Barrier(MPI_COMM_WORLD);                         \
    if (rank == 1)                                       \
      compute(pace);                                     \
    else {                                               \
      const double end = now_us() + kAskingMicroseconds; \
      for (; i < pace->count && now_us() < end; ++i) {   \
        spin(pace->turns);                               \
        const double start = now_us();                   \
        operation took += now_us() - start;              \
      }                                                  \
    }                                                    \
    MPI_Barrier(MPI_COMM_WORLD);                         \
    return took / (double)(i > 0 ? i : 1);               \
  }

OF_A_COMPUTING_PEER(atomic_result, const long one = 1; long before;
                    MPI_Fetch_and_op(&one, &before, MPI_LONG, 1, 8, MPI_SUM, window);
                    MPI_Win_flush(1, window);)
OF_A_COMPUTING_PEER(remote_page, static long page[kPageWords];
                    const unsigned number = page_in_turn(next_page++);
                    MPI_Get(page, kPageWords, MPI_LONG, 1, (MPI_Aint)number* kPageWords, kPageWords,
                            MPI_LONG, window);
                    MPI_Win_flush(1, window);
                    if (number > 0 && page[0] != (long)number) MPI_Abort(MPI_COMM_WORLD, 1);)

static const struct row kRows[] = {
    {"barrier", barrier},
    {"reduction", reduction},
    {"lock_hand_over", lock_hand_over},
    {"flag_hand_over", flag_hand_over},
    {"atomic_result", atomic_result},
    {"remote_page", remote_page},
};

static void make_table(void) {
  const MPI_Aint bytes = (MPI_Aint)sizeof(long) * kPageWords * kTablePages;
  MPI_Win_allocate(rank == 1 ? bytes : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &window_memory, &window);
  if (rank == 1)
    for (size_t i = 0; i < (size_t)kPageWords * kTablePages; ++i)
      window_memory[i] = (long)(i / kPageWords);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
}

static void measure_all(const char* wanted, struct pace pace) {
  measure_rows(kRows, sizeof kRows / sizeof kRows[0], wanted, pace, rank == 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (argc < 3 || processes != 2) {
    fprintf(stderr, "Usage: mpi ROW,ROW... MICROSECONDS,... [SCALE], by two processes (not %d)\n",
            processes);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const unsigned long turns = turns_in_a_microsecond();
  make_table();
  for (char* word = strtok(argv[2], ","); word != NULL; word = strtok(NULL, ","))
    measure_all(argv[1], pace_of(atoi(word), turns, argc > 3 ? atol(argv[3]) : 1));
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
