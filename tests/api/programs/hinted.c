// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Node 0 or the last one writes pages; the others read them, and a hint says so before, or none
// does. The arguments are the pattern and "said" or "unsaid". tests/api/run counts what that costs.
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <weft/hints.h>

enum { kPage = 4096, kPages = 300, kBytes = kPages * kPage, kTurns = 3 };

static _Alignas(kPage) unsigned char pages[kBytes];
static int is_wrong, is_said;

// The compiler is not to know which pages come next.
static __attribute__((noinline)) int load(const unsigned char* byte) { return *byte; }
static __attribute__((noinline)) void store(unsigned char* byte, int value) {
  *byte = (unsigned char)value;
}

static void need(int result) {
  if (result != WEFT_OK) is_wrong = 1;
}

static int last(void) { return omp_get_thread_num() == omp_get_num_threads() - 1; }

// Pages [first, end) in no order that read-ahead could follow. What a hint has asked for is waited
// for.
static void read_pages(int first, int end, int value) {
  const int count = end - first;
  if (is_said) need(weft_check_out(pages + first * kPage, (size_t)count * kPage, WEFT_READ));
  for (int i = 0; i < count; i++) {
    const int page = first + i * 7 % count;
    if (load(&pages[page * kPage + 9]) != (page + value) % 250) is_wrong = 1;
  }
}
static void write_pages(int value) {
  for (int i = 0; i < kPages; i++) {
    const int page = i * 7 % kPages;
    store(&pages[page * kPage + 9], (page + value) % 250);
  }
}

static void broadcast(void) {
  write_pages(1);
  if (is_said) need(weft_broadcast(pages, kBytes));
#pragma omp parallel
  if (last()) read_pages(0, kPages, 1);
}

// In a region, by each thread.
static void broadcast_inside(void) {
  write_pages(1);
#pragma omp parallel
  {
    if (is_said) need(weft_broadcast(pages, kBytes));
    if (last()) read_pages(0, kPages, 1);
  }
}

static void scatter(weft_distribution how) {
  write_pages(1);
  if (is_said) need(weft_scatter(pages, kBytes, kPage, how));
#pragma omp parallel
  if (last()) {
    const int all = omp_get_num_threads(), me = all - 1;
    if (how == WEFT_CYCLIC) {
      for (int page = me; page < kPages; page += all) read_pages(page, page + 1, 1);
    } else {
      read_pages(kPages / all * me, kPages, 1);
    }
  }
}

// The last thread writes twice, so that the homes are with it.
static void gather(void) {
  for (int turn = 1; turn <= 2; turn++) {
    if (is_said && turn == 2) need(weft_gather(pages, kBytes));
#pragma omp parallel
    if (last()) write_pages(turn);
  }
  read_pages(0, kPages, 2);
}

static void alltoall(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) write_pages(3);
    if (is_said) need(weft_alltoall(pages, kBytes));
#pragma omp barrier
    if (last()) read_pages(0, kPages, 3);
  }
}

// Each turn's barrier is another one, so that nothing is learnt from turn to turn.
static void read_mostly(void) {
  write_pages(0);
  if (is_said) need(weft_read_mostly(pages, kBytes));
#pragma omp parallel
  {
    if (last()) read_pages(0, kPages, 0);
#pragma omp barrier
    if (omp_get_thread_num() == 0) write_pages(1);
#pragma omp barrier
    if (last()) read_pages(0, kPages, 1);
#pragma omp barrier
    if (omp_get_thread_num() == 0) write_pages(2);
#pragma omp barrier
    if (last()) read_pages(0, kPages, 2);
    if (is_said) need(weft_forget_hints(pages, kBytes));
#pragma omp barrier
    if (omp_get_thread_num() == 0) write_pages(3);
#pragma omp barrier
    if (last() && load(&pages[9]) != 3) is_wrong = 1;
  }
}

// The last thread writes little of each page: without the hint the homes would stay.
static void private_after_init(void) {
  write_pages(1);
  if (is_said) need(weft_private_after_init(pages, kBytes));
#pragma omp parallel
  if (last()) write_pages(2);
  for (int page = 0; page < kPages; page++)
    if (weft_home_of(&pages[page * kPage]) != (is_said ? weft_nodes() - 1 : 0)) is_wrong = 1;
}

// Thread 0 has the lock when all are at the barrier, and writes behind it; then the last one gets
// it.
static void migrate(void) {
  static omp_lock_t lock;
  omp_init_lock(&lock);
  write_pages(1);
  if (is_said) need(weft_migrate_with(pages, 20 * kPage, &lock));
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      for (int page = 0; page < 20; page++) store(&pages[page * kPage + 9], page + 2);
      omp_unset_lock(&lock);
    }
    if (last() && omp_get_num_threads() > 1) {
      omp_set_lock(&lock);
      for (int page = 0; page < 20; page++)
        if (load(&pages[page * 7 % 20 * kPage + 9]) != page * 7 % 20 + 2) is_wrong = 1;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
}

// The same with a critical region. The last thread comes to it behind the first.
static void migrate_critical(void) {
  static int is_in;
  write_pages(1);
  if (is_said) {
#pragma weft migrate(pages[0 : 20 * kPage]) with(critical(updates))
  }
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
#pragma omp critical(updates)
      {
#pragma omp atomic write seq_cst
        is_in = 1;
        for (int page = 0; page < 20; page++) store(&pages[page * kPage + 9], page + 2);
      }
    }
    int is_behind = 0;
    while (last() && !is_behind) {
#pragma omp atomic read seq_cst
      is_behind = is_in;
    }
    if (last() && omp_get_num_threads() > 1) {
#pragma omp critical(updates)
      for (int page = 0; page < 20; page++)
        if (load(&pages[page * 7 % 20 * kPage + 9]) != page * 7 % 20 + 2) is_wrong = 1;
    }
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  is_said = strcmp(argv[2], "said") == 0;
  const char* way = argv[1];
  memset(pages, 0, kBytes);
#pragma omp parallel
  ;
  if (strcmp(way, "broadcast") == 0) broadcast();
  if (strcmp(way, "broadcast-inside") == 0) broadcast_inside();
  if (strcmp(way, "scatter") == 0) scatter(WEFT_BLOCK);
  if (strcmp(way, "scatter-cyclic") == 0) scatter(WEFT_CYCLIC);
  if (strcmp(way, "gather") == 0) gather();
  if (strcmp(way, "alltoall") == 0) alltoall();
  if (strcmp(way, "read_mostly") == 0) read_mostly();
  if (strcmp(way, "private_after_init") == 0) private_after_init();
  if (strcmp(way, "migrate") == 0) migrate();
  if (strcmp(way, "migrate-critical") == 0) migrate_critical();
  printf("%s\n", is_wrong ? "wrong" : "right");
  return is_wrong;
}
