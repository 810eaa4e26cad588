// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GSL: generators, interpolation and workspaces made by main and used on all nodes; static data of
// the library (its default generator, its error handler) is the program's, not a node's.
// links: -lgsl -lgslcblas -lm
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_spline.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { kThreads = 8, kPoints = 100, kDraws = 1000 };

static int handled;
static void count_error(const char* reason, const char* file, int line, int number) {
#pragma omp atomic
  ++handled;
}
static double integrand(double x, void* power) { return pow(x, *(double*)power); }

int main(void) {
  gsl_rng* generators[kThreads];
  gsl_integration_workspace* workspaces[kThreads];
  double drawn[kThreads], integrals[kThreads], x[kPoints], y[kPoints];
  int failures = 0;
  gsl_rng_default = gsl_rng_ranlxs2;
  gsl_rng_default_seed = 7;
  gsl_set_error_handler(count_error);
  for (int i = 0; i < kPoints; ++i) y[i] = sin(x[i] = i * 0.1);
  gsl_spline* spline = gsl_spline_alloc(gsl_interp_cspline, kPoints);
  gsl_spline_init(spline, x, y, kPoints);
  for (int i = 0; i < kThreads; ++i) workspaces[i] = gsl_integration_workspace_alloc(1000);
#pragma omp parallel for schedule(static, 1) reduction(+ : failures)
  for (int i = 0; i < kThreads; ++i) {
    generators[i] = gsl_rng_alloc(gsl_rng_default);
    gsl_interp_accel* accelerator = gsl_interp_accel_alloc();
    if (fabs(gsl_spline_eval(spline, 2.34, accelerator) - sin(2.34)) > 1e-4) ++failures;
    gsl_interp_accel_free(accelerator);
    gsl_spline_eval(spline, -5, NULL);  // outside: the program's handler is called
    double power = i, error;
    gsl_function function = {integrand, &power};
    gsl_integration_qags(&function, 0, 1, 0, 1e-9, 1000, workspaces[i], &integrals[i], &error);
  }
  // What one thread has made, another draws from.
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < kThreads; ++i) {
    drawn[i] = 0;
    for (int k = 0; k < kDraws; ++k) drawn[i] += gsl_rng_uniform(generators[(i + 3) % kThreads]);
  }
  gsl_rng* own = gsl_rng_alloc(gsl_rng_ranlxs2);
  double wanted = 0;
  for (int k = 0; k < kDraws; ++k) wanted += gsl_rng_uniform(own);
  for (int i = 0; i < kThreads; ++i) {
    if (drawn[i] != wanted) ++failures;
    if (fabs(integrals[i] - 1.0 / (i + 1)) > 1e-8) ++failures;
    gsl_rng_free(generators[i]);
    gsl_integration_workspace_free(workspaces[i]);
  }
  gsl_spline_free(spline);
  printf("%d failures, %d errors handled\n", failures, handled);
  if (failures == 0 && handled == kThreads) puts("ok");
  return 0;
}
