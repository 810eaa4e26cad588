// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User-declared reductions in C++: of classes with constructors and memory of their own.

#include <omp.h>

#include <algorithm>
#include <complex>
#include <map>
#include <string>
#include <vector>

#include "../check.h"

namespace {

class Histogram {
 public:
  explicit Histogram(int bins = 50) : bins_(bins) {}
  Histogram(const Histogram&) = default;
  Histogram& operator=(const Histogram&) = default;
  void add(int bin) { bins_.at(bin) += 1; }
  Histogram& operator+=(const Histogram& other) {
    for (std::size_t b = 0; b < bins_.size(); ++b) bins_[b] += other.bins_[b];
    return *this;
  }
  long at(int bin) const { return bins_.at(bin); }

 private:
  std::vector<long> bins_;
};

using Words = std::map<std::string, int>;

void merge(Words& into, const Words& from) {
  for (const auto& [word, count] : from) into[word] += count;
}

#pragma omp declare reduction(+ : Histogram : omp_out += omp_in) \
    initializer(omp_priv = Histogram(50))
#pragma omp declare reduction(merge:Words : merge(omp_out, omp_in))
#pragma omp declare reduction(+ : std::complex<double> : omp_out += omp_in)
#pragma omp declare reduction( \
        join : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

}  // namespace

int main() {
  Histogram histogram;
  Words words;
  std::complex<double> sum(1, 2);
  std::vector<int> collected;
#pragma omp parallel for reduction(+ : histogram, sum) reduction(merge : words) \
    reduction(join : collected) schedule(dynamic, 4)
  for (int i = 0; i < 400; ++i) {
    histogram.add(i % 50);
    words["a word that is not short, number " + std::to_string(i % 11)] += 1;
    sum += std::complex<double>(i, -i);
    if (i % 3 == 0) collected.push_back(i);
  }
  for (int b = 0; b < 50; ++b)
    EXPECT(histogram.at(b) == 8, "Bin %d holds %ld.", b, histogram.at(b));
  EXPECT(words.size() == 11, "There are %zu words.", words.size());
  int total = 0;
  for (const auto& entry : words) total += entry.second;
  EXPECT(total == 400, "The words add up to %d.", total);
  EXPECT(sum == std::complex<double>(79801, -79798), "The sum is %g, %g.", sum.real(), sum.imag());
  std::sort(collected.begin(), collected.end());
  EXPECT(collected.size() == 134, "%zu numbers were collected.", collected.size());
  for (int i = 0; i < 134; ++i) EXPECT(collected[i] == 3 * i, "Number %d is %d.", i, collected[i]);
  return ok();
}
