// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State machines as tables: in each state, where each event leads, and why. Code changes a state by
// its table alone, and the documents show the same rows. An event without a row must not happen.
//
// A table is a struct:
//
//   struct DoorStates {
//     using State = DoorState;  // enum classes, without gaps
//     using Event = DoorEvent;
//     static constexpr std::string_view kSubject = "door";
//     static constexpr std::array<std::string_view, 2> kStateNames = {"open", "shut"};
//     static constexpr std::array<std::string_view, 2> kEventNames = {"pull", "push"};
//     static constexpr StateRow<State, Event> kRows[] = {
//         {State::kOpen, Event::kPush, State::kShut, "The wind does it, too."}};
//   };
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/assert.hpp"

namespace weft {

template <typename State, typename Event>
struct StateRow {
  State state;
  Event event;
  State next;
  std::string_view why;
};

template <typename Table>
[[nodiscard]] constexpr std::string_view name_of_state(typename Table::State state) {
  return Table::kStateNames[static_cast<std::size_t>(state)];
}

template <typename Table>
[[nodiscard]] constexpr std::string_view name_of_event(typename Table::Event event) {
  return Table::kEventNames[static_cast<std::size_t>(event)];
}

// The state of one thing: it begins in one, and goes on by the rows.
template <typename Table>
class Machine {
 public:
  using State = typename Table::State;
  using Event = typename Table::Event;

  explicit constexpr Machine(State start) : state_(start) {}
  // Compares as its state.
  // NOLINTNEXTLINE(google-explicit-constructor): a machine is read as the state that it is in
  constexpr operator State() const { return state_; }

  // `which` names this thing among others, should there be no row. Returns the row's number.
  std::size_t turn(Event event, std::uint64_t which) {
    const std::uint8_t row = kRowOf[place_of(state_, event)];
    if (row == kNoRow) [[unlikely]]
      refuse(event, which);
    state_ = Table::kRows[row].next;
    return row;
  }

 private:
  static constexpr std::uint8_t kNoRow = 0xff;
  static constexpr std::size_t kEvents = Table::kEventNames.size();
  static constexpr std::size_t kPlaces = Table::kStateNames.size() * kEvents;
  static_assert(std::size(Table::kRows) < kNoRow);

  static constexpr std::size_t place_of(State state, Event event) {
    return static_cast<std::size_t>(state) * kEvents + static_cast<std::size_t>(event);
  }
  static constexpr std::array<std::uint8_t, kPlaces> rows_by_place() {
    std::array<std::uint8_t, kPlaces> rows{};
    rows.fill(kNoRow);
    for (std::size_t row = 0; row < std::size(Table::kRows); ++row) {
      rows[place_of(Table::kRows[row].state, Table::kRows[row].event)] =
          static_cast<std::uint8_t>(row);
    }
    return rows;
  }
  static constexpr std::array<std::uint8_t, kPlaces> kRowOf = rows_by_place();
  // Of two rows for one state and event, the first would never be taken.
  static constexpr bool has_each_row_once() {
    std::size_t taken = 0;
    for (const std::uint8_t row : kRowOf) taken += row == kNoRow ? 0 : 1;
    return taken == std::size(Table::kRows);
  }
  static_assert(has_each_row_once(), "two rows for one state and event");

  [[noreturn, gnu::cold, gnu::noinline]] void refuse(Event event, std::uint64_t which) const {
    WEFT_ASSERT(false, "{} {}: '{}' while '{}', for which its table has no row", Table::kSubject,
                which, name_of_event<Table>(event), name_of_state<Table>(state_));
    __builtin_unreachable();
  }

  State state_;
};

}  // namespace weft
