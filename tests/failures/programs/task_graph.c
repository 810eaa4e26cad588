// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks libomp for its graph of tasks, in a team of which libomp knows a part.
#include <stddef.h>

void* __kmpc_task_get_successors(void* task);

int main(void) {
#pragma omp parallel
#pragma omp single
  __kmpc_task_get_successors(NULL);
  return 0;
}
