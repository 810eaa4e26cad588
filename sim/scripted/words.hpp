// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the words of a scenario's command mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/interface/effects.hpp"
#include "protocol/interface/engine_config.hpp"

namespace weft::sim {

[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
[[nodiscard]] std::uint64_t number(const std::string& word);
[[nodiscard]] FlushKind flush_kind(const std::string& word);
[[nodiscard]] PageIndex page_of(const std::string& word);
[[nodiscard]] HomePolicy policy_of(const std::string& word);
[[nodiscard]] LockPolicy lock_policy_of(const std::string& word);
[[nodiscard]] PhaseKey key_of(const std::vector<std::string>& words, std::size_t index);
[[nodiscard]] BarrierInput barrier_input(const std::vector<std::string>& words);

}  // namespace weft::sim
