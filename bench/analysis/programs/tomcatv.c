// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mesh generation after Thompson, as in SPEC's tomcatv: residuals of a mesh of 257 x 257 points, then
// a tridiagonal system along each line, and the mesh is moved by the solutions. Arrays are declared
// as anybody would, without padding; lines are shared out, rows of the arrays go across them.
#include "../../mpi/programs/bench.h"

#include <math.h>

enum { kPoints = 257 };
static const double kRelaxation = 2 / 0.98;

static double x[kPoints][kPoints], y[kPoints][kPoints];
static double rx[kPoints][kPoints], ry[kPoints][kPoints];
static double aa[kPoints][kPoints], dd[kPoints][kPoints], d[kPoints][kPoints];

static void initialise(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j) {
      const double s = (double)i / (kPoints - 1), t = (double)j / (kPoints - 1);
      x[i][j] = s + 0.1 * t * (1 - t) * sin(3 * s);
      y[i][j] = t + 0.1 * s * (1 - s) * cos(2 * t);
    }
}

// Of the interior points. Returns the largest.
static double residuals(void) {
  double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (int i = 1; i < kPoints - 1; ++i)
    for (int j = 1; j < kPoints - 1; ++j) {
      const double xx = x[i][j + 1] - x[i][j - 1], yx = y[i][j + 1] - y[i][j - 1];
      const double xy = x[i + 1][j] - x[i - 1][j], yy = y[i + 1][j] - y[i - 1][j];
      const double a = 0.25 * (xy * xy + yy * yy), b = 0.25 * (xx * xx + yx * yx);
      const double c = 0.125 * (xx * xy + yx * yy);
      aa[i][j] = -b;
      dd[i][j] = b + b + a * kRelaxation;
      const double across = x[i][j + 1] - 2 * x[i][j] + x[i][j - 1];
      const double along = x[i + 1][j] - 2 * x[i][j] + x[i - 1][j];
      const double corner = x[i + 1][j + 1] - x[i + 1][j - 1] - x[i - 1][j + 1] + x[i - 1][j - 1];
      rx[i][j] = a * across + b * along - c * corner;
      const double y_across = y[i][j + 1] - 2 * y[i][j] + y[i][j - 1];
      const double y_along = y[i + 1][j] - 2 * y[i][j] + y[i - 1][j];
      const double y_corner =
          y[i + 1][j + 1] - y[i + 1][j - 1] - y[i - 1][j + 1] + y[i - 1][j - 1];
      ry[i][j] = a * y_across + b * y_along - c * y_corner;
      most = fmax(most, fmax(fabs(rx[i][j]), fabs(ry[i][j])));
    }
  return most;
}

// Down the columns, which are shared out: each thread goes through all rows.
static void solve(void) {
#pragma omp parallel for schedule(static)
  for (int j = 1; j < kPoints - 1; ++j) {
    d[1][j] = 1 / dd[1][j];
    for (int i = 2; i < kPoints - 1; ++i) {
      const double r = aa[i][j] * d[i - 1][j];
      d[i][j] = 1 / (dd[i][j] - aa[i - 1][j] * r);
      rx[i][j] -= rx[i - 1][j] * r;
      ry[i][j] -= ry[i - 1][j] * r;
    }
    rx[kPoints - 2][j] *= d[kPoints - 2][j];
    ry[kPoints - 2][j] *= d[kPoints - 2][j];
    for (int i = kPoints - 3; i >= 1; --i) {
      rx[i][j] = (rx[i][j] - aa[i][j] * rx[i + 1][j]) * d[i][j];
      ry[i][j] = (ry[i][j] - aa[i][j] * ry[i + 1][j]) * d[i][j];
    }
  }
}

static void move(void) {
#pragma omp parallel for schedule(static)
  for (int i = 1; i < kPoints - 1; ++i)
    for (int j = 1; j < kPoints - 1; ++j) {
      x[i][j] += rx[i][j];
      y[i][j] += ry[i][j];
    }
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, most = 0;
  initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    most = residuals();
    solve();
    move();
  }
  const double seconds = bench_clock() - start;
  double sum = most;
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j) sum += x[i][j] * (i % 5 + 1) - y[i][j] * (j % 7 + 1);
  bench_report(iterations, seconds, sum);
}
