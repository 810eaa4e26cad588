// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threadprivate objects of C++ classes: constructed for each thread, and copied in by assignment.

#include <omp.h>

#include <string>
#include <vector>

#include "../check.h"

namespace {

struct Tracker {
  std::string name = "a default name that is longer than the object";
  std::vector<int> seen;
  Tracker() = default;
  Tracker(const Tracker&) = default;
  Tracker& operator=(const Tracker&) = default;
};

Tracker tracker;
#pragma omp threadprivate(tracker)

thread_local int plain_thread_local = 3;

}  // namespace

int main() {
#pragma omp parallel
  {
    EXPECT(tracker.name.size() == 45, "Thread %d's object starts as '%s'.", omp_get_thread_num(),
           tracker.name.c_str());
    EXPECT(plain_thread_local == 3, "A thread_local starts as %d.", plain_thread_local);
    tracker.seen.assign(omp_get_thread_num() + 1, omp_get_thread_num());
    plain_thread_local = omp_get_thread_num();
  }
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    EXPECT(static_cast<int>(tracker.seen.size()) == me + 1 && tracker.seen[me] == me,
           "Thread %d's object lost its vector.", me);
    EXPECT(plain_thread_local == me, "Thread %d's thread_local is %d.", me, plain_thread_local);
  }
  tracker.name = "another name, which is copied into all of the threads";
  tracker.seen = {1, 2, 3};
#pragma omp parallel copyin(tracker)
  {
    EXPECT(tracker.name.substr(0, 12) == "another name", "Thread %d got '%s'.",
           omp_get_thread_num(), tracker.name.c_str());
    EXPECT(tracker.seen.size() == 3 && tracker.seen[2] == 3, "The vector was not copied in.");
  }
  return ok();
}
