// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/mutants/campaign.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <map>

namespace weft::mutants {
namespace {

constexpr std::size_t kProgressEvery = 100;

}  // namespace

std::vector<Judged> judge_all(const Judge& judge, const std::vector<Place>& places,
                              std::size_t jobs) {
  std::vector<Judged> judged;
  std::map<pid_t, std::size_t> running;  // the index in `judged`
  const auto wait_for_one = [&] {
    int status = 0;
    const auto ended = running.find(wait(&status));
    if (ended == running.end()) return;
    judged[ended->second].verdict = Judge::verdict_of(status);
    running.erase(ended);
  };
  for (const Place& place : places) {
    judged.push_back({&place, Verdict::kNotReached});
    if (judged.size() % kProgressEvery == 0) {
      fmt::print(stderr, "  {} of {} mutants\n", judged.size(), places.size());
    }
    if (!place.was_reached()) continue;
    if (running.size() == jobs) wait_for_one();
    running[judge.start(place)] = judged.size() - 1;
  }
  while (!running.empty()) wait_for_one();
  return judged;
}

}  // namespace weft::mutants
