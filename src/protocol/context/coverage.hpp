// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an engine has been through, counted, so that nobody has to hope that the simulator reaches
// it: in which state pages were when what came, which rows of the tables of states were taken, and
// which of the protocol's features were at work in the same epoch of a node. Like the deliberate
// bugs (bugs.hpp), it is compiled only into weft_protocol_with_bugs: in the product a probe is
// nothing.
#pragma once

#ifdef WEFT_DELIBERATE_BUGS

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "protocol/interface/page_state.hpp"
#include "protocol/messages/message.hpp"

namespace weft {

enum class Feature : std::uint8_t {
  // barriers
  kCrossing,
  kEarlyFinal,
  kFinal,
  kSettledNotice,
  kOffer,
  kTakeOver,
  kHomeMove,
  kKeptCopy,
  kNewTree,
  kEmptyBarrier,
  kMetContribution,
  kEmptyPublication,
  kGather,
  kContribution,
  kReleaseToParent,
  kPublication,
  kHeldDeparture,
  kOutsiders,
  kLateRecord,
  kLateDiff,
  // pushing
  kPush,
  kPushUp,
  kPushDown,
  kPushPassedOn,
  kPushTaken,
  kPushRefused,
  kPushHeldBack,
  kPushAwaited,
  kOwnAdded,
  kUnsubscribe,
  kRhythm,
  // locks
  kRemoteLock,
  kTryAgain,
  kTry,
  kAddingRight,
  kRightGivenBack,
  kLikelySum,
  kRightAhead,
  kOpenInterval,
  kCarriedDiff,
  kDeferredUpdate,
  kDemand,
  kCarriedPage,
  kLockHomeMove,
  kBoundPage,
  kPost,
  kSequencer,
  // memory
  kFetch,
  kReadAhead,
  kLeafCompleted,
  kFetchAgain,
  kPartOfPage,
  kExposed,
  kExposedBeyond,
  kOneSidedRead,
  kHomeAsked,
  kHeldUpdate,
  kLateUpdate,
  kEviction,
  kWriteBack,
  kSecondChance,
  kAtomicHere,
  kAtomicElsewhere,
  kPageOpened,
  kAtomicDirect,
  kShownWord,
  kToldWord,
  kLoadedShown,
  kMergedAtomic,
  kUnansweredStore,
  kConfirmedStore,
  kEagerRelease,
  kRecall,
  // barriers with much data
  kLongFinal,
  kOverwrite,
  kPrefetch,
  kCommit,
  kReplacedPage,
  kToldFirst,
  // contents that stay at their home until they are read there
  kAnswerRead,
  kAnswerUnread,
  kPushRead,
  kPushUnread,
  kAskedBefore,
  kPageBack,
  // what goes from all to all
  kExchangedFinal,
  kExchangedPush,
  // records of an epoch that goes on
  kCollection,
  kToldRecords,
  kFeatures  // how many there are
};
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::kFeatures);
using Features = std::bitset<kFeatureCount>;

// What an engine is asked to do: by a message, counted by its type, or by its own node.
enum class EngineInput : std::uint8_t {
  kFault,
  kAcquire,
  kTryAcquire,
  kRelease,
  kBarrier,
  kGather,
  kPublish,
  kAdvance,
  kAwait,
  kPost,
  kAtomic,
  kMerge,
  kFence,
  kFlush,
  kMemoryPressure,
  kOverwrite,
  kPrefetch,
  kCommit,
  kSetAside,  // one of those that had to wait for the next epoch
  kRequests
};
inline constexpr std::size_t kMessageTypes = static_cast<std::size_t>(kLastMessageType) + 1;
inline constexpr std::size_t kCauses =
    kMessageTypes + static_cast<std::size_t>(EngineInput::kRequests);
// Held back: valid, and not mapped. Asked for: invalid, and on its way.
inline constexpr std::size_t kCountedStates = 7;

// Whose tables of states are counted by rows (base/state_table.hpp), by their subjects.
inline constexpr std::array<std::string_view, 4> kMachines = {"page", "token", "request",
                                                              "barrier"};
inline constexpr std::size_t kMostRows = 32;
[[nodiscard]] consteval std::size_t machine_of(std::string_view subject) {
  return static_cast<std::size_t>(std::ranges::find(kMachines, subject) - kMachines.begin());
}

[[nodiscard]] std::string_view feature_name(std::size_t feature);
[[nodiscard]] std::string_view cause_name(std::size_t cause);
[[nodiscard]] std::string_view counted_state_name(std::size_t state);

// Over 50 KB, nearly all of it zero. It is no part of an engine's state.
struct CoverageCounts {
  std::array<std::array<std::uint64_t, kCountedStates>, kCauses> states{};
  std::array<std::array<std::uint64_t, kMostRows>, kMachines.size()> rows{};
  // In how many epochs both features were at work; the same one twice: that it was. The first of
  // the two is the smaller one.
  std::array<std::array<std::uint64_t, kFeatureCount>, kFeatureCount> pairs{};

  void add(const CoverageCounts& others);
  void add_epoch(const Features& active);
};

class Coverage {
 public:
  // Here, from now on, and what was counted so far. Until it is called, it counts in a place of its
  // own. (A small world is copied and compared after each step, and counts elsewhere:
  // sim/explore/arena.hpp.)
  void count_into(CoverageCounts& counts);
  void begin(MessageType type) { cause_ = static_cast<std::size_t>(type); }
  void begin(EngineInput request) { cause_ = kMessageTypes + static_cast<std::size_t>(request); }
  void note(PageState state, bool mapped, bool asked_for) {
    ++counts().states[cause_][counted(state, mapped, asked_for)];
  }
  void note(Feature feature) { active_.set(static_cast<std::size_t>(feature)); }
  void note_if(bool is_so, Feature feature) {
    if (is_so) note(feature);
  }
  // A row of a table of states was taken.
  template <typename Table>
  void note_row(std::size_t row) {
    static_assert(machine_of(Table::kSubject) < kMachines.size());
    static_assert(std::size(Table::kRows) <= kMostRows);
    ++counts().rows[machine_of(Table::kSubject)][row];
  }
  void end_epoch();
  // What comes now has no cause until the next begins.
  void end_input() { cause_ = 0; }
  // All so far, and the present epoch.
  [[nodiscard]] CoverageCounts counts_at_end() const;
  // Which features are at work in the present epoch: takes others, returns those before.
  Features exchange_active(const Features& features) { return std::exchange(active_, features); }

 private:
  static std::size_t counted(PageState state, bool mapped, bool asked_for);
  CoverageCounts& counts() { return counts_ ? *counts_ : own_counts(); }
  CoverageCounts& own_counts();

  std::size_t cause_ = 0;
  Features active_;  // in the present epoch
  CoverageCounts* counts_ = nullptr;
  std::unique_ptr<CoverageCounts> own_;
};

}  // namespace weft

#define WEFT_PROBE(context, feature) (context).coverage.note(::weft::Feature::feature)
#define WEFT_PROBE_IF(condition, context, feature) \
  (context).coverage.note_if(condition, ::weft::Feature::feature)
#define WEFT_BEGIN(context, cause) (context).coverage.begin(cause)

#else

namespace weft {
struct Features {};
}  // namespace weft

#define WEFT_PROBE(context, feature) static_cast<void>(0)
#define WEFT_PROBE_IF(condition, context, feature) static_cast<void>(0)
#define WEFT_BEGIN(context, cause) static_cast<void>(0)

#endif
