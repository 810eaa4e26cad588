// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that use memory by subscripts and pointers that they load, each of which runs twice: once
// it uses memory, once it says which. Nothing else may be prefetched of the array.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "prefetched_forms.hpp"

namespace {

constexpr long kMany = 30000;

// Nobody knows in which order.
std::uint64_t scattered(long i) { return (static_cast<std::uint64_t>(i) * 7919) % 40000; }

template <typename Index>
std::vector<Index> subscripts(long n, std::uint64_t most = 40000) {
  std::vector<Index> made;
  for (long i = 0; i < n; i++) made.push_back(static_cast<Index>(scattered(i) % most));
  return made;
}

template <typename Index>
void of_type(const char* name, std::uint64_t most = 40000) {
  const std::vector<Index> made = subscripts<Index>(kMany, most);
  const Index* const index = made.data();
  const long n = some(kMany);
  test(name, [=](auto use) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += use(memory[index[i]]);
    return sum;
  });
}

void one_loop(long n) {
  of_type<int>("int");
  of_type<long>("long");
  of_type<std::size_t>("size_t");
  of_type<unsigned>("unsigned");
  of_type<std::uint16_t>("uint16_t");
  of_type<std::int16_t>("int16_t", 32768);
  static std::vector<int> made = subscripts<int>(kMany);
  const int* const index = made.data();
  double* const middle = memory + 20000;
  test("negative subscripts", [=](auto use) {
    double sum = 0;
    for (long i = 0; i < n; i++)
      sum += use(middle[20000 - index[i]]) + use(middle[index[i] - 20000]);
    return sum;
  });
  test("backwards", [=](auto use) {
    double sum = 0;
    for (long i = n - 1; i >= 0; i--) sum = 0.5 * sum + use(memory[index[i]]);
    return sum;
  });
  test("every third", [=](auto use) {
    double sum = 0;
    for (long i = 1; i < n; i += 3) sum += use(memory[index[i]]);
    return sum;
  });
  static std::vector<int> records = subscripts<int>(kMany, 5000);
  const int* const record = records.data();
  test("parts of records", [=](auto use) {
    double sum = 0;
    for (long i = 0; i < n; i++)
      sum += use(memory[3 * record[i]]) + use(memory[(3 * record[i]) + 1]);
    return sum;
  });
  test("some of each", [=](auto use) {
    double sum = 0;
    for (long i = 0; i < n; i++)
      for (int c = 0; c < 5; c++) sum += use(memory[(8 * record[i]) + c]);
    return sum;
  });
  test<Stores>("stores", [=](auto use) {
    for (long i = 0; i < n; i++) use(memory[index[i]]);
    return 0.0;
  });
}

// Subscripts of subscripts, and tables of them.
void chains(int n, int m) {
  static const std::vector<int> made = subscripts<int>(kMany, kMany);
  static const std::vector<long> other = subscripts<long>(kMany);
  const int* const outer = made.data();
  const long* const inner = other.data();
  test("subscripts of subscripts", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n * m; i++) sum += use(memory[inner[outer[i]]]);
    return sum;
  });
  test("a table", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) sum += use(memory[inner[(i * m) + j]]);
    return sum;
  });
  test("a part of a table", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m / 2; j++) sum += use(memory[inner[(i * m) + j]]);
    return sum;
  });
  struct Row {
    int column[21];
    double value[21];
  };
  static std::vector<Row> rows(1000);
  for (int i = 0; i < 1000; i++)
    for (int k = 0; k < 21; k++) rows[i].column[k] = static_cast<int>(scattered((21 * i) + k));
  const Row* const row = rows.data();
  test("a constant number in records", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 21; k++) sum += row[i].value[k] * use(memory[row[i].column[k]]);
    return sum;
  });
}

// Rows in one array, or by themselves; every seventh is empty.
template <typename Index>
struct Sparse {
  explicit Sparse(int rows) : first{0} {
    for (int i = 0; i < rows; i++) {
      for (int k = 0; k < i % 7 * 5; k++)
        column.push_back(static_cast<int>(scattered(first.back() + k)));
      first.push_back(static_cast<Index>(column.size()));
    }
  }
  std::vector<Index> first;
  std::vector<int> column;
};

template <typename Index>
void sparse(const char* name, int n) {
  static const Sparse<Index> matrix(1000);
  const Index* const first = matrix.first.data();
  const int* const column = matrix.column.data();
  double* const value = memory + some(13);
  test(name, [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      for (Index k = first[i]; k < first[i + 1]; k++) sum += use(memory[column[k]]);
    return sum;
  });
  test(name, [=](auto use) {
    double sum = 0;
    for (int i = 10; i < n; i++)
      for (Index k = first[i]; k < first[i + 1]; k++) sum += use(value[k]);
    return sum;
  });
  static std::vector<double> to(1000);
  double* const result_of = to.data();
  test(name, [=](auto use) {
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (Index k = first[i]; k < first[i + 1]; k++) sum += use(memory[column[k]]);
      result_of[i] = sum;
    }
    return 0.0;
  });
}

void pointers(int n, int m) {
  static std::vector<double*> made;
  for (int i = 0; i < 1000; i++) made.push_back(memory + (scattered(i) / 40 * 40));
  double* const* const row = made.data();
  test("pointers", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += use(*row[i]);
    return sum;
  });
  test("rows by pointers", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) sum += use(row[i][j]);
    return sum;
  });
  test("backwards in rows", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      for (int j = m - 1; j >= 0; j--) sum = 0.5 * sum + use(row[i][j]);
    return sum;
  });
  struct Row {
    double* first;
    int length;
  };
  static std::vector<Row> rows;
  for (int i = 0; i < 1000; i++) rows.push_back({memory + (scattered(i) / 40 * 40), i % 30});
  const Row* const all = rows.data();
  test("rows with a length", [=](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < all[i].length; j++) sum += use(all[i].first[j]);
    return sum;
  });
  struct Span {  // as a vector
    double *begin_, *end_;
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    [[nodiscard]] double* begin() const { return begin_; }
    [[nodiscard]] double* end() const { return end_; }
  };
  static std::vector<Span> spans;
  for (const Row& each : rows) spans.push_back({each.first, each.first + each.length});
  const std::vector<Span>* const vectors = &spans;
  test("vectors of vectors", [=](auto use) {
    double sum = 0;
    for (const Span& each : *vectors)
      for (double& at : each) sum += use(at);
    return sum;
  });
  test("vectors by size", [=](auto use) {
    double sum = 0;
    for (std::size_t i = 0; i < vectors->size(); i++)
      for (std::size_t j = 0; j < (*vectors)[i].size(); j++) sum += use((*vectors)[i].begin_[j]);
    return sum;
  });
}

// Each thread its part.
void shared(int n) {
  static const Sparse<long> matrix(1000);
  const long* const first = matrix.first.data();
  const int* const column = matrix.column.data();
#pragma omp parallel num_threads(3)
  test("shared rows", [=](auto use) {
    double sum = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      for (long k = first[i]; k < first[i + 1]; k++) sum += use(memory[column[k]]);
    return sum;
  });
}

}  // namespace

int main() {
  one_loop(some(kMany));
  chains(some(300), some(80));
  sparse<int>("rows by int", some(1000));
  sparse<long>("rows by long", some(1000));
  sparse<std::size_t>("rows by size_t", some(1000));
  sparse<unsigned>("rows by unsigned", some(1000));
  pointers(some(1000), some(30));
  shared(some(1000));
  done_();
  return 0;
}
