// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without an offload target, target regions run on the host, with the job's threads inside them.

#include <omp.h>

#include "../check.h"

enum { kIterations = 1000 };

static int data[kIterations];

int main(void) {
  const int most = omp_get_max_threads();
  int threads = 0, on_host = 0;
#pragma omp target map(tofrom : threads, on_host)
  {
    on_host = omp_is_initial_device();
#pragma omp parallel reduction(+ : threads)
    threads += 1;
  }
  EXPECT(on_host, "The region ran elsewhere.");
  EXPECT(threads == most, "%d threads, not %d.", threads, most);
#pragma omp target data map(tofrom : data)
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < kIterations; ++i) data[i] = i;
#pragma omp target update from(data)
#pragma omp target parallel for
    for (int i = 0; i < kIterations; ++i) data[i] += 1;
  }
  for (int i = 0; i < kIterations; ++i) EXPECT(data[i] == i + 1, "Element %d is %d.", i, data[i]);
  EXPECT(omp_get_num_devices() == 0, "There are %d devices.", omp_get_num_devices());
  EXPECT(omp_get_device_num() == omp_get_initial_device(), "This is device %d.",
         omp_get_device_num());
  return ok();
}
