// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions thrown and caught inside of regions, by every thread at once, through several calls,
// rethrown, and handed to the main thread as a pointer.

#include <omp.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "../check.h"

namespace {

struct Refusal : std::runtime_error {
  Refusal(int n, const std::string& why) : std::runtime_error(why), number(n) {}
  int number;
};

int destroyed = 0;

struct Guard {
  ~Guard() {
#pragma omp atomic
    destroyed += 1;
  }
};

void deeper(int depth, int number) {
  Guard guard;
  if (depth == 0) throw Refusal(number, "thread " + std::to_string(number) + " refuses, at length");
  deeper(depth - 1, number);
}

void caught_by_type(int me) {
  try {
    deeper(6, me);
    EXPECT(false, "Nothing was thrown.");
  } catch (const Refusal& refusal) {
    EXPECT(refusal.number == me, "Thread %d caught number %d.", me, refusal.number);
    EXPECT(std::string(refusal.what()).find("at length") != std::string::npos,
           "The exception says '%s'.", refusal.what());
  }
}

void rethrown(int me) {
  int seen = 0;
  try {
    try {
      throw me + 1000;
    } catch (int number) {
      seen = number;
      throw;
    }
  } catch (...) {
    seen += 1;
  }
  EXPECT(seen == me + 1001, "Thread %d saw %d.", me, seen);
}

}  // namespace

int main() {
  constexpr int kRounds = 10;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    caught_by_type(omp_get_thread_num());
    rethrown(omp_get_thread_num());
  }
  EXPECT(destroyed == 7 * kRounds * omp_get_max_threads(), "%d guards were destroyed.", destroyed);

  int failures = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : failures)
  for (int i = 0; i < 60; ++i) {
    try {
      std::vector<int> few(3);
      few.at(i % 6) = i;
    } catch (const std::out_of_range&) {
      failures += 1;
    }
  }
  EXPECT(failures == 30, "%d accesses failed.", failures);

  std::string said;
  try {
#pragma omp parallel if (0)
    {
      bool thrown = false;
      try {
        deeper(2, 77);
      } catch (const Refusal& refusal) {
        thrown = refusal.number == 77;
      }
      EXPECT(thrown, "A region of one thread did not catch.");
    }
    deeper(1, 5);
  } catch (const std::exception& error) {
    said = error.what();
  }
  EXPECT(said == "thread 5 refuses, at length", "After the regions: '%s'.", said.c_str());
  return ok();
}
