// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes in clauses beside one another: user-declared reductions over containers, in loops and in
// taskloops that throw; lastprivate strings of collapsed loops; mutexes that may be shared,
// conditions and futures between the threads of a team.
// flags: -fopenmp-version=52

#include <omp.h>

#include <algorithm>
#include <complex>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "../check.h"

namespace {

struct Polynomial {
  explicit Polynomial(std::size_t terms = 0) : terms(terms) {}
  Polynomial& operator+=(const Polynomial& other) {
    terms.resize(std::max(terms.size(), other.terms.size()));
    for (std::size_t i = 0; i < other.terms.size(); ++i) terms[i] += other.terms[i];
    return *this;
  }
  std::vector<double> terms;
};
using Complex = std::complex<long double>;

#pragma omp declare reduction(+ : Polynomial : omp_out += omp_in) \
    initializer(omp_priv = Polynomial())
#pragma omp declare reduction(join : std::string : omp_out += omp_in) \
    initializer(omp_priv = std::string())
#pragma omp declare reduction(+ : Complex : omp_out += omp_in) initializer(omp_priv = Complex())

void in_loops() {
  Polynomial sum;
  std::string text;
  Complex total = 0;
#pragma omp parallel for reduction(+ : sum, total) reduction(join : text) schedule(static, 3)
  for (int i = 0; i < 300; ++i) {
    Polynomial one(static_cast<std::size_t>(i % 50 + 1));
    one.terms.back() = 1;
    sum += one;
    text += static_cast<char>('a' + i % 26);
    total += Complex(i, -i);
  }
  EXPECT(sum.terms == std::vector<double>(50, 6), "There are %zu terms.", sum.terms.size());
  EXPECT(text.size() == 300 && std::count(text.begin(), text.end(), 'c') == 12, "It says '%s'.",
         text.c_str());
  EXPECT(total == Complex(44850, -44850), "The sum is %Lg.", total.real());
}

void in_taskloops() {
  Polynomial sum;
  int caught = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) grainsize(4) shared(caught)
  for (int i = 0; i < 100; ++i) {
    try {
      if (i % 10 == 3) throw std::out_of_range("there is no " + std::to_string(i));
      Polynomial one(static_cast<std::size_t>(i % 7 + 1));
      one.terms[0] = 1;
      sum += one;
    } catch (const std::exception& e) {
      EXPECT(std::string(e.what()) == "there is no " + std::to_string(i), "It says %s.", e.what());
#pragma omp atomic
      ++caught;
    }
  }
  EXPECT(sum.terms.size() == 7 && sum.terms[0] == 90, "%zu terms, %g.", sum.terms.size(),
         sum.terms[0]);
  EXPECT(caught == 10, "%d exceptions were caught.", caught);
}

void of_last_iterations() {
  std::vector<std::vector<int>> products(30, std::vector<int>(40));
  std::string last;
#pragma omp parallel for collapse(2) lastprivate(last) schedule(guided)
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      products[i][j] = static_cast<int>(i * j);
      last = "the last was " + std::to_string(i) + ", " + std::to_string(j);
    }
  }
  EXPECT(last == "the last was 29, 39" && products[29][39] == 29 * 39, "'%s'.", last.c_str());
}

void in_turns() {
  std::shared_mutex shared;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> order;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    {
      std::unique_lock guard(mutex);
      changed.wait(guard, [&] { return static_cast<int>(order.size()) == me; });
      order.push_back(me);
      changed.notify_all();
    }
#pragma omp barrier
    {
      const std::shared_lock guard(shared);
      EXPECT(order.back() + 1 == omp_get_num_threads(), "The last was %d.", order.back());
    }
#pragma omp barrier
    const std::unique_lock guard(shared);
    order.push_back(100 + me);
  }
  EXPECT(static_cast<int>(order.size()) == 2 * omp_get_max_threads(), "%zu turns.", order.size());
}

void with_futures() {
  std::vector<std::future<std::string>> futures(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    std::future<std::string>& mine = futures[static_cast<std::size_t>(me)];
    mine = std::async(std::launch::async, [me] { return "from " + std::to_string(me); });
    const std::string got = mine.get();
    EXPECT(got == "from " + std::to_string(me), "Thread %d got '%s'.", me, got.c_str());
  }
  std::promise<std::vector<int>> promise;
  std::future<std::vector<int>> future = promise.get_future();
  std::size_t count = 0;
#pragma omp parallel sections
  {
#pragma omp section
    promise.set_value(std::vector<int>(1234, 7));
#pragma omp section
    count = future.get().size();
  }
  EXPECT(count == 1234, "%zu numbers came.", count);
}

}  // namespace

int main() {
  in_loops();
  in_taskloops();
  of_last_iterations();
  in_turns();
  with_futures();
  return ok();
}
