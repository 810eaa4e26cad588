// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/mutants/judge.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "sim/failure.hpp"
#include "sim/run.hpp"
#include "sim/scenario_file.hpp"

namespace weft::mutants {
namespace {

enum Exit { kNothingNoticed = 0, kScenarioDiffers = 10, kUnitTestFails = 11, kSeedFails = 12 };

void limit(__rlimit_resource what, rlim_t amount) {
  const rlimit both{amount, amount};
  setrlimit(what, &both);
}

// A thrown assertion is a failure, too.
template <typename Fails>
void exit_if(Exit status, Fails fails) {
  try {
    if (fails()) _exit(status);
  } catch (const std::exception&) {
    _exit(status);
  }
}

bool unit_tests_fail() { return RUN_ALL_TESTS() != 0; }

}  // namespace

Judge::Judge(const std::string& scenarios, std::uint64_t seeds) : seeds_(seeds) {
  sim::turn_assertions_into_failures();
  for (const auto& found : std::filesystem::directory_iterator(scenarios)) {
    std::ostringstream text;
    text << std::ifstream(found.path()).rdbuf();
    scenarios_.push_back({text.str(), text.str()});
  }
  if (scenarios_.empty()) throw std::runtime_error("no scenarios in " + scenarios);
  if (scenarios_differ()) throw std::runtime_error("a scenario fails without any mutant");
  if (unit_tests_fail()) throw std::runtime_error("a unit test fails without any mutant");
  if (seeds_fail()) throw std::runtime_error("a seed fails without any mutant");
  // A mutant may take a while longer than all of that, not for ever.
  cpu_seconds_ = 10 + 5 * static_cast<std::uint64_t>(std::clock() / CLOCKS_PER_SEC);
}

bool Judge::scenarios_differ() const {
  for (const Scenario& scenario : scenarios_) {
    std::istringstream commands(scenario.commands);
    if (sim::replay(commands) != scenario.expected) return true;
  }
  return false;
}

bool Judge::seeds_fail() const {
  for (std::uint64_t seed = 0; seed < seeds_; ++seed) {
    if (sim::run_seed(seed).failure) return true;
  }
  return false;
}

void Judge::try_mutant(const Place& place) const {
  limit(RLIMIT_CPU, cpu_seconds_);
  limit(RLIMIT_AS, rlim_t{4} << 30);
  limit(RLIMIT_CORE, 0);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  place.activate();
  exit_if(kScenarioDiffers, [this] { return scenarios_differ(); });
  exit_if(kUnitTestFails, unit_tests_fail);
  exit_if(kSeedFails, [this] { return seeds_fail(); });
  _exit(kNothingNoticed);
}

pid_t Judge::start(const Place& place) const {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start another process");
  if (child == 0) try_mutant(place);
  return child;
}

Verdict Judge::verdict_of(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return signal == SIGXCPU || signal == SIGKILL ? Verdict::kByHang : Verdict::kByCrash;
  }
  switch (WEXITSTATUS(status)) {
    case kNothingNoticed:
      return Verdict::kSurvived;
    case kScenarioDiffers:
      return Verdict::kByScenario;
    case kUnitTestFails:
      return Verdict::kByUnitTest;
    default:
      return Verdict::kBySeed;
  }
}

}  // namespace weft::mutants
