// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancellation in C++: an exception that a thread catches cancels the rest; objects of cancelled
// iterations and threads are destroyed.
// On one node it is libomp that cancels, and 19.1 fails an assertion of its own in dynamic loops.
// environment: OMP_CANCELLATION=true
// least_nodes: 2

#include <omp.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "../check.h"

static int living = 0;

struct Guest {
  Guest() {
#pragma omp atomic
    ++living;
  }
  ~Guest() {
#pragma omp atomic
    --living;
  }
};

static void after_an_exception() {
  std::string message;
  int caught = 0;
#pragma omp parallel
  {
    const Guest of_the_thread;
#pragma omp for schedule(dynamic, 10)
    for (int i = 0; i < 1000000; ++i) {
      const Guest of_the_iteration;
      try {
        if (i == 777) throw std::runtime_error("at 777");
      } catch (const std::exception& error) {
#pragma omp critical
        {
          message = error.what();
          ++caught;
        }
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
  EXPECT(caught == 1 && message == "at 777", "%d exceptions were caught, and said '%s'.", caught,
         message.c_str());
  EXPECT(living == 0, "%d objects are left.", living);
}

static void found_in_a_vector() {
  std::vector<int> values(20000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 17 % 20011);
  const int wanted = values[19999];
  std::atomic<int> place{-1};
  // The region is one loop; cancelling it leaves the region.
#pragma omp parallel for schedule(static, 50)
  for (int i = 0; i < 20000; ++i) {
    if (values[i] == wanted) {
      place = i;
#pragma omp cancel for
    }
#pragma omp cancellation point for
  }
  EXPECT(place == 19999, "It is at %d.", place.load());
}

int main() {
  for (int round = 0; round < 3; ++round) {
    after_an_exception();
    found_in_a_vector();
  }
  return ok();
}
