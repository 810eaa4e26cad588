// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of rows.h by MPI's one-sided operations, between two processes. Round trips are plain
// messages.
#include <mpi.h>

#include "rows.h"

static int self;
static MPI_Win window;
static char* memory;
static char here[kMemoryBytes];

static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void begin(const struct row* row, long i) {
  const int peer = 1 - self, bytes = (int)row->bytes;
  const long one = 1;
  static long before;
  const size_t at = place_of(row, i);
  switch (row->operation) {
    case kGet:
    case kGets:
      MPI_Get(here + at, bytes, MPI_BYTE, peer, (MPI_Aint)at, bytes, MPI_BYTE, window);
      break;
    case kAdd:
      MPI_Fetch_and_op(&one, &before, MPI_LONG, peer, 0, MPI_SUM, window);
      break;
    case kAdds:
      MPI_Accumulate(&one, 1, MPI_LONG, peer, 0, 1, MPI_LONG, MPI_SUM, window);
      break;
    default:
      MPI_Put(here + at, bytes, MPI_BYTE, peer, (MPI_Aint)at, bytes, MPI_BYTE, window);
  }
}

static void send_to_peer(const struct row* row) {
  MPI_Send(here, (int)row->bytes, MPI_BYTE, 1 - self, 0, MPI_COMM_WORLD);
}
static void take(const struct row* row) {
  MPI_Recv(here, (int)row->bytes, MPI_BYTE, 1 - self, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ask(const struct row* row, long count) {
  const enum operation operation = row->operation;
  const int waits =
      operation == kPut || operation == kGet || operation == kAdd || operation == kMulticast;
  for (long i = 0; i < count; ++i) {
    if (operation == kMessage || operation == kSignal) {
      send_to_peer(row);
      take(row);
    } else {
      begin(row, i);
      if (waits) MPI_Win_flush(1 - self, window);
    }
  }
  MPI_Win_flush(1 - self, window);
}

static void answer(const struct row* row, long count) {
  for (long i = 0; i < count; ++i) {
    take(row);
    send_to_peer(row);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2) {
    fprintf(stderr, "Usage: mpi ROW,ROW... [SCALE]\n");
    return 2;
  }
  static const struct system mpi = {meet, ask, answer};
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Win_allocate(kMemoryBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory, &window);
  memset(memory, 1, kMemoryBytes);
  MPI_Win_lock_all(0, window);
  measure_rows(&mpi, argv[1], argc > 2 ? atol(argv[2]) : 1, self == 0);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
