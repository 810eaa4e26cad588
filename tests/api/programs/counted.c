// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Node 0 writes pages; then the job's last thread uses them in the way that the argument names: by
// check-outs, or by puts and gets, which are all under way at once. tests/api/run counts what that
// costs, beside "none".
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <weft/remote.h>
#include <weft/weft.h>

enum { kPage = 4096, kPages = 300, kBytes = kPages * kPage };

static _Alignas(kPage) unsigned char pages[kBytes];
static int is_wrong;

// The compiler is not to know which pages come next.
static __attribute__((noinline)) int load(const unsigned char* byte) { return *byte; }
static __attribute__((noinline)) void store(unsigned char* byte, int value) {
  *byte = (unsigned char)value;
}

static void need(int result) {
  if (result != WEFT_OK) is_wrong = 1;
}

// Every `step`th page, in no order that read-ahead could follow.
static void read_all(int step) {
  for (int i = 0; i < kPages / step; i++) {
    const int page = i * 7 % (kPages / step) * step;
    if (load(&pages[page * kPage + 9]) != page % 250) is_wrong = 1;
  }
}
static void write_all(int offset) {
  for (int i = 0; i < kPages; i++) store(&pages[i * 7 % kPages * kPage + offset], 255);
}

// In every way, so that its faults are not counted. Registered memory on this side costs none
// later.
static weft_key key;
static unsigned char* near;
static void prepare(void) {
  weft_key own;
  need(weft_shared_key(pages, kBytes, &key));
  near = weft_register(kBytes, WEFT_RIGHT_MEMORY, &own);
  memset(near, 255, kBytes);
}

// Of each page: nobody waits before all are begun.
static void transfer(int puts, size_t offset, size_t bytes) {
  for (size_t page = 0; page < kPages; page++) {
    const size_t there = page * kPage + offset;
    need(puts ? weft_put(&key, there, near + page * bytes, bytes, NULL, NULL)
              : weft_get(near + page * bytes, &key, there, bytes, NULL, NULL));
  }
  need(weft_fence(0));
  for (size_t i = 0; !puts && i < bytes * kPages; i++) is_wrong |= near[i] != i / bytes % 250;
}

static int is(const char* way, const char* name) { return strcmp(way, name) == 0; }

static void use(const char* way) {
  if (is(way, "touch")) read_all(1);
  if (is(way, "get")) transfer(0, 9, 16);
  if (is(way, "put")) transfer(1, 100, 16);
  if (is(way, "put-whole")) transfer(1, 0, kPage);
  if (is(way, "read")) {
    need(weft_check_out(pages, kBytes, WEFT_READ));
    read_all(1);
  }
  if (is(way, "begin")) {
    need(weft_check_out_begin(pages, kBytes, WEFT_READ));
    need(weft_check_out(pages, kBytes, WEFT_READ));
    read_all(1);
  }
  if (is(way, "strided")) {
    need(weft_check_out_strided(pages, 16, 2 * kPage, kPages / 2, WEFT_READ));
    read_all(2);
  }
  if (is(way, "write")) {
    need(weft_check_out(pages, kBytes, WEFT_READ | WEFT_WRITE));
    write_all(100);
  }
  if (is(way, "overwrite")) {
    need(weft_check_out(pages, kBytes, WEFT_OVERWRITE));
    for (int i = 0; i < kBytes; i++) store(&pages[i], 5);
  }
  if (is(way, "overwrite-inside")) {
    need(weft_check_out(pages + 100, kBytes - 200, WEFT_OVERWRITE));
    for (int i = 100; i < kBytes - 100; i++) store(&pages[i], 5);
  }
  if (is(way, "commit") || is(way, "commit-twice") || is(way, "commit-strided")) {
    need(weft_check_out(pages, kBytes, WEFT_WRITE));
    write_all(100);
    if (is(way, "commit-strided"))
      return need(weft_commit_strided(pages, 16, 2 * kPage, kPages / 2));
    need(weft_commit(pages, kBytes));
    if (is(way, "commit-twice")) need(weft_commit(pages, kBytes));
  }
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "none";
  for (int page = 0; page < kPages; page++) memset(&pages[page * kPage], page % 250, kPage);
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) {
    prepare();
    use(way);
  }
  if (is_wrong) return 1;
  printf("%d %d %d\n", pages[9], pages[100], pages[(kPages - 1) * kPage + 200]);
  return 0;
}
