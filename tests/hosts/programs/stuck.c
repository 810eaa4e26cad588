/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The first thread and the last each hold a lock, and want the other's. */
#include <omp.h>

static omp_lock_t x, y;

int main(void) {
  omp_init_lock(&x);
  omp_init_lock(&y);
#pragma omp parallel
  {
    const int last = omp_get_num_threads() - 1;
    if (omp_get_thread_num() == 0) omp_set_lock(&x);
    if (omp_get_thread_num() == last) omp_set_lock(&y);
#pragma omp barrier
    if (omp_get_thread_num() == 0) omp_set_lock(&y);
    if (omp_get_thread_num() == last) omp_set_lock(&x);
  }
  return 0;
}
