// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// single copyprivate of C++ objects, whose assignment is what must run.

#include <omp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../check.h"

namespace {

struct Counted {
  int value = 0;
  int assigned = 0;
  Counted& operator=(const Counted& other) {
    value = other.value;
    assigned += 1;
    return *this;
  }
};

}  // namespace

int main() {
  int assigned = 0;
#pragma omp parallel reduction(+ : assigned)
  for (int round = 1; round <= 10; ++round) {
    std::string text = "before";
    std::vector<int> numbers;
    std::map<std::string, double> table;
    Counted counted;
#pragma omp single copyprivate(text, numbers, table, counted)
    {
      text =
          "a text that is too long to fit inside of the object, of round " + std::to_string(round);
      for (int i = 0; i < 100 * round; ++i) numbers.push_back(i * round);
      table["pi"] = 3.25;
      table["round"] = round;
      counted.value = round;
    }
    EXPECT(text.size() > 50 &&
               text.substr(text.size() - 2).find_last_not_of("0123456789 ") == std::string::npos,
           "Thread %d got '%s'.", omp_get_thread_num(), text.c_str());
    EXPECT(static_cast<int>(numbers.size()) == 100 * round, "%zu numbers.", numbers.size());
    for (int i = 0; i < 100 * round; ++i)
      EXPECT(numbers[i] == i * round, "numbers[%d] is %d.", i, numbers[i]);
    EXPECT(table.size() == 2 && table["round"] == round, "The table is wrong.");
    EXPECT(counted.value == round, "The counted object holds %d.", counted.value);
    assigned += counted.assigned;
  }
  const int n = omp_get_max_threads();
  EXPECT(assigned == 10 * (n - 1), "%d assignments for %d threads.", assigned, n);
  return ok();
}
