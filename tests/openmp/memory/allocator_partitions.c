// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trait `partition` of allocators: on which nodes memory has its homes.
//
// environment: WEFT_SPREAD=always

#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <weft/weft.h>

#include "../check.h"

enum { kPage = 4096, kPages = 24 };

static int threads, nodes;

static omp_allocator_handle_t allocator_of(omp_uintptr_t partition) {
  const omp_alloctrait_t traits[] = {{omp_atk_partition, partition}};
  const omp_allocator_handle_t allocator = omp_init_allocator(omp_large_cap_mem_space, 1, traits);
  EXPECT(allocator != omp_null_allocator, "no allocator with partition %d", (int)partition);
  return allocator;
}

static int node_of(int page, omp_uintptr_t partition) {
  const int each = kPages / threads, longer = kPages % threads;
  if (partition == omp_atv_interleaved) return page % threads / (threads / nodes);
  const int in_longer = longer * (each + 1);
  const int thread = page < in_longer ? page / (each + 1) : longer + (page - in_longer) / each;
  return thread / (threads / nodes);
}

static void check(const char* memory, omp_uintptr_t partition) {
  for (int page = 0; page < kPages; page++) {
    const int home = weft_home_of(memory + page * kPage), expected = node_of(page, partition);
    EXPECT(home == expected, "partition %d: page %d has its home on %d, not %d", (int)partition,
           page, home, expected);
  }
}

// libomp's are not whole pages, and on one node it serves them.
static int is_block(const char* memory) {
  return memory != NULL && (nodes == 1 || (uintptr_t)memory % kPage == 0);
}

// Said outside of regions. The contents are the program's, before the homes move and behind that.
static void spread(omp_uintptr_t partition) {
  const omp_allocator_handle_t allocator = allocator_of(partition);
  char* memory = omp_alloc(kPages * kPage - 100, allocator);
  EXPECT(is_block(memory), "a block begins at %p", (void*)memory);
  memset(memory, 5, kPages * kPage - 100);
#pragma omp parallel
  {
#pragma omp barrier
    check(memory, partition);
#pragma omp for
    for (int i = 0; i < kPages * kPage - 100; i++)
      EXPECT(memory[i] == 5, "byte %d is %d", i, memory[i]);
  }
  omp_free(memory, allocator);
  omp_destroy_allocator(allocator);
}

// Each thread's memory is on its node, also if it is made of pages that another node has written
// last.
static void near(void) {
  static char* blocks[256];
  const omp_allocator_handle_t allocator = allocator_of(omp_atv_nearest);
  for (int turn = 0; turn < 3; turn++) {
#pragma omp parallel
    {
      const int me = omp_get_thread_num(), other = (me + threads / nodes) % threads;
      char* const block = blocks[me] = omp_alloc(4 * kPage, allocator);
      EXPECT(is_block(block), "thread %d gets %p", me, (void*)block);
#pragma omp barrier
      for (int page = 0; page < 4; page++)
        EXPECT(weft_home_of(block + page * kPage) == weft_node(),
               "page %d of thread %d is on node %d", page, me, weft_home_of(block + page * kPage));
#pragma omp barrier
      // Homes move to those who write twice.
      for (int i = 0; i < 2; i++) {
        memset(blocks[other], i, 4 * kPage);
#pragma omp barrier
      }
      omp_free(block, allocator);
    }
  }
  omp_destroy_allocator(allocator);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  nodes = weft_nodes();
  spread(omp_atv_blocked);
  spread(omp_atv_interleaved);
  near();
  const omp_allocator_handle_t allocator = allocator_of(omp_atv_environment);
  char* memory = omp_alloc(100, allocator);
  EXPECT(memory != NULL, "no memory from the environment's partition");
  omp_free(memory, allocator);
  omp_destroy_allocator(allocator);
  return ok();
}
