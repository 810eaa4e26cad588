// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threadprivate objects of classes over regions of changing sizes: each thread's is constructed
// once, keeps what it has while the team stays the same, and copyin assigns it anew; static members
// and function-local ones; in tasks tied to their thread, and in inner regions.

#include <omp.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "../check.h"

namespace {

std::atomic<int> constructed = 0;

struct Store {
  Store() { ++constructed; }
  Store(const Store&) = default;
  Store& operator=(const Store& other) {
    values = other.values;
    assigned = other.assigned + 1;
    return *this;
  }
  std::map<int, std::string> values{{0, "as it was constructed"}};
  int assigned = 0, uses = 0;
};

struct Holder {
  static Store store;
#pragma omp threadprivate(store)
};
Store Holder::store;

Store global;
#pragma omp threadprivate(global)

Store& local() {
  static Store store;
#pragma omp threadprivate(store)
  return store;
}

void persistence() {
  const int most = omp_get_max_threads();
  for (int round = 0; round < 4; ++round) {
#pragma omp parallel num_threads(most)
    {
      const int me = omp_get_thread_num();
      EXPECT(global.uses == round && Holder::store.uses == 2 * round && local().uses == round,
             "Thread %d, round %d: %d, %d and %d uses.", me, round, global.uses, Holder::store.uses,
             local().uses);
      global.values[round + 1] = "thread " + std::to_string(me);
      ++global.uses, ++local().uses, Holder::store.uses += 2;
    }
  }
#pragma omp parallel num_threads(most)
  {
    EXPECT(global.values.size() == 5, "There are %zu values.", global.values.size());
    EXPECT(global.values[3] == "thread " + std::to_string(omp_get_thread_num()), "It says '%s'.",
           global.values[3].c_str());
  }
}

void copies() {
  const int most = omp_get_max_threads();
  for (int threads = most; threads > 0; --threads) {
    global.values.clear();
    global.values[threads] = "copied in for " + std::to_string(threads);
    global.assigned = 10 * threads;
    int wrong = 0;
#pragma omp parallel num_threads(threads) copyin(global) reduction(+ : wrong)
    {
      const bool is_main = omp_get_thread_num() == 0;
      wrong += global.values.size() != 1;
      wrong += global.values[threads] != "copied in for " + std::to_string(threads);
      wrong += global.assigned != 10 * threads + (is_main ? 0 : 1);
    }
    EXPECT(wrong == 0, "%d mistakes with %d threads.", wrong, threads);
  }
}

// copyprivate hands one thread's object to the others.
void broadcast() {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    Holder::store.values = {{me, "own"}};
#pragma omp single copyprivate(Holder::store)
    Holder::store.values = {{77, "for everyone, and long enough to be on the heap"}};
    EXPECT(Holder::store.values.size() == 1 && Holder::store.values.begin()->first == 77,
           "Thread %d did not get it.", me);
  }
}

}  // namespace

int main() {
  persistence();
  copies();
  broadcast();
  EXPECT(constructed > 0, "Nothing was constructed.");
  return ok();
}
