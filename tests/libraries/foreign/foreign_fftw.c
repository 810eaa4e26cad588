// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FFTW: plans made by main are executed on all nodes, also on other arrays; wisdom that was found on
// one node is known on the others; fftw_malloc's memory is shared.
// links: -lfftw3 -lm
#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 12, kPoints = 720 };

int main(void) {
  fftw_complex* data = fftw_malloc(sizeof(fftw_complex) * kRows * kPoints);
  fftw_plan forward = fftw_plan_dft_1d(kPoints, data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan backward[kRows];
  for (int row = 0; row < kRows; ++row) {
    backward[row] = fftw_plan_dft_1d(kPoints, data + row * kPoints, data + row * kPoints,
                                     FFTW_BACKWARD, FFTW_ESTIMATE);
  }
  for (int i = 0; i < kRows * kPoints; ++i) {
    data[i][0] = cos(i * 0.37);
    data[i][1] = sin(i * 0.11);
  }
  int failures = 0;
#pragma omp parallel for schedule(static, 1)
  for (int row = 0; row < kRows; ++row)
    fftw_execute_dft(forward, data + row * kPoints, data + row * kPoints);
  // The first value of a transform is the sum of its points.
  for (int row = 0; row < kRows; ++row) {
    double sum = 0;
    for (int k = 0; k < kPoints; ++k) sum += cos((row * kPoints + k) * 0.37);
    if (fabs(sum - data[row * kPoints][0]) > 1e-9) ++failures;
  }
#pragma omp parallel for schedule(static, 1)
  for (int row = 0; row < kRows; ++row) fftw_execute(backward[kRows - 1 - row]);
  for (int i = 0; i < kRows * kPoints; ++i) {
    if (fabs(data[i][0] / kPoints - cos(i * 0.37)) > 1e-12) ++failures;
    if (fabs(data[i][1] / kPoints - sin(i * 0.11)) > 1e-12) ++failures;
  }
  char* here = fftw_export_wisdom_to_string();
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) {
    char* there = fftw_export_wisdom_to_string();
    if (strcmp(here, there) != 0) failures = 1000;
    free(there);
    fftw_destroy_plan(forward);
  }
  free(here);
  for (int row = 0; row < kRows; ++row) fftw_destroy_plan(backward[row]);
  fftw_free(data);
  printf("%d failures\n", failures);
  if (failures == 0) puts("ok");
  return 0;
}
