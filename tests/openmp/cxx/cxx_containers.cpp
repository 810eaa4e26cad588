// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard containers and strings built by some threads and read, changed and destroyed by others.

#include <omp.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "../check.h"

namespace {

std::vector<std::string> names;  // constructed before main
std::map<int, std::vector<double>> table;

void each_its_own_element() {
  std::vector<std::vector<std::string>> rows(200);
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < 200; ++i)
    for (int k = 0; k < i % 13 + 1; ++k)
      rows[i].push_back("row " + std::to_string(i) + " has an element number " + std::to_string(k));
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 200; ++i) {
    EXPECT(static_cast<int>(rows[i].size()) == i % 13 + 1, "Row %d has %zu.", i, rows[i].size());
    EXPECT(rows[i].back() ==
               "row " + std::to_string(i) + " has an element number " + std::to_string(i % 13),
           "Row %d ends with '%s'.", i, rows[i].back().c_str());
    rows[i].emplace_back("added");
    std::sort(rows[i].rbegin(), rows[i].rend());
  }
  std::size_t total = 0;
  for (const auto& row : rows) total += row.size();
  EXPECT(total == 200 + 1380, "There are %zu elements.", total);
}

void under_a_critical_section() {
#pragma omp parallel for
  for (int i = 0; i < 300; ++i) {
    std::ostringstream text;
    text << "name " << i << " of " << 300;
#pragma omp critical(names)
    names.push_back(text.str());
#pragma omp critical(table)
    table[i % 17].push_back(i * 0.5);
  }
  std::sort(names.begin(), names.end());
  EXPECT(names.size() == 300 && std::unique(names.begin(), names.end()) == names.end(),
         "There are %zu names.", names.size());
  double sum = 0;
  for (const auto& [key, values] : table) sum += std::accumulate(values.begin(), values.end(), 0.0);
  EXPECT(table.size() == 17 && sum == 22425, "The table's sum is %g.", sum);
}

void many_kinds() {
  std::unordered_map<std::string, int> counts;
  std::list<std::unique_ptr<int>> owned;
  std::deque<std::variant<int, std::string>> mixed;
  std::set<int> ordered;
  std::optional<std::string> last;
  std::function<int(int)> add;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      for (int i = 0; i < 100; ++i) counts["word number " + std::to_string(i % 9)] += i;
#pragma omp section
      for (int i = 0; i < 100; ++i) owned.push_back(std::make_unique<int>(i));
#pragma omp section
      for (int i = 0; i < 100; ++i)
        i % 2 ? mixed.emplace_back(i) : mixed.emplace_back(std::string(i, 'x'));
#pragma omp section
      for (int i = 99; i >= 0; --i) ordered.insert(i);
#pragma omp section
      {
        last = "a string that is kept in an optional, on the heap";
        const int base = static_cast<int>(last->size()) - 37;
        add = [base, text = std::string(100, 'y')](int x) { return x + base + int(text.size()); };
      }
    }
    const int sum = std::accumulate(counts.begin(), counts.end(), 0,
                                    [](int s, const auto& entry) { return s + entry.second; });
    EXPECT(counts.size() == 9 && sum == 4950, "Thread %d counts %d.", omp_get_thread_num(), sum);
    EXPECT(owned.size() == 100 && *owned.back() == 99, "The list is wrong.");
    EXPECT(std::get<std::string>(mixed[98]).size() == 98 && std::get<int>(mixed[99]) == 99,
           "The deque is wrong.");
    EXPECT(*ordered.begin() == 0 && ordered.count(57), "The set is wrong.");
    EXPECT(last && last->size() == 49, "The optional is wrong.");
    EXPECT(add(1) == 113, "The function gave %d.", add(1));
#pragma omp barrier
#pragma omp single
    {
      owned.clear();
      counts.clear();
      mixed.resize(3);
    }
  }
  EXPECT(owned.empty() && counts.empty() && mixed.size() == 3, "Something was not cleared.");
}

}  // namespace

int main() {
  each_its_own_element();
  under_a_critical_section();
  many_kinds();
  return ok();
}
