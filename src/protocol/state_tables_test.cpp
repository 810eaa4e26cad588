// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of states (base/state_table.hpp): how they are gone by, that each state is reached,
// and that the documents have the same rows. A document has a table with the header `| page | event
// | next | why |`, and before it a drawing in which all states and events are named.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/state_table.hpp"
#include "protocol/context/barrier_states.hpp"
#include "protocol/locks/lock_states.hpp"
#include "protocol/pages/page_states.hpp"

namespace weft {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string document(const std::string& name) {
  std::ifstream file(std::string(WEFT_PROTOCOL_DOCUMENTS) + "/" + name);
  EXPECT_TRUE(file.good()) << "cannot read " << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The rows as they stand in documents.
template <typename Table>
Lines rows() {
  Lines lines;
  for (const auto& row : Table::kRows) {
    lines.push_back(fmt::format("| {} | {} | {} | {} |", name_of_state<Table>(row.state),
                                name_of_event<Table>(row.event), name_of_state<Table>(row.next),
                                row.why));
  }
  return lines;
}

// Words may have hyphens in them.
std::set<std::string> words_of(const Lines& lines) {
  std::set<std::string> words;
  for (const std::string& line : lines) {
    std::string word;
    for (const char letter : line + " ") {
      if (('a' <= letter && letter <= 'z') || letter == '-') {
        word += letter;
      } else if (!word.empty()) {
        words.insert(std::exchange(word, {}));
      }
    }
  }
  return words;
}

// The last block of these lines that stands between two fences.
Lines last_drawing(const Lines& lines) {
  Lines drawing;
  bool is_inside = false;
  for (const std::string& line : lines) {
    if (line.starts_with("```")) {
      is_inside = !is_inside;
      if (is_inside) drawing.clear();
    } else if (is_inside) {
      drawing.push_back(line);
    }
  }
  return drawing;
}

template <typename Table>
Lines names_not_in(const std::set<std::string>& words) {
  Lines missing;
  const auto look = [&](const auto& names) {
    for (const std::string_view name : names) {
      if (!words.contains(std::string(name))) missing.push_back("not drawn: " + std::string(name));
    }
  };
  look(Table::kStateNames);
  look(Table::kEventNames);
  return missing;
}

// How the text differs from the table.
template <typename Table>
Lines differences(const std::string& text) {
  const Lines lines = lines_of(text);
  const auto header =
      std::ranges::find(lines, fmt::format("| {} | event | next | why |", Table::kSubject));
  if (header == lines.end()) return {fmt::format("no table of: {}", Table::kSubject)};
  const auto first = std::min(header + 2, lines.end());
  const auto end =
      std::find_if_not(first, lines.end(), [](const auto& line) { return line.starts_with("|"); });
  const Lines there(first, end), expected = rows<Table>();
  Lines found = names_not_in<Table>(words_of(last_drawing({lines.begin(), header})));
  for (const std::string& row : expected) {
    if (std::ranges::count(there, row) != 1) found.push_back("is to be there once: " + row);
  }
  for (const std::string& row : there) {
    if (std::ranges::count(expected, row) == 0) found.push_back("in no table of the code: " + row);
  }
  return found;
}

template <typename Table>
Lines states_not_reached(std::set<typename Table::State> reached) {
  for (std::size_t step = 0; step < std::size(Table::kStateNames); ++step) {
    for (const auto& row : Table::kRows) {
      if (reached.contains(row.state)) reached.insert(row.next);
    }
  }
  Lines missing;
  for (std::size_t state = 0; state < std::size(Table::kStateNames); ++state) {
    if (!reached.contains(static_cast<typename Table::State>(state)))
      missing.emplace_back(Table::kStateNames[state]);
  }
  return missing;
}

// --- a table of the test's own ---

enum class DoorState : std::uint8_t { kOpen, kShut, kLocked };
enum class DoorEvent : std::uint8_t { kPush, kPull, kTurnKey };

struct DoorStates {
  using State = DoorState;
  using Event = DoorEvent;
  static constexpr std::string_view kSubject = "door";
  static constexpr std::array<std::string_view, 3> kStateNames = {"open", "shut", "locked"};
  static constexpr std::array<std::string_view, 3> kEventNames = {"push", "pull", "turn-key"};
  static constexpr StateRow<State, Event> kRows[] = {
      {State::kOpen, Event::kPush, State::kShut, "The wind does it, too."},
      {State::kShut, Event::kPull, State::kOpen, "By its handle."},
      {State::kShut, Event::kTurnKey, State::kLocked, "From inside."}};
};

TEST(Machine, GoesOnByItsTable) {
  Machine<DoorStates> door(DoorState::kOpen);
  EXPECT_EQ(door.turn(DoorEvent::kPush, 1), 0U);
  EXPECT_TRUE(door == DoorState::kShut);
  EXPECT_EQ(door.turn(DoorEvent::kTurnKey, 1), 2U);
  EXPECT_TRUE(door == DoorState::kLocked);
}

TEST(MachineDeathTest, NamesWhatHasNoRow) {
  Machine<DoorStates> door(DoorState::kLocked);
  EXPECT_DEATH(door.turn(DoorEvent::kPull, 7), "door 7: 'pull' while 'locked'");
}

// --- those of the protocol ---

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StateTables, ReachEachState) {
  EXPECT_THAT(states_not_reached<PageStates>({PageState::kPristine, PageState::kShared}),
              IsEmpty());
  EXPECT_THAT(states_not_reached<TokenStates>({TokenState::kAway}), IsEmpty());
  EXPECT_THAT(states_not_reached<RequestStates>({RequestState::kNone}), IsEmpty());
  EXPECT_THAT(states_not_reached<BarrierStates>({BarrierState::kRunning}), IsEmpty());
}

TEST(StateTables, StandInTheDocuments) {
  EXPECT_THAT(differences<PageStates>(document("pages.md")), IsEmpty());
  EXPECT_THAT(differences<TokenStates>(document("locks.md")), IsEmpty());
  EXPECT_THAT(differences<RequestStates>(document("locks.md")), IsEmpty());
  EXPECT_THAT(differences<BarrierStates>(document("epochs.md")), IsEmpty());
}

// The comparison finds a row too many, one too few, and a drawing that lacks an event.
TEST(StateTables, AreComparedWithDocuments) {
  const Lines all = rows<TokenStates>();
  const std::string head =
      "```\naway came free taken held given entrust entrusted found-free found-held\n"
      "lend lending recall recalling returned\n```\n"
      "| token | event | next | why |\n| --- |\n";
  const std::string made_up = "| held | lost | away | |";
  std::string table;
  for (std::size_t row = 0; row < all.size(); ++row)
    table += (row == 2 ? made_up : all[row]) + "\n";
  EXPECT_THAT(differences<TokenStates>(head + table),
              ElementsAre("not drawn: released", "is to be there once: " + all[2],
                          "in no table of the code: " + made_up));
  EXPECT_THAT(differences<TokenStates>("# Locks\n"), ElementsAre("no table of: token"));
}

}  // namespace
}  // namespace weft
