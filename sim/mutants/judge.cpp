// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/mutants/judge.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <stdexcept>

namespace weft::mutants {
namespace {

enum Exit { kNothingNoticed = 0, kNoticed = 10 };

// Of processor time, for one trial: the longest takes a tenth of a second.
constexpr suseconds_t kMostMicroseconds = 900'000;
constexpr rlim_t kMostBytes = rlim_t{1} << 30;

void limit(__rlimit_resource what, rlim_t amount) {
  const rlimit both{amount, amount};
  setrlimit(what, &both);
}

void be_quiet() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

// A thrown assertion is a failure, too. One that hangs is ended by a signal.
bool notices(const Trial& trial) {
  const itimerval most{{0, 0}, {0, kMostMicroseconds}};
  setitimer(ITIMER_VIRTUAL, &most, nullptr);
  try {
    return trial.fails();
  } catch (const std::exception&) {
    return true;
  }
}

const char* ending(int status) {
  if (!WIFSIGNALED(status)) return "";
  const int signal = WTERMSIG(status);
  return signal == SIGVTALRM || signal == SIGKILL ? ": hang" : ": crash";
}

}  // namespace

Verdict Verdict::parse(const std::string& text) {
  if (text == "unreached") return {std::nullopt, false, text};
  for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
    if (text.starts_with(kStages[stage])) return {static_cast<Stage>(stage), true, text};
  }
  return {std::nullopt, true, text};
}

Judge::Judge(const std::vector<Place>& places, const std::vector<Trial>& trials)
    : places_(places), trials_(trials) {
  void* const shared = mmap(nullptr, places.size() * sizeof(*at_), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("no memory to share with other processes");
  at_ = static_cast<std::uint32_t*>(shared);
}

Judge::~Judge() { munmap(at_, places_.size() * sizeof(*at_)); }

bool Judge::is_reached(std::size_t place) const {
  return std::ranges::any_of(trials_, [&](const Trial& trial) { return trial.reached[place]; });
}

void Judge::try_mutant(std::size_t place) const {
  limit(RLIMIT_AS, kMostBytes);
  limit(RLIMIT_CORE, 0);
  be_quiet();
  places_[place].activate();
  for (std::size_t index = 0; index < trials_.size(); ++index) {
    if (!trials_[index].reached[place]) continue;
    at_[place] = static_cast<std::uint32_t>(index);
    if (notices(trials_[index])) _exit(kNoticed);
  }
  _exit(kNothingNoticed);
}

pid_t Judge::start(std::size_t place) const {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start another process");
  if (child == 0) try_mutant(place);
  return child;
}

Verdict Judge::verdict_of(std::size_t place, int status) const {
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNothingNoticed) return Verdict::parse("alive");
  const Trial& trial = trials_[at_[place]];
  const std::string stage = kStages[static_cast<std::size_t>(trial.stage)];
  return Verdict::parse(stage + " " + trial.name + ending(status));
}

}  // namespace weft::mutants
