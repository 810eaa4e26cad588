// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static objects: constructed once for the whole program, in order, before main; statics in
// functions on their first use, by whichever thread; inline variables and static members; destroyed
// once.

#include <omp.h>

#include <array>
#include <string>
#include <vector>

#include "../check.h"

namespace {

int constructions = 0;

struct Announced {
  explicit Announced(const char* n) : name(n), order(++constructions) {}
  ~Announced() { constructions -= 1; }
  std::string name;
  int order;
};

Announced first("the first object, with a long name so that it is on the heap");
Announced second(first.name.empty() ? "too early" : "the second object");

struct Holder {
  static inline std::vector<int> numbers{1, 2, 3};
};

const std::vector<std::string>& early() {
  static const std::vector<std::string> made(10, "made by the main thread, before any region");
  return made;
}

}  // namespace

int main() {
  EXPECT(constructions == 2 && first.order == 1 && second.order == 2,
         "%d objects were constructed.", constructions);
  EXPECT(second.name == "the second object", "The second object is '%s'.", second.name.c_str());
  EXPECT(early().size() == 10, "The early static is wrong.");
#pragma omp parallel
  {
    EXPECT(first.name.size() == 60, "Thread %d sees the name '%s'.", omp_get_thread_num(),
           first.name.c_str());
    EXPECT(Holder::numbers.size() == 3 && Holder::numbers[2] == 3, "The inline vector is wrong.");
    EXPECT(early()[9].size() == 42, "The early static is wrong in the region.");
#pragma omp barrier
#pragma omp single
    Holder::numbers.push_back(4);
    EXPECT(Holder::numbers.size() == 4, "The vector has %zu elements.", Holder::numbers.size());
  }
  return ok();
}
