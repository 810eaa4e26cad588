// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a world's lines "config" and "also" may set.
#include <algorithm>
#include <optional>
#include <utility>

#include "sim/checkers/failure.hpp"
#include "sim/explore/program.hpp"

namespace weft::sim::explore {
namespace {

std::optional<std::uint64_t> choice(const std::string& value,
                                    std::initializer_list<const char*> names) {
  std::uint64_t index = 0;
  for (const char* name : names) {
    if (value == name) return index;
    ++index;
  }
  return std::nullopt;
}

bool configure_policy(EngineConfig& config, const std::string& name, const std::string& value) {
  std::optional<std::uint64_t> found;
  if (name == "homes" && (found = choice(value, {"settle", "follow", "stay"}))) {
    config.home_policy = static_cast<HomePolicy>(*found);
  } else if (name == "push" && (found = choice(value, {"off", "wait", "join"}))) {
    config.push_policy = static_cast<PushPolicy>(*found);
  } else if (name == "locks" && (found = choice(value, {"plain", "write-vector", "rmp", "rmp-lm",
                                                        "rmp-mh", "weft"}))) {
    config.lock_policy = static_cast<LockPolicy>(*found);
  } else if (name == "release" && (found = choice(value, {"lazy", "eager"}))) {
    config.release_policy = static_cast<ReleasePolicy>(*found);
  } else if (name == "atomics" && (found = choice(value, {"each", "merge"}))) {
    config.atomic_policy = static_cast<AtomicPolicy>(*found);
  } else if (name == "reads" && (found = choice(value, {"asked", "one-sided"}))) {
    config.read_policy = static_cast<ReadPolicy>(*found);
  }
  return found.has_value();
}

}  // namespace

std::uint64_t number(const std::string& word) {
  const bool is_number =
      !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  SIM_CHECK(is_number, "'{}' is not a number", word);
  return std::stoull(word);
}

void configure(EngineConfig& config, const std::string& name, const std::string& value) {
  if (configure_policy(config, name, value)) return;
  struct Number {
    const char* name;
    std::uint32_t EngineConfig::* place;
  };
  static constexpr Number kNumbers[] = {{"crossing-proof", &EngineConfig::crossing_proof},
                                        {"empty-proof", &EngineConfig::empty_barrier_proof},
                                        {"met-bytes", &EngineConfig::met_contribution_bytes},
                                        {"rhythm-proof", &EngineConfig::rhythm_proof},
                                        {"watched-writes", &EngineConfig::watched_writes},
                                        {"barrier-pages", &EngineConfig::barrier_pages},
                                        {"quick-turn-pages", &EngineConfig::quick_turn_pages},
                                        {"carried-to-readers", &EngineConfig::carried_to_readers},
                                        {"few-prefetched", &EngineConfig::few_prefetched},
                                        {"scattered-proof", &EngineConfig::scattered_proof},
                                        {"barriers-per-tree", &EngineConfig::barriers_per_tree},
                                        {"arity", &EngineConfig::barrier_arity},
                                        {"exchange-percent", &EngineConfig::exchange_percent},
                                        {"leaf-shift", &EngineConfig::leaf_shift},
                                        {"remembered-homes", &EngineConfig::remembered_homes},
                                        {"kept-pages", &EngineConfig::kept_pages},
                                        {"exposure-proof", &EngineConfig::exposure_proof},
                                        {"fairness", &EngineConfig::lock_fairness},
                                        {"entrust-proof", &EngineConfig::entrust_proof},
                                        {"replaced-bytes", &EngineConfig::replaced_bytes},
                                        {"replaced-notices", &EngineConfig::replaced_notices},
                                        {"right-uses", &EngineConfig::right_uses},
                                        {"right-rest", &EngineConfig::right_rest},
                                        {"collected-records", &EngineConfig::collected_records},
                                        {"part-bytes", &EngineConfig::contribution_part_bytes}};
  const auto* known =
      std::ranges::find_if(kNumbers, [&](const Number& each) { return name == each.name; });
  static constexpr std::pair<const char*, bool EngineConfig::*> kForced[] = {
      {"pushes-for-good", &EngineConfig::pushes_for_good},
      {"entrusts-at-first", &EngineConfig::entrusts_at_first},
      {"carries-all", &EngineConfig::carries_all},
      {"fetches-leaves", &EngineConfig::fetches_leaves}};
  for (const auto& [forced, place] : kForced) {
    if (name == forced) return void(config.*place = number(value) != 0);
  }
  const bool is_flat = name == "shaped-nodes";
  SIM_CHECK(is_flat || known != std::end(kNumbers), "no setting '{}={}'", name, value);
  const auto wanted = static_cast<std::uint32_t>(number(value));
  if (is_flat) {
    config.shaped_nodes = static_cast<std::uint16_t>(wanted);
  } else {
    config.*(known->place) = wanted;
  }
}

}  // namespace weft::sim::explore
