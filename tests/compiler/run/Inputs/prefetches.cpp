// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of loops, each of which runs twice: once it uses memory, once it says which.
#include <cstddef>

#include "prefetched_forms.hpp"

namespace {

// Nobody knows what it does.
[[gnu::noinline]] void call() { asm volatile("" ::: "memory"); }

void one_loop(long n) {
  test("upwards", [=](auto use) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += use(memory[i + 7]);
    return sum;
  });
  test("downwards", [=](auto use) {
    double sum = 0;
    for (int i = static_cast<int>(n) - 1; i >= 0; i--) sum = 0.5 * sum + use(memory[i + 7]);
    return sum;
  });
  test("by steps", [=](auto use) {
    double sum = 0;
    for (int i = 100; i <= n; i += 3) sum += use(memory[i]);
    return sum;
  });
  test("downwards by steps", [=](auto use) {
    double sum = 0;
    for (long i = n; i > 5; i -= 7) sum = 0.5 * sum + use(memory[i]);
    return sum;
  });
  test<Stores>("every other", [=](auto use) {
    for (long i = 0; i < n / 2; i++) use(memory[2 * i]);
    return 0.0;
  });
  double* const first = memory + some(8);
  double* const end = memory + n;
  test("as many as a vector has", [=](auto use) {
    double sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(end - first); i++) sum += use(first[i]);
    return sum;
  });
  test("a pointer", [=](auto use) {
    double sum = 0;
    for (double *p = memory + 3, *end = memory + n; p != end; ++p) sum += use(*p);
    return sum;
  });
}

// Rows of w elements, of which the loops use parts.
void nests(int n, int m, int w) {
  test("a nest", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) sum += i * use(memory[(i * w) + j]);
    return sum;
  });
  test("a constant nest", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < 200; i++)
      for (int j = 0; j < 150; j++) sum += i * use(memory[(i * 300) + j + 20]);
    return sum;
  });
  // The first of each row, where there is none.
  test(
      "rows downwards",
      [=](auto use) {
        double sum = 0;
        for (int i = n - 1; i > 3; i--)
          for (int j = m; j > 1; j -= 2) sum = (0.5 * sum) + use(memory[(i * w) + j]);
        return sum;
      },
      m > 0 ? 0 : n);
  test("a column", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += use(memory[(i * w) + 3]);
    return sum;
  });
  test("columns first", [=](auto use) {
    double sum = 0;
    for (int j = 2; j < m; j++)
      for (int i = 0; i < n; i++) sum += use(memory[(static_cast<long>(i) * w) + j]);
    return sum;
  });
  test("again and again", [=](auto use) {
    double sum = 0;
    for (int again = 0; again < 3; again++)
      for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++) sum += again * use(memory[(i * w) + j]);
    return sum;
  });
  // Calls may change what they bind, so it is loaded each time.
  test("with calls", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < m; j++) {
        sum += i * use(memory[(i * w) + j]);
        call();
      }
    }
    return sum;
  });
}

struct Matrix {
  long rows, columns, width;
  double* first;
};

void loaded_bounds(Matrix& matrix) {
  test("one loop with loaded bounds", [&](auto use) {
    double sum = 0;
    for (long i = 0; i < matrix.rows * matrix.columns; i++) {
      sum += use(matrix.first[i]);
      call();
    }
    return sum;
  });
  test("a nest with loaded bounds", [&](auto use) {
    double sum = 0;
    for (long i = 0; i < matrix.rows; i++) {
      for (long j = 1; j < matrix.columns; j++) {
        sum += use(matrix.first[(i * matrix.width) + j]);
        call();
      }
    }
    return sum;
  });
  test("rows with loaded bounds", [&](auto use) {
    double sum = 0;
    for (long i = 1; i <= matrix.rows; i++) {
      call();
      for (long j = 0; j < matrix.columns; j++) sum += use(matrix.first[(i * matrix.width) + j]);
    }
    return sum;
  });
}

// One call for all neighbours: of a row and of a box that includes them.
void stencils(int n, int m, int w) {
  test(
      "of five points",
      [=](auto use) {
        double sum = 0;
        for (int i = 1; i < n - 1; i++) {
          for (int j = 1; j < m - 1; j++) {
            double* at = memory + (i * w) + j;
            sum += use(at[-1]) + use(at[0]) + use(at[1]) + use(at[-w]) + use(at[w]);
          }
        }
        return sum;
      },
      4);
  test(
      "of five points in long rows",
      [=](auto use) {
        double sum = 0;
        for (int i = 1; i < 89; i++) {
          for (int j = 1; j < 599; j++) {
            double* at = memory + (i * 700) + j;
            sum += use(at[-1]) + use(at[0]) + use(at[1]) + use(at[-700]) + use(at[700]);
          }
        }
        return sum;
      },
      4);
  test(
      "of constant size",
      [=](auto use) {
        double sum = 0;
        for (int i = 1; i < 19; i++) {
          for (int j = 1; j < 39; j++) {
            for (int k = 1; k < 69; k++) {
              double* at = memory + (((i * 40) + j) * 70) + k;
              sum += use(at[-1]) + use(at[1]) + use(at[-70]) + use(at[70]) + use(at[-2800]) +
                     use(at[2800]);
            }
          }
        }
        return sum;
      },
      504);
  // All from the lowest to the highest.
  test(
      "parts of records",
      [=](auto use) {
        double sum = 0;
        for (int i = 0; i < n * m / 8; i++)
          sum += use(memory[(8 * i) + 5]) - use(memory[(8 * i) + 2]) + use(memory[(8 * i) + 6]);
        return sum;
      },
      n * m / 4);
  test("of other rows", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n - 2; i++)
      for (int j = 0; j < m; j++) sum += use(memory[(i * w) + j]) - use(memory[((i + 2) * w) + j]);
    return sum;
  });
}

// What is stored to is said to be, and nothing beside it.
void stores(int n, int m, int w) {
  test<Stores>("stores to a nest", [=](auto use) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) use(memory[(i * w) + j]);
    return 0.0;
  });
  test<Stores>("stores to a column", [=](auto use) {
    for (int i = 0; i < n; i++) use(memory[(i * w) + 3]);
    return 0.0;
  });
  test<Stores>("stores to every fifth row", [=](auto use) {
    for (int i = 0; i + 5 < n; i += 5)
      for (int j = 0; j < m; j++) use(memory[(i * w) + j]);
    return 0.0;
  });
  const int half = n / 2 * w;
  test(
      "from five points to one",
      [=](auto use) {
        for (int i = 1; i < n / 2 - 1; i++) {
          for (int j = 1; j < m - 1; j++) {
            double* at = memory + (i * w) + j;
            use.store(at[half], use(at[-1]) + use(at[1]) + use(at[-w]) + use(at[w]));
          }
        }
        return 0.0;
      },
      4 * w);
  test(
      "from five points to the one between",
      [=](auto use) {
        for (int i = 1; i < n - 1; i++) {
          for (int j = 1; j < m - 1; j++) {
            double* at = memory + (i * w) + j;
            use.store(at[0], use(at[0]) + use(at[-1]) + use(at[1]) + use(at[-w]) + use(at[w]));
          }
        }
        return 0.0;
      },
      4);
  test("to some of all that is used", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < m; j++) sum += use(memory[(i * w) + j]);
      use.store(memory[(i * w) + 1], sum);
    }
    return sum;
  });
}

void collapsed(int n, int m, int w, int threads) {
#pragma omp parallel num_threads(threads)
  {
    const auto both = [=](auto use) {
      double sum = 0;
#pragma omp for collapse(2)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) sum += i * use(memory[(i * w) + j]);
      return sum;
    };
    test("collapsed", both, 2 * m);
    const auto chunks = [=](auto use) {
      double sum = 0;
#pragma omp for collapse(2) schedule(static, 1000)
      for (int i = 2; i < n; i++)
        for (int j = 1; j < m; j++) sum += i * use(memory[(i * w) + j]);
      return sum;
    };
    const auto stored = [=](auto use) {
#pragma omp for collapse(2)
      for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++) use(memory[(i * w) + j]);
      return 0.0;
    };
    test<Stores>("collapsed stores", stored, 2 * m);
    test("collapsed, in chunks", chunks, 64 * m);
    const auto all = [=](auto use) {
      double sum = 0;
#pragma omp for collapse(2)
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < m / 8; j++)
          for (int k = 0; k < 7; k++) sum += i * use(memory[(i * w) + (8 * j) + k]);
      }
      return sum;
    };
    test("collapsed around a loop", all, 2 * m);
    const auto shares = [=](auto use) {
      double sum = 0;
#pragma omp for
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) sum += i * use(memory[(i * w) + j]);
      return sum;
    };
    test("shared", shares);
  }
}

}  // namespace

int main() {
  one_loop(some(60000));
  nests(some(150), some(300), some(400));
  nests(some(1000), some(30), some(60));
  nests(some(150), some(0), some(400));
  Matrix matrix{some(100), some(200), some(300), memory + 10};
  loaded_bounds(matrix);
  stencils(some(150), some(300), some(400));
  stencils(some(90), some(600), some(700));
  stores(some(150), some(300), some(400));
  stores(some(90), some(600), some(700));
  for (int threads = 1; threads <= 5; threads += 2) {
    collapsed(some(150), some(300), some(400), threads);
    collapsed(some(15), some(4000), some(4100), threads);
  }
  done_();
  return 0;
}
