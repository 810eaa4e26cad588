// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a node is between two epochs (protocol/epochs.md, 7).
#pragma once

#include "base/state_table.hpp"

namespace weft {

enum class BarrierState : std::uint8_t { kRunning, kGathering, kArrived, kDeparting };
enum class BarrierEvent : std::uint8_t { kGather, kGathered, kArrive, kDepart, kPublish, kBegin };

struct BarrierStates {
  using State = BarrierState;
  using Event = BarrierEvent;
  using enum BarrierState;
  using enum BarrierEvent;

  static constexpr std::string_view kSubject = "barrier";
  static constexpr auto kStateNames =
      std::to_array<std::string_view>({"running", "gathering", "arrived", "departing"});
  static constexpr auto kEventNames = std::to_array<std::string_view>(
      {"gather", "gathered", "arrive", "depart", "publish", "begin"});
  static constexpr StateRow<State, Event> kRows[] = {
      {kRunning, kGather, kGathering, "`handle_gather`: a thread waits for contributions."},
      {kGathering, kGathered, kRunning, "The contributions of all children are here."},
      {kRunning, kArrive, kArrived, "`handle_barrier`: the threads of the team wait."},
      {kArrived, kDepart, kDeparting,
       "The notices of all are known: *BarrierDepart*, or a crossing."},
      {kRunning, kPublish, kDeparting, "Node 0 publishes: *Publish*."},
      {kDeparting, kBegin, kRunning, "Final updates and pushes are in: the epoch is the next one."},
  };
};

}  // namespace weft
