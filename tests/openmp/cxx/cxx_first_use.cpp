// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static variable in a function is constructed on the first use, once, by whichever thread comes
// first; the others wait, and see it whole. One whose constructor throws is tried again.

#include <omp.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "../check.h"

namespace {

int constructions = 0;
int attempts = 0;

const std::vector<std::string>& made_on_first_use() {
  static const std::vector<std::string> made = [] {
#pragma omp atomic
    constructions += 1;
    return std::vector<std::string>(20, "a string that was made on the first use");
  }();
  return made;
}

int made_on_the_second_attempt() {
  static const int made = [] {
    int attempt;
#pragma omp atomic capture
    attempt = ++attempts;
    if (attempt == 1) throw std::runtime_error("not yet");
    return 100 + attempt;
  }();
  return made;
}

}  // namespace

int main() {
  int refusals = 0;
#pragma omp parallel reduction(+ : refusals)
  {
    const std::vector<std::string>& made = made_on_first_use();
    EXPECT(made.size() == 20 && made[19].size() == 39, "Thread %d sees %zu strings.",
           omp_get_thread_num(), made.size());
    try {
      EXPECT(made_on_the_second_attempt() == 102, "The second attempt gave %d.",
             made_on_the_second_attempt());
    } catch (const std::runtime_error&) {
      refusals += 1;
    }
  }
  EXPECT(constructions == 1, "The vector was constructed %d times.", constructions);
  EXPECT(refusals == 1, "%d threads met the exception.", refusals);
  EXPECT(made_on_the_second_attempt() == 102 && attempts == 2, "%d attempts.", attempts);
  return ok();
}
