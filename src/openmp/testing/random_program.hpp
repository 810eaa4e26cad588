// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of tasks: what each task does, and what has become of it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "base/numbers/random.hpp"
#include "openmp/tasks/task.hpp"

namespace weft::openmp::tasks {

// What a task does, step by step. Scripts are shared by all nodes, as the program is.
struct Script;
enum class StepKind { kCreate, kIncluded, kLoop, kWait, kBeginGroup, kEndGroup, kWaitFor, kFulfil };
struct Step {
  StepKind kind;
  Script* child = nullptr;  // kCreate, kIncluded; kFulfil: whose event
  std::vector<Dependence> dependences;
  std::uint64_t chunks = 0;
};
struct Script {
  Script* parent = nullptr;
  std::vector<Step> steps;
  bool detached = false, tied = true;
  std::int32_t priority = 0;
  Number event = 0;
  unsigned loops = 0;
  // What has become of it.
  int starts = 0;
  bool ended = false;         // its body
  std::uint64_t subtree = 1;  // it and its descendants that have not ended
  std::map<std::uint64_t, int> chunks;
  std::vector<Script*> before;  // those it depends on
  std::vector<Script*> exclusive;
  int running = 0;
};

class Program {
 public:
  Program(Random& random, unsigned threads) : random_(random) {
    const bool has_tasks = random_.below(4) != 0;
    for (unsigned t = 0; t < threads; ++t) {
      Script& script = add(nullptr);
      if (has_tasks && random_.below(3) != 0) fill(script, 0);
      implicit_.push_back(&script);
    }
  }
  [[nodiscard]] Script& implicit(unsigned thread) { return *implicit_[thread]; }
  std::deque<Script> scripts;

 private:
  Script& add(Script* parent) {
    scripts.emplace_back().parent = parent;
    return scripts.back();
  }

  void fill(Script& script, unsigned depth) {
    std::map<std::uintptr_t, std::vector<std::pair<DependenceKind, Script*>>> named;
    unsigned groups = 0;
    const std::uint64_t steps = random_.below(depth == 0 ? 12 : 5);
    std::vector<Script*> events;
    for (std::uint64_t i = 0; i < steps && scripts.size() < 300; ++i) {
      const std::uint64_t choice = random_.below(12);
      if (choice < 7) {
        Script& child = create(script, depth, named);
        if (child.detached) events.push_back(&child);
      } else if (choice == 7) {
        fulfil_all(script, events);
        script.steps.push_back({StepKind::kWait, nullptr, {}});
      } else if (choice == 8) {
        script.steps.push_back({StepKind::kBeginGroup, nullptr, {}});
        ++groups;
      } else if (choice == 9 && groups > 0) {
        fulfil_all(script, events);
        script.steps.push_back({StepKind::kEndGroup, nullptr, {}});
        --groups;
      } else if (choice == 10) {
        script.steps.push_back({.kind = StepKind::kLoop,
                                .child = &script,
                                .dependences = {},
                                .chunks = 1 + random_.below(20)});
        ++script.loops;
      } else {
        fulfil_all(script, events);
        script.steps.push_back(
            {StepKind::kWaitFor, nullptr, {{random_.below(4) + 1, DependenceKind::kOut}}});
      }
    }
    fulfil_all(script, events);
    for (; groups > 0; --groups) script.steps.push_back({StepKind::kEndGroup, nullptr, {}});
  }

  static void fulfil_all(Script& script, std::vector<Script*>& events) {
    for (Script* child : events) script.steps.push_back({StepKind::kFulfil, child, {}});
    events.clear();
  }

  Script& create(Script& script, unsigned depth, auto& named) {
    Script& child = add(&script);
    child.tied = random_.below(6) != 0;
    child.priority = random_.below(5) == 0 ? static_cast<std::int32_t>(random_.below(4)) : 0;
    if (depth < 5) fill(child, depth + 1);
    Step step{random_.below(8) == 0 ? StepKind::kIncluded : StepKind::kCreate, &child, {}};
    if (step.kind == StepKind::kCreate) {
      child.detached = random_.below(8) == 0;
      if (random_.below(2) == 0) name(child, step, named);
    }
    script.steps.push_back(step);
    return child;
  }

  // Draws dependences, and notes in the plainest way what must come before.
  void name(Script& child, Step& step, auto& named) {
    const auto kind = static_cast<DependenceKind>(random_.below(4));
    const std::uintptr_t address = random_.below(4) + 1;
    step.dependences.push_back({address, kind});
    auto& history = named[address];
    bool in_set = kind != DependenceKind::kOut;
    for (auto other = history.rbegin(); other != history.rend(); ++other) {
      in_set = in_set && other->first == kind;
      if (!in_set) child.before.push_back(other->second);
      if (in_set && kind == DependenceKind::kMutex) {
        child.exclusive.push_back(other->second);
        other->second->exclusive.push_back(&child);
      }
    }
    history.emplace_back(kind, &child);
  }

  Random& random_;
  std::vector<Script*> implicit_;
};

}  // namespace weft::openmp::tasks
