// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/explore/program.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/placement.hpp"
#include "protocol/context/context.hpp"
#include "sim/checkers/failure.hpp"

namespace weft::sim::explore {
namespace {

using Kind = Step::Kind;
using Words = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Words split(const std::string& text, char separator) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) {
    if (word = trimmed(word); !word.empty()) words.push_back(word);
  }
  return words;
}

std::uint32_t place_in(const Words& names, const std::string& name) {
  const auto place = std::ranges::find(names, name);
  SIM_CHECK(place != names.end(), "nothing is called '{}'", name);
  return static_cast<std::uint32_t>(place - names.begin());
}

std::optional<Step::When> when_of(const std::string& word) {
  static constexpr const char* kNames[] = {"even", "odd", "fourth", "old", "new", "last"};
  for (std::size_t index = 0; index < std::size(kNames); ++index) {
    if (word == kNames[index]) return static_cast<Step::When>(index);
  }
  return std::nullopt;
}

Ordering ordering_of(const std::string& word) {
  if (word == "acquire") return Ordering::kAcquire;
  if (word == "release") return Ordering::kRelease;
  SIM_CHECK(word == "both", "no order '{}'", word);
  return Ordering::kAcquireRelease;
}

class Parser {
 public:
  explicit Parser(std::string name) { program_.name = std::move(name); }

  void add_line(std::string line) {
    if (const std::size_t comment = line.find('#'); comment != std::string::npos) {
      if (comment == 0) program_.about += trimmed(line.substr(1)) + " ";
      line.resize(comment);
    }
    line = trimmed(line);
    if (line.empty()) return;
    if (line == "turn:") {
      begin_turn();
    } else if (line.starts_with("outside ") || line.starts_with("handler ")) {
      add_outsider(line.substr(8));
      program_.outsiders.back().is_told = line.starts_with("outside ");
    } else if (in_turn_) {
      add_steps(line);
    } else {
      add_setting(split(line, ' '));
    }
  }

  void add_settings(const Words& settings) {
    for (const std::string& setting : settings) {
      const Words parts = split(setting, '=');
      SIM_CHECK(parts.size() == 2, "'{}' is not name=value", setting);
      const bool is_own = parts[0] == "warm" || parts[0] == "turns" || parts[0] == "reads" ||
                          parts[0] == "races" || parts[0] == "together";
      if (parts[0] == "at") {
        homes_ = {parts[1]};
      } else if (is_own) {
        add_setting(parts);
      } else {
        configure(program_.plan.config, parts[0], parts[1]);
      }
    }
  }

  Program finish() {
    SIM_CHECK(in_turn_, "there is no 'turn:'");
    for (std::vector<Step>& steps : program_.team) name_phases(steps);
    program_.plan.outsiders.resize(program_.outsiders.size());
    return std::move(program_);
  }

 private:
  void begin_turn() {
    in_turn_ = true;
    for (std::uint64_t page = 0; page < program_.plan.config.page_count; ++page) {
      const auto home = static_cast<std::uint16_t>(number(homes_[page % homes_.size()]));
      program_.plan.config.initial_homes.push_back({PageRange{PageIndex(page), 1}, NodeId(home)});
    }
    for (const std::string& lock : locks_) add_lock(lock);
    program_.team.resize(program_.plan.team_size());
  }

  void add_setting(const Words& words) {
    const std::string& verb = words.front();
    const Words values(words.begin() + 1, words.end());
    SIM_CHECK(!values.empty(), "'{}' of what?", verb);
    if (verb == "nodes") {
      program_.plan.config.node_count = static_cast<std::uint16_t>(number(values[0]));
    } else if (verb == "threads") {
      program_.plan.threads_per_node = static_cast<unsigned>(number(values[0]));
    } else if (verb == "pages") {
      program_.plan.config.page_count = number(values[0]);
    } else if (verb == "homes") {
      homes_ = values;
    } else if (verb == "cells") {
      for (const std::string& cell : values) add_cell(cell);
    } else if (verb == "locks") {
      locks_ = values;
    } else if (verb == "warm") {
      program_.warm = static_cast<unsigned>(number(values[0]));
    } else if (verb == "turns") {
      program_.turns = static_cast<unsigned>(number(values[0]));
    } else if (verb == "reads") {
      program_.reads_late = values[0] == "late";
    } else if (verb == "together") {
      program_.nodes_per_host = values[0] == "yes" ? program_.config().node_count : 1;
    } else if (verb == "races") {
      program_.races = values[0] == "yes";
    } else {
      SIM_CHECK(verb == "config" || verb == "also", "no setting '{}'", verb);
      if (verb == "config") add_settings(values);
    }
  }

  void add_cell(const std::string& text) {
    const Words parts = split(text, '=');
    SIM_CHECK(parts.size() == 2, "a cell is name=page:offset, not '{}'", text);
    const Words place = split(parts[1], ':');
    SIM_CHECK(place.size() == 2, "a cell is name=page:offset, not '{}'", text);
    const std::uint64_t offset = number(place[1]);
    SIM_CHECK(offset % 8 == 0 && offset < kPageBytes, "cell '{}' is not aligned", text);
    program_.cell_names.push_back(parts[0]);
    program_.plan.cells.push_back({GlobalOffset(number(place[0]) * kPageBytes + offset), 8, true});
  }

  // Of a number such that the node manages it.
  void add_lock(const std::string& text) {
    const Words parts = split(text, '@');
    const NodeId manager(static_cast<std::uint16_t>(parts.size() > 1 ? number(parts[1]) : 0));
    SIM_CHECK(manager.value() < program_.plan.config.node_count, "no node {}", manager.value());
    std::uint64_t id = 100 * (program_.locks.size() + 1);
    while (keeper_of(id, program_.plan.config.node_count) != manager) ++id;
    program_.lock_names.push_back(parts[0]);
    program_.locks.push_back(LockId(id));
  }

  void add_outsider(const std::string& text) {
    const std::size_t colon = text.find(':');
    SIM_CHECK(colon != std::string::npos, "outside NODE: steps");
    Program::Outsider outsider;
    outsider.node = static_cast<std::uint16_t>(number(trimmed(text.substr(0, colon))));
    for (const std::string& step : split(text.substr(colon + 1), ';')) {
      add_step(step, outsider.steps);
      program_.moves = program_.moves || outsider.steps.back().kind == Step::Kind::kMove;
    }
    program_.outsiders.push_back(std::move(outsider));
  }

  void add_steps(const std::string& line) {
    const std::size_t colon = line.find(':');
    const std::string who = colon == std::string::npos ? "*" : trimmed(line.substr(0, colon));
    const std::string steps = colon == std::string::npos ? line : line.substr(colon + 1);
    for (const std::string& step : split(steps, ';')) {
      for (const unsigned thread : threads_of(who)) add_step(step, program_.team[thread]);
    }
  }

  [[nodiscard]] std::vector<unsigned> threads_of(const std::string& who) const {
    std::vector<unsigned> threads;
    const unsigned first = who == "others" ? 1 : 0;
    if (who == "*" || who == "others") {
      for (unsigned each = first; each < program_.plan.team_size(); ++each) threads.push_back(each);
      return threads;
    }
    for (const std::string& one : split(who, ',')) {
      const Words parts = split(one, '.');
      const std::uint64_t local = parts.size() > 1 ? number(parts[1]) : 0;
      const std::uint64_t thread = number(parts[0]) * program_.plan.threads_per_node + local;
      SIM_CHECK(thread < program_.plan.team_size() && local < program_.plan.threads_per_node,
                "no thread {}", one);
      threads.push_back(static_cast<unsigned>(thread));
    }
    return threads;
  }

  void add_step(const std::string& text, std::vector<Step>& steps) {
    Words words = split(text, ' ');
    Step step;
    step.text = text;
    while (words.size() > 1) {
      const std::optional<Step::When> when = when_of(words.back());
      if (!when) break;
      step.when.push_back(*when);
      words.pop_back();
    }
    const std::string& verb = words[0];
    if (verb == "update" || verb == "max") return add_pair(step, words, steps);
    if (verb == "sum") return add_sum(step, words, steps);
    if (!read_operands(verb, words, step)) throw Failure("no step '" + text + "'");
    steps.push_back(step);
  }

  void add_pair(Step step, const Words& words, std::vector<Step>& steps) {
    step.what = place_in(program_.cell_names, operand(words));
    step.kind = words[0] == "max" ? Kind::kReadMax : Kind::kRead;
    steps.push_back(step);
    step.kind = words[0] == "max" ? Kind::kWriteMax : Kind::kWrite;
    steps.push_back(step);
  }

  // By the right to add; and from "lock" on, what is done if that is not there.
  void add_sum(Step step, const Words& words, std::vector<Step>& steps) {
    SIM_CHECK(words.size() == 3 || words.size() == 5, "a sum is 'sum L C' or 'sum L C from D'");
    step.lock = place_in(program_.lock_names, words[1]);
    const std::uint32_t sum = place_in(program_.cell_names, words[2]);
    std::uint32_t term = 0;
    if (words.size() == 5) {
      term = place_in(program_.cell_names, words[4]);
      step.term = static_cast<std::int32_t>(term);
    }
    const auto add = [&](Kind kind, std::uint32_t what, const char* part) {
      Step made = step;
      made.kind = kind;
      made.what = what;
      made.text += std::string(" (") + part + ")";
      steps.push_back(std::move(made));
    };
    add(Kind::kBeginSum, sum, "begins");
    if (step.term >= 0) add(Kind::kTakeTerm, term, "takes the term");
    add(Kind::kAddSum, sum, "adds");
    add(Kind::kLock, step.lock, "locks");
    if (step.term >= 0) add(Kind::kReadTerm, term, "reads the term");
    add(Kind::kRead, sum, "reads");
    add(Kind::kWriteSum, sum, "writes");
    add(Kind::kUnlock, step.lock, "unlocks");
  }

  static const std::string& operand(const Words& words) {
    SIM_CHECK(words.size() > 1, "'{}' of what?", words[0]);
    return words[1];
  }

  bool read_operands(const std::string& verb, const Words& words, Step& step) {
    struct Verb {
      const char* name;
      Kind kind;
      char operand;  // Cell, Lock, its Data, Sequencer, a Number, or none
    };
    static constexpr Verb kVerbs[] = {
        {"read", Kind::kRead, 'C'},         {"write", Kind::kWrite, 'C'},
        {"zero", Kind::kZero, 'C'},         {"count", Kind::kCount, 'C'},
        {"store", Kind::kStore, 'C'},       {"see", Kind::kSee, 'C'},
        {"end", Kind::kEnd, ' '},           {"lock", Kind::kLock, 'L'},
        {"peek", Kind::kPeek, 'C'},         {"try", Kind::kTry, 'L'},
        {"unlock", Kind::kUnlock, 'L'},     {"advance", Kind::kAdvance, 'S'},
        {"await", Kind::kAwait, 'S'},       {"post", Kind::kPost, 'N'},
        {"take", Kind::kTake, ' '},         {"move", Kind::kMove, 'N'},
        {"gather", Kind::kGather, ' '},     {"barrier", Kind::kBarrier, ' '},
        {"publish", Kind::kPublish, ' '},   {"receive", Kind::kReceive, ' '},
        {"flush", Kind::kFlush, ' '},       {"fence", Kind::kFence, ' '},
        {"evict", Kind::kEvict, 'N'},       {"overwrite", Kind::kOverwrite, 'C'},
        {"prefetch", Kind::kPrefetch, 'C'}, {"replace", Kind::kReplace, 'C'},
        {"commit", Kind::kCommit, 'C'},     {"own", Kind::kOwn, 'C'},
        {"name", Kind::kNameData, 'D'}};
    const auto* known =
        std::ranges::find_if(kVerbs, [&](const Verb& each) { return verb == each.name; });
    if (known == std::end(kVerbs)) return false;
    step.kind = known->kind;
    if (known->operand == 'C') step.what = place_in(program_.cell_names, operand(words));
    if (known->operand == 'L') step.what = place_in(program_.lock_names, operand(words));
    if (known->operand == 'D') {
      SIM_CHECK(words.size() == 3, "data is named by 'name L C'");
      step.lock = place_in(program_.lock_names, words[1]);
      step.what = place_in(program_.cell_names, words[2]);
    }
    if (known->operand == 'S') add_sequencer(words, step);
    if (known->operand == 'N') step.what = static_cast<std::uint32_t>(number(operand(words)));
    read_marks(words, step);
    return true;
  }

  void add_sequencer(const Words& words, Step& step) {
    Words& names = program_.sequencer_names;
    const std::string& name = operand(words);
    if (std::ranges::find(names, name) == names.end()) {
      const std::size_t at = name.find('@');
      const auto keeper = at == std::string::npos ? 0 : number(name.substr(at + 1));
      program_.sequencers.push_back(
          placed_sequencer(NodeId(static_cast<std::uint16_t>(keeper)), names.size()));
      names.push_back(name);
    }
    step.what = place_in(names, name);
    if (words.size() > 2) step.count = static_cast<std::uint32_t>(number(words[2]));
  }

  static void read_marks(const Words& words, Step& step) {
    if (step.kind == Kind::kBarrier) {
      step.holds = std::ranges::find(words, "hold") != words.end();
      step.votes = std::ranges::find(words, "voteless") == words.end();
      step.brings_memory = std::ranges::find(words, "memory") != words.end();
    }
    if (step.kind == Kind::kStore || step.kind == Kind::kSee) {
      step.confirms = std::ranges::find(words, "confirmed") != words.end();
      step.by_flush = step.confirms || std::ranges::find(words, "flushed") != words.end();
      step.is_silent = std::ranges::find(words, "silent") != words.end();
      step.is_unless = std::ranges::find(words, "unless") != words.end();
      step.hurries = std::ranges::find(words, "hurried") != words.end();
      step.is_patient = step.hurries || std::ranges::find(words, "patient") != words.end();
    }
    const bool is_ordered = step.kind == Kind::kCount || step.kind == Kind::kPeek;
    if (!is_ordered || words.size() < 3) return;
    if (words[2] == "merged" && step.kind == Kind::kCount) {
      step.kind = Kind::kMerge;
    } else {
      step.ordering = ordering_of(words[2]);
    }
  }

  // The phases of a turn are called 10, 11, ..., the same for all threads.
  static void name_phases(std::vector<Step>& steps) {
    const auto ends_phase = [](const Step& step) {
      return step.kind == Kind::kBarrier || step.kind == Kind::kPublish ||
             step.kind == Kind::kReceive;
    };
    const auto count = static_cast<std::uint64_t>(std::ranges::count_if(steps, ends_phase));
    SIM_CHECK(count > 0, "a thread has no barrier");
    std::uint64_t done = 0;
    for (Step& step : steps) {
      if (ends_phase(step)) step.next = PhaseKey(10 + ++done % count);
    }
  }

  Program program_;
  Words homes_ = {"0"}, locks_;
  bool in_turn_ = false;
};

Program parse_program(const std::string& name, const std::string& text, const Words& settings) {
  Parser parser(name);
  std::istringstream lines(text);
  unsigned count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    try {
      if (line.starts_with("turn:")) parser.add_settings(settings);
      parser.add_line(line);
    } catch (const Failure& failure) {
      throw Failure(fmt::format("world {}, line {}: {}", name, count, failure.what()));
    }
  }
  return parser.finish();
}

}  // namespace

std::vector<Program> parse_programs(const std::string& name, const std::string& text) {
  std::vector<Program> programs = {parse_program(name, text, {})};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("also ")) continue;
    Words words = split(line.substr(5), ' ');
    const std::string own = words.empty() ? "" : words.front();
    words.erase(words.begin(), words.begin() + (words.empty() ? 0 : 1));
    programs.push_back(parse_program(name + "/" + own, text, words));
  }
  return programs;
}

}  // namespace weft::sim::explore
