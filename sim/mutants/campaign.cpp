// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/mutants/campaign.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <map>
#include <stdexcept>

namespace weft::mutants {
namespace {

constexpr std::size_t kProgressEvery = 100;

}  // namespace

Verdicts Journal::read(const std::string& path) {
  Verdicts verdicts;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    // The last line of a run that was ended may be torn.
    if (tab == std::string::npos || file.eof()) continue;
    verdicts[line.substr(tab + 1)] = Verdict::parse(line.substr(0, tab));
  }
  return verdicts;
}

Journal::Journal(const std::string& path) {
  if (path.empty()) return;
  verdicts_ = read(path);
  file_.open(path, std::ios::app);
  if (!file_) throw std::runtime_error("cannot write " + path);
}

bool Journal::was_found(const std::string& key) const {
  const auto found = verdicts_.find(key);
  return found != verdicts_.end() && found->second.found_by.has_value();
}

void Journal::note(const std::string& key, const Verdict& verdict) {
  verdicts_[key] = verdict;
  if (file_.is_open()) file_ << verdict.text << '\t' << key << std::endl;
}

Verdict Journal::verdict(const std::string& key) const { return verdicts_.at(key); }

void judge_all(const Judge& judge, const std::vector<Place>& places,
               const std::vector<std::size_t>& chosen, std::size_t jobs, Journal& journal) {
  std::map<pid_t, std::size_t> running;
  const auto wait_for_one = [&] {
    int status = 0;
    const auto ended = running.find(wait(&status));
    if (ended == running.end()) return;
    journal.note(places[ended->second].key, judge.verdict_of(ended->second, status));
    running.erase(ended);
  };
  std::size_t done = 0;
  for (const std::size_t place : chosen) {
    if (++done % kProgressEvery == 0) {
      fmt::print(stderr, "  {} of {} mutants\n", done, chosen.size());
    }
    if (journal.was_found(places[place].key)) continue;
    if (!judge.is_reached(place)) {
      journal.note(places[place].key, Verdict::parse("unreached"));
      continue;
    }
    if (running.size() == jobs) wait_for_one();
    running[judge.start(place)] = place;
  }
  while (!running.empty()) wait_for_one();
}

}  // namespace weft::mutants
