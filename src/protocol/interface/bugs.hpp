// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes that can be switched on, to prove that the simulator would find them. The product is
// compiled without WEFT_DELIBERATE_BUGS: there WEFT_BUG is the constant false. The library
// weft_protocol_with_bugs has the same sources with it; one mistake at a time may be active.
#pragma once

#ifdef WEFT_DELIBERATE_BUGS

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weft {

enum class Bug : std::uint8_t {
  kNone,
  kSkipOwnStream,
  kDiffBeforeUnmap,
  kApplyLateUpdate,
  kMoveHomeOfTwoWriters,
  kServeWithoutTracking,
  kForgetOthersRecords,
  kLeaveWithoutFinals,
  kPartAsFinal,
  kOverwriteUnordered,
  kOverwriteAsPristine,
  kOverwriteUnderWay,
  kOverwriteUnwatched,
  kAcquireWithoutUpdates,
  kAcceptOvertakenReply,
  kAtomicNotPatched,
  kPatchWritten,
  kAtomicWithoutFlush,
  kAtomicWithoutNotice,
  kServeTooEarly,
  kUnfairLock,
  kTwoTokens,
  kTryTakesHeldLock,
  kFlushWithoutNotice,
  kPristineSurvivesNotice,
  kSequencerWithoutRecords,
  kSequencerCountAhead,
  kAtomicAfterArrival,
  kIntervalEndsAtArrival,
  kEvictWritten,
  kEvictAsOnlyWriter,
  kSecondChanceOfWritten,
  kPostWithoutRecords,
  kKeepWithoutUpdate,
  kKeptCopyUnwatched,
  kContributionWithoutRecords,
  kGatherTooEarly,
  kVoteOfOneChild,
  kGatherWithoutParts,
  kPushWithoutTracking,
  kPushBeforeFinals,
  kInstallStalePush,
  kEndPushesSilently,
  kExpectOffBeat,
  kCarryUnchecked,
  kCarryOverOwnWrites,
  kUpdateOvertakes,
  kForgetHolder,
  kForgetLateHolder,
  kForgetFirstHolder,
  kSettleDisputed,
  kConcealPassedOn,
  kTakeUnsettledPush,
  kPassOnDisputed,
  kForgetCarried,
  kCarryIncomplete,
  kEarlyFinalUnrecorded,
  kLateRecordUnmarked,
  kMoveHomeFromOthers,
  kOthersWithoutFinals,
  kMergeNotMapped,
  kMergeAfterDiffs,
  kPromiseUnordered,
  kHoldPromises,
  kMergeWithoutNotice,
  kMergeKeepsFetch,
  kCountOldFinal,
  kPatchAnyCopy,
  kLoseCarriedFinal,
  kDirectoryForgets,
  kUnknownStaysPristine,
  kBelieveOldHomes,
  kConcealAtHome,
  kPauseWithOthers,
  kPatchIncomplete,
  kCarryPartOfDiff,
  kPatchAgain,
  kKeepLateDiff,
  kPatchAsOwn,
  kPatchUnordered,
  kForgetDeferred,
  kNoDemand,
  kUpdateTwice,
  kReturnWithoutRecords,
  kMoveWithoutQueue,
  kPartOfOldVersion,
  kPushKeepsVersion,
  kKeepPromised,
  kPassOnSilently,
  kOthersAsHomes,
  kAtomicInHomeDiff,
  kOldHomeDiff,
  kMissHomeWrite,
  kLateHomeTwin,
  kKeepOthersContributions,
  kShapeTooEarly,
  kOvertakeHeld,
  kMeetAsSubtree,
  kCrossWithNewTree,
  kWholeAfterUpdates,
  kOverlookAtHome,
  kTakeAnyOwn,
  kPushAcquired,
  kPatchWithoutCopy,
  kPatchSent,
  kHoldBeforeDiff,
  kForgetAsked,
  kPatchMerged,
  kAskBeforePromised,
  kReleaseIsNoUpdate,
  kForgetEndedOthers,
  kForgetHeard,
  kCarryAsOnlyWriter,
  kHoldFromSenders,
  kHoldWithNewTree,
  kHoldFromSubtree,
  kHoldWhileDeparting,
  kWaitForPublication,
  kForgetWish,
  kMoveHomeOfWritten,
  kKeepRequestOfMoved,
  kDiscardAsOnlyWriter,
  kShowOpenInterval,
  kPatchLent,
  kForgetLent,
  kTryFailsWhileAsked,
  kForgetTryAtNewHome,
  kReleaseUnacknowledged,
  kReleaseUnnoticed,
  kShowUnreleased,
  kEagerInBarrier,
  kEagerWithOthers,
  kRecallForgetsHolder,
  kRecallForgetsEarly,
  kRecallSparesPristine,
  kRecallKeepsFetch,
  kReleaseToParentAlone,
  kForgetFlush,
  kFenceSkipsWaiting,
  kFenceWithoutRecords,
  kPolledAsFlushed,
  kOverlookSights,
  kOverlookUpdates,
  kOverlookPromised,
  kTrustQuestions,
  kTrustAnyAnswer,
  kTrustAnyAsker,
  kTrustAnyRecord,
  kTrustPublications,
  kAnswerUnflushed,
  kExposeUntracked,
  kExposeUnannounced,
  kStayExposed,
  kReadInAnyEpoch,
  kReadUnapplied,
  kReadWithoutSecondLook,
  kKeepEntrusted,
  kCallBackAsFree,
  kForgetKept,
  kPatientWithoutRecords,
  kAwaitSilently,
  kSpareUnpatched,
};

struct BugName {
  Bug bug;
  std::string_view name;
  std::string_view meaning;
};

const std::vector<BugName>& all_bugs();
[[nodiscard]] std::optional<Bug> find_bug(std::string_view name);
// Not to be called while an engine runs.
void activate_bug(Bug bug);
[[nodiscard]] Bug active_bug();

}  // namespace weft

#define WEFT_BUG(bug) (::weft::active_bug() == ::weft::Bug::bug)

#else

#define WEFT_BUG(bug) false

#endif
