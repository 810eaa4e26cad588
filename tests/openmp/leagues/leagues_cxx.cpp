// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leagues of several teams in C++: private objects with constructors and destructors, reductions of
// classes, exceptions inside a team, containers that teams fill, regions with tasks in each team,
// static locals and threadprivate variables.

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "../check.h"

namespace {

constexpr int kTeams = 11;

std::atomic<int> alive{0}, made{0};

struct Counted {
  explicit Counted(int v) : value(v) { note(); }
  Counted(const Counted& other) : value(other.value + 1) { note(); }
  ~Counted() { --alive; }
  Counted& operator=(const Counted&) = default;
  static void note() {
    ++alive;
    ++made;
  }
  int value;
};

void private_objects(int teams) {
  {
    const Counted original(41);
    made = 0;
#pragma omp teams num_teams(teams) firstprivate(original)
    EXPECT(original.value == 42, "A team's copy has %d.", original.value);
    EXPECT(made == teams, "%d copies for %d teams.", made.load(), teams);
  }
  EXPECT(alive == 0, "%d objects are left.", alive.load());
}

struct Histogram {
  std::map<int, long> counts;
  Histogram& operator+=(const Histogram& other) {
    for (const auto& [key, count] : other.counts) counts[key] += count;
    return *this;
  }
};
#pragma omp declare reduction(merge:Histogram : omp_out += omp_in)

void reduction_of_class(int teams) {
  Histogram histogram;
  std::vector<int> order(1000);
  std::iota(order.begin(), order.end(), 0);
#pragma omp teams distribute parallel for num_teams(teams) reduction(merge : histogram)
  for (std::size_t i = 0; i < order.size(); ++i) histogram.counts[order[i] % 7] += 1;
  long total = 0;
  for (const auto& [key, count] : histogram.counts) total += count;
  EXPECT(histogram.counts.size() == 7 && total == 1000, "%zu bins with %ld.",
         histogram.counts.size(), total);
}

void exceptions_and_containers(int teams) {
  std::vector<std::string> sentences(static_cast<std::size_t>(teams));
  std::vector<std::unique_ptr<std::vector<int>>> lists(static_cast<std::size_t>(teams));
  std::vector<int> shared_list;
  std::mutex guard;
#pragma omp teams num_teams(teams)
  {
    const int me = omp_get_team_num();
    try {
      throw std::runtime_error("thrown by team " + std::to_string(me));
    } catch (const std::exception& e) {
      sentences[static_cast<std::size_t>(me)] = e.what();
    }
    auto list = std::make_unique<std::vector<int>>();
    for (int i = 0; i < 100; ++i) list->push_back(me * i);
    lists[static_cast<std::size_t>(me)] = std::move(list);
    const std::lock_guard<std::mutex> locked(guard);
    shared_list.push_back(me);
  }
  std::sort(shared_list.begin(), shared_list.end());
  for (int t = 0; t < teams; ++t) {
    const auto i = static_cast<std::size_t>(t);
    EXPECT(sentences[i] == "thrown by team " + std::to_string(t), "'%s'.", sentences[i].c_str());
    EXPECT(lists[i]->size() == 100 && lists[i]->back() == 99 * t, "A wrong list of team %d.", t);
    EXPECT(shared_list[i] == t, "Team %d is not in the list of all.", t);
  }
}

// Tasks of a team's region stay in the team.
void tasks(int teams) {
  std::vector<long> sums(static_cast<std::size_t>(teams));
#pragma omp teams num_teams(teams)
  {
    const int me = omp_get_team_num();
    long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(3) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) {
      EXPECT(omp_get_team_num() == me, "A task of team %d runs in team %d.", me,
             omp_get_team_num());
      sum += i;
    }
    sums[static_cast<std::size_t>(me)] = sum;
  }
  for (const long sum : sums) EXPECT(sum == 4950, "A team's tasks summed to %ld.", sum);
}

int& initialised_once() {
  static std::atomic<int> initialisations{0};
  static int value = 100 + ++initialisations;
  return value;
}

thread_local int own = 5;

void statics(int teams) {
  int wrong = 0;
#pragma omp teams num_teams(teams) reduction(+ : wrong)
  {
    wrong += initialised_once() != 101;
    own += 1;
    wrong += own < 6;
  }
  EXPECT(wrong == 0, "%d teams saw a wrong value.", wrong);
}

}  // namespace

int main() {
  int teams = kTeams;
#pragma omp teams num_teams(kTeams) shared(teams)
  if (omp_get_team_num() == 0) teams = omp_get_num_teams();
  for (int round = 0; round < 3; ++round) {
    private_objects(teams);
    reduction_of_class(teams);
    exceptions_and_containers(teams);
    tasks(teams);
    statics(teams);
  }
  return ok();
}
