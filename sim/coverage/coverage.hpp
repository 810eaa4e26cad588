// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What simulated engines have been through (protocol/context/coverage.hpp), added up over many
// runs, as a table and as a list of its holes. A file tells which holes there have to be, and why.
#pragma once

#ifdef WEFT_DELIBERATE_BUGS

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/context/coverage.hpp"
#include "protocol/engine.hpp"

namespace weft::sim {

// The policies of a run, of which each kind has one.
inline constexpr std::size_t kPolicies = 20;
[[nodiscard]] std::string_view policy_name(std::size_t policy);
[[nodiscard]] std::array<bool, kPolicies> policies_of(const EngineConfig& config);

// One entry of the table.
struct CoverageEntry {
  enum class Kind : std::uint8_t {
    kState,   // a message or request, and the state of a page looked up for it
    kPolicy,  // a message or request for which pages are looked up, and a policy
    kPair,    // two features at work in one epoch of a node; one of them twice: it was at work
    // A row of a table of states, by its state and event; in the order of kMachines.
    kPage,
    kToken,
    kRequest,
    kBarrier,
  };
  Kind kind = Kind::kState;
  std::string_view one, other;
  std::uint64_t count = 0;
};
inline constexpr std::array<std::string_view, 7> kCoverageKinds = {
    "state", "policy", "pair", "page", "token", "request", "barrier"};
// "state Update valid"
[[nodiscard]] std::string name_of(const CoverageEntry& entry);

class CoverageTable {
 public:
  void add(const EngineConfig& config, const CoverageCounts& counts);
  void add(const CoverageTable& other);
  [[nodiscard]] std::vector<CoverageEntry> entries() const;
  [[nodiscard]] std::string text() const;
  // Each message or request x state x policy, and each entry, with its count: a line each.
  [[nodiscard]] std::string list() const;

 private:
  // Under all policies: each run has one policy of homes.
  [[nodiscard]] std::uint64_t of(std::size_t cause, std::size_t state) const;
  template <typename Table>
  void add_rows(std::vector<CoverageEntry>& entries) const;
  [[nodiscard]] std::string line_of_cause(std::size_t cause) const;
  [[nodiscard]] std::string never_with(std::size_t feature) const;

  std::array<std::array<std::array<std::uint64_t, kPolicies>, kCountedStates>, kCauses> states_{};
  std::array<std::array<std::uint64_t, kFeatureCount>, kFeatureCount> pairs_{};
  std::array<std::array<std::uint64_t, kMostRows>, kMachines.size()> rows_{};
};

// The file of holes. A line says
//   cannot KIND NAMES NAMES why        these can never be reached: none may be
//   rare KIND NAME NAME N/SEEDS why    found N times, by so many seeds of the simulator
//   open KIND NAME NAME 0/SEEDS why    found by none of so many, and it may be that it cannot be
// where KIND is one of kCoverageKinds, and NAMES are `*`, or names with `|` between them. That a
// feature was never at work at all is meant by no `*`.
class CoverageHoles {
 public:
  static CoverageHoles read(const std::string& path);
  // Entries that are empty and no line says so; those that cannot be reached and were; and lines
  // about nothing.
  [[nodiscard]] std::vector<std::string> compare(const std::vector<CoverageEntry>& entries) const;
  // Throws Failure if it is not understood.
  void add_line(const std::string& text);

 private:
  struct Line {
    bool cannot = false;
    CoverageEntry::Kind kind = CoverageEntry::Kind::kState;
    std::vector<std::string> one, other;
    std::string text;
    [[nodiscard]] bool matches(const CoverageEntry& entry) const;
    [[nodiscard]] bool names_one_entry() const;
  };
  static Line line_of(const std::string& text);

  std::vector<Line> lines_;
};

}  // namespace weft::sim

#endif
