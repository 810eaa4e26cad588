// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory from OpenMP's allocators: what one thread allocates, all threads use, whichever allocator,
// routine, clause or directive it came from; allocators work on all nodes; pools run out.

#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "../check.h"

enum { kInts = 5000 };

static void fill_together(int* data, const char* from) {
#pragma omp parallel for
  for (int i = 0; i < kInts; ++i) data[i] = 3 * i;
  for (int i = 0; i < kInts; ++i)
    EXPECT(data[i] == 3 * i, "%s: element %d is %d.", from, i, data[i]);
}

static void predefined(void) {
  const omp_allocator_handle_t all[] = {
      omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc, omp_high_bw_mem_alloc,
      omp_low_lat_mem_alloc, omp_cgroup_mem_alloc,    omp_pteam_mem_alloc, omp_thread_mem_alloc};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    int* data = omp_alloc(kInts * sizeof(int), all[i]);
    EXPECT(data != NULL, "Allocator %u gave nothing.", i + 1);
    fill_together(data, "omp_alloc");
    omp_free(data, all[i]);
  }
  EXPECT(omp_alloc(0, omp_default_mem_alloc) == NULL, "No bytes are at an address.");
  int* data = omp_calloc(kInts, sizeof(int), omp_null_allocator);
  for (int i = 0; i < kInts; ++i) EXPECT(data[i] == 0, "omp_calloc: element %d is %d.", i, data[i]);
  fill_together(data, "omp_calloc");
  data = omp_realloc(data, 2 * kInts * sizeof(int), omp_null_allocator, omp_null_allocator);
  EXPECT(data[kInts - 1] == 3 * (kInts - 1), "omp_realloc lost %d.", data[kInts - 1]);
  omp_free(data, omp_null_allocator);
  data = omp_aligned_alloc(1024, kInts * sizeof(int), omp_default_mem_alloc);
  EXPECT((uintptr_t)data % 1024 == 0, "omp_aligned_alloc gave %p.", (void*)data);
  fill_together(data, "omp_aligned_alloc");
  omp_free(data, omp_default_mem_alloc);
}

// An allocator that one thread made serves all, and its pool is one for all of them.
static void own(void) {
  const size_t part = 1 << 16;
  const int threads = omp_get_max_threads();
  omp_alloctrait_t traits[] = {{omp_atk_alignment, 256},
                               {omp_atk_pool_size, (omp_uintptr_t)(threads * (part + 1024))},
                               {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t own = omp_init_allocator(omp_large_cap_mem_space, 3, traits);
  EXPECT(own != omp_null_allocator, "There is no allocator.");
  char* blocks[256];
#pragma omp parallel num_threads(threads)
  {
    char* mine = omp_alloc(part, own);
    EXPECT(mine != NULL && (uintptr_t)mine % 256 == 0, "Thread %d got %p.", omp_get_thread_num(),
           (void*)mine);
    memset(mine, omp_get_thread_num() + 1, part);
    blocks[omp_get_thread_num()] = mine;
#pragma omp barrier
    EXPECT(omp_alloc(part, own) == NULL, "The pool is larger than it was made.");
    const char* theirs = blocks[(omp_get_thread_num() + 1) % threads];
    EXPECT(theirs[part - 1] == (omp_get_thread_num() + 1) % threads + 1,
           "A neighbour's byte is %d.", theirs[part - 1]);
#pragma omp barrier
    omp_free(blocks[(omp_get_thread_num() + 1) % threads], own);
#pragma omp barrier
    mine = omp_alloc(part, own);
    EXPECT(mine != NULL, "What was freed is not free.");
    omp_free(mine, own);
  }
  omp_destroy_allocator(own);
}

static void clauses(void) {
  int sum = 0;
  int values[64];
#pragma omp allocate(values) allocator(omp_default_mem_alloc)
  for (int i = 0; i < 64; ++i) values[i] = i;
#pragma omp parallel firstprivate(values) allocate(omp_default_mem_alloc : values) \
    reduction(+ : sum)
  {
    values[omp_get_thread_num() % 64] += 1;
    for (int i = 0; i < 64; ++i) sum += values[i];
  }
  EXPECT(sum == omp_get_max_threads() * (64 * 63 / 2 + 1), "The private copies sum to %d.", sum);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) values[i] = -i;
  for (int i = 0; i < 64; ++i) EXPECT(values[i] == -i, "Value %d is %d.", i, values[i]);
}

static void default_allocator(void) {
  omp_set_default_allocator(omp_large_cap_mem_alloc);
#pragma omp parallel
  EXPECT(omp_get_default_allocator() == omp_large_cap_mem_alloc, "Thread %d has another default.",
         omp_get_thread_num());
  omp_set_default_allocator(omp_default_mem_alloc);
}

int main(void) {
  predefined();
  own();
  clauses();
  default_allocator();
  int* data = kmp_malloc(kInts * sizeof(int));
  fill_together(data, "kmp_malloc");
  data = kmp_realloc(data, 3 * kInts * sizeof(int));
  fill_together(data, "kmp_realloc");
  kmp_free(data);
  EXPECT(kmp_aligned_malloc(64, 48) == NULL, "An alignment of 48 is none.");
  return ok();
}
