// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GMP: numbers grow on one node and are read, and grow further, on another.
// links: -lgmp
#include <gmp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kNumbers = 8, kFactors = 400 };

int main(void) {
  mpz_t parts[kNumbers], product, wanted;
  for (int i = 0; i < kNumbers; ++i) mpz_init_set_ui(parts[i], 1);
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < kNumbers; ++i) {
    for (unsigned factor = i + 1; factor <= kFactors; factor += kNumbers)
      mpz_mul_ui(parts[i], parts[i], factor);
  }
  // Each is multiplied onto the next one's by other threads than made them.
  for (int step = 1; step < kNumbers; step *= 2) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < kNumbers / (2 * step); ++i) {
      mpz_mul(parts[2 * step * i], parts[2 * step * i], parts[2 * step * i + step]);
    }
  }
  mpz_init_set(product, parts[0]);
  mpz_init(wanted);
  mpz_fac_ui(wanted, kFactors);
  char* text = NULL;
  char* own = mpz_get_str(NULL, 10, wanted);
  int differences = 0;
#pragma omp parallel
  {
#pragma omp single
    text = mpz_get_str(NULL, 10, product);
    for (int at = 0; text[at] != '\0' || own[at] != '\0'; ++at) {
      if (text[at] != own[at]) {
#pragma omp atomic
        ++differences;
        break;
      }
    }
  }
  if (mpz_cmp(product, wanted) != 0)
    puts("another product");
  else if (differences != 0)
    puts("another text");
  else
    puts("ok");
  return 0;
}
