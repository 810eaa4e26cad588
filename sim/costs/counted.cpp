// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/costs/counted.hpp"

#include <fmt/format.h>

namespace weft::sim::costs {
void Counted::add(const EngineCounters& counters) {
  for (const CounterInfo& each : engine_counters())
    add(std::string(each.name), counters.*each.value);
}

Counted Counted::since(const Counted& before) const {
  Counted rest = *this;
  for (const auto& [name, number] : before.numbers_) rest.numbers_[name] -= number;
  return rest;
}

std::string Counted::text() const {
  std::string text;
  for (const auto& [name, number] : numbers_) {
    if (number == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, number);
  }
  return text;
}

}  // namespace weft::sim::costs
