// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers by name, as a run of a program has counted them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "protocol/engine.hpp"

namespace weft::sim::costs {

class Counted {
 public:
  void add(const std::string& name, std::uint64_t more = 1) { numbers_[name] += more; }
  // All that an engine has counted since its start.
  void add(const EngineCounters& counters);
  // What was counted since `before`.
  [[nodiscard]] Counted since(const Counted& before) const;
  // "BarrierArrive 8, faults 2": by name, without what is zero.
  [[nodiscard]] std::string text() const;

 private:
  std::map<std::string, std::uint64_t> numbers_;
};

}  // namespace weft::sim::costs
