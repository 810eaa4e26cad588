// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each deliberate bug that fits into a small world is found there, on a way on which nothing is
// wrong without it.
#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/interface/bugs.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/explore/checked/budgets.hpp"
#include "sim/explore/explorer.hpp"
#include "sim/explore/library.hpp"

namespace weft::sim::explore {
namespace {

struct Fit {
  Bug bug;
  const char* world;
};
const Fit kFits[] = {
    {Bug::kPushAcquired, "maximum/crosses-at-once"},
    {Bug::kSkipOwnStream, "merged/at-1"},
    {Bug::kApplyLateUpdate, "late-update"},
    {Bug::kMoveHomeOfTwoWriters, "counts/at-1"},
    {Bug::kServeWithoutTracking, "by-turns"},
    {Bug::kForgetOthersRecords, "reduction"},
    {Bug::kLeaveWithoutFinals, "evictions"},
    {Bug::kPartAsFinal, "long-final"},
    {Bug::kOverwriteUnordered, "overwritten"},
    {Bug::kOverwriteAsPristine, "overwritten"},
    {Bug::kOverwriteUnderWay, "prefetched-overwritten"},
    {Bug::kOverwriteUnwatched, "overwritten-alone"},
    {Bug::kPrefetchUntracked, "prefetched"},
    {Bug::kCommitWithoutNotice, "committed"},
    {Bug::kAcquireWithoutUpdates, "gather"},
    {Bug::kAcceptOvertakenReply, "tries/rmp"},
    {Bug::kAtomicNotPatched, "counts/at-1"},
    {Bug::kAtomicWithoutFlush, "counts/at-1"},
    {Bug::kAtomicWithoutNotice, "count-of-one"},
    {Bug::kServeTooEarly, "lock-other-home"},
    {Bug::kTwoTokens, "lock-sum"},
    {Bug::kTryTakesHeldLock, "tries"},
    {Bug::kPristineSurvivesNotice, "posts"},
    {Bug::kSequencerWithoutRecords, "counted"},
    {Bug::kSequencerCountAhead, "counted"},
    {Bug::kIntervalEndsAtArrival, "flag"},
    {Bug::kEvictWritten, "evictions"},
    {Bug::kEvictAsOnlyWriter, "evicted-alone/follows"},
    {Bug::kPostWithoutRecords, "posts"},
    {Bug::kPostUnreleased, "moved-thread"},
    {Bug::kPostUnsettled, "moved-thread"},
    {Bug::kKeepWithoutUpdate, "tries/told"},
    {Bug::kKeptCopyUnwatched, "by-turns-bare/unpushed"},
    {Bug::kContributionWithoutRecords, "gather"},
    {Bug::kGatherTooEarly, "gather/parts"},
    {Bug::kGatherWithoutParts, "gather/parts"},
    {Bug::kVoteOfOneChild, "line"},
    {Bug::kPushBeforeFinals, "merged"},
    {Bug::kInstallStalePush, "maximum/apart"},
    {Bug::kEndPushesSilently, "sequence"},
    {Bug::kEndWhileSent, "ended-while-sent"},
    {Bug::kExpectOffBeat, "rhythm"},
    {Bug::kExpectWhileAway, "replaced"},
    {Bug::kForgetAway, "away"},
    {Bug::kCarryUnchecked, "lock-beyond"},
    {Bug::kCarryOverOwnWrites, "lock-and-own"},
    {Bug::kUpdateOvertakes, "merged"},
    {Bug::kForgetHolder, "flag"},
    {Bug::kForgetLateHolder, "sequence"},
    {Bug::kForgetFirstHolder, "sequence"},
    {Bug::kSettleDisputed, "single-writer/told"},
    {Bug::kTakeUnsettledPush, "single-writer/told"},
    {Bug::kForgetCarried, "flag"},
    {Bug::kCarryIncomplete, "merged"},
    {Bug::kTakeToldForPushed, "both-ways/told-first"},
    {Bug::kEarlyFinalUnrecorded, "reduction"},
    {Bug::kMergeNotMapped, "merged-own"},
    {Bug::kMergeAfterDiffs, "merged-own"},
    {Bug::kPromiseUnordered, "merged-behind-store"},
    {Bug::kMergeKeepsFetch, "merged-meanwhile"},
    {Bug::kLoseCarriedFinal, "publication"},
    {Bug::kDirectoryForgets, "unknown-homes"},
    {Bug::kUnknownStaysPristine, "unknown-homes"},
    {Bug::kConcealAtHome, "count-of-one"},
    {Bug::kPauseWithOthers, "outside"},
    {Bug::kPatchIncomplete, "lock-of-three"},
    {Bug::kPatchAsOwn, "lock-sum"},
    {Bug::kPatchUnordered, "lock-other-home"},
    {Bug::kNoDemand, "lock-other-home"},
    {Bug::kUpdateTwice, "lock-sum"},
    {Bug::kReturnWithoutRecords, "lock-sum/rmp"},
    {Bug::kMoveWithoutQueue, "two-locks/moves"},
    {Bug::kOthersAsHomes, "lock-sum"},
    {Bug::kOldHomeDiff, "lock-sum"},
    {Bug::kOvertakeHeld, "publication/unpushed"},
    {Bug::kWholeAfterUpdates, "advanced-halves"},
    {Bug::kTakeAnyOwn, "advanced-halves"},
    {Bug::kHoldWhileDeparting, "publication-of-three"},
    {Bug::kReleaseUnacknowledged, "lock-sum/eager"},
    {Bug::kReleaseUnnoticed, "lock-of-three/eager"},
    {Bug::kRecallForgetsHolder, "lock-sum/eager"},
    {Bug::kRecallSparesPristine, "lock-sum/eager"},
    {Bug::kFlushWithoutNotice, "lock-and-own"},
    {Bug::kPushWithoutTracking, "rhythm"},
    {Bug::kMergeWithoutNotice, "merged-meanwhile"},
    {Bug::kPatchWritten, "peeked"},
    {Bug::kForgetFlush, "flushed"},
    {Bug::kFenceSkipsWaiting, "flushed"},
    {Bug::kFenceWithoutRecords, "flushed"},
    {Bug::kOverlookSights, "confirmed-by-third"},
    {Bug::kTrustAnyAnswer, "confirmed-by-third"},
    {Bug::kAnswerUnflushed, "confirmed-implied"},
    {Bug::kReleaseIsNoUpdate, "released"},
    {Bug::kKeepPromised, "promised"},
    {Bug::kPushKeepsVersion, "there-and-back"},
    {Bug::kPartOfOldVersion, "undone"},
    {Bug::kConcealPassedOn, "passed-on"},
    {Bug::kConcealReplaced, "replaced"},
    {Bug::kPassOnSilently, "passed-on-unwritten"},
    {Bug::kCarryPartOfDiff, "lock-counts"},
    {Bug::kPatchAgain, "told-twice"},
    {Bug::kAtomicInHomeDiff, "counted-at-home"},
    {Bug::kShowOpenInterval, "for-a-moment"},
    {Bug::kPatchLent, "lent-copy"},
    {Bug::kKeepRequestOfMoved, "taken-over"},
    {Bug::kMoveHomeOfWritten, "offered-and-written"},
    {Bug::kBelieveOldHomes, "handler-homes"},
    {Bug::kHoldFromSenders, "handler-held"},
    {Bug::kWaitForPublication, "handler-held"},
    {Bug::kForgetWish, "handler-held"},
    {Bug::kReleaseToParentAlone, "contributions-up"},
    {Bug::kDiffBeforeUnmap, "raced-drop"},
    {Bug::kMissHomeWrite, "raced-twin"},
    {Bug::kForgetDeferred, "deferred-for-good"},
    {Bug::kOverlookAtHome, "counted-halves"},
    {Bug::kDiscardAsOnlyWriter, "peeked-alone"},
    {Bug::kDiscardCollected, "peeked-open"},
    {Bug::kPatchSent, "seen-and-written"},
    {Bug::kHoldBeforeDiff, "raced-look"},
    {Bug::kForgetAsked, "handler-shares"},
    {Bug::kAskBeforePromised, "eager-promised"},
    {Bug::kShowUnreleased, "flag/eager"},
    {Bug::kRecallForgetsEarly, "eager-twice"},
    {Bug::kRecallKeepsFetch, "eager-fetch"},
    {Bug::kRecallBeforeDiffs, "eager-held"},
    {Bug::kMoveHomeFromOthers, "outside-at-home"},
    {Bug::kLateRecordUnmarked, "outside-three"},
    {Bug::kCarryAsOnlyWriter, "publication-unrecorded"},
    {Bug::kEagerInBarrier, "outside/eager"},
    {Bug::kEagerWithOthers, "publication-outside/eager"},
    {Bug::kHoldWithNewTree, "publication-reshaped/later"},
    {Bug::kHoldFromSubtree, "publication-line"},
    {Bug::kShapeTooEarly, "reshaped-pushing"},
    {Bug::kKeepOthersContributions, "gather-line"},
    {Bug::kPassOnDisputed, "passed-up"},
    {Bug::kCrossWithNewTree, "reshaped/crosses"},
    {Bug::kMeetAsSubtree, "single-writer/early-crosses"},
    {Bug::kExposeUntracked, "exposed-alone"},
    {Bug::kExposeUnannounced, "exposed-to-two"},
    {Bug::kStayExposed, "exposed-alone"},
    {Bug::kKeepEntrusted, "tries/entrusted"},
    {Bug::kCallBackAsFree, "two-threads"},
    {Bug::kEntrustForgetsWaiters, "entrusted-while-awaited"},
    {Bug::kEntrustAwaited, "entrusted-while-awaited"},
    {Bug::kShowUnflushed, "shown-implied"},
    {Bug::kLoadUnknown, "shown"},
    {Bug::kTrustShown, "shown-by-third"},
    {Bug::kLookPastOwn, "shown-and-looked"},
    {Bug::kAnswerAsOwn, "shown"},
    {Bug::kForgetKept, "told-patiently"},
    {Bug::kPatientWithoutRecords, "told-patiently"},
    {Bug::kSpareUnpatched, "told-with-diffs"},
    {Bug::kSpareHeldBack, "told-with-diffs/at-1"},
    {Bug::kMeetUnsearched, "empty-barriers/proved"},
    {Bug::kGiveUpUnsaid, "empty-barriers/proved"},
    {Bug::kMeetWithoutVotes, "empty-regions"},
    {Bug::kGatherUncounted, "empty-gather"},
    {Bug::kPublishUnlooked, "empty-regions"},
    {Bug::kPublishUnsearched, "empty-regions"},
    {Bug::kPublishToSleepers, "empty-regions"},
    {Bug::kReadInAnyEpoch, "exposed-elsewhere"},
    {Bug::kDirectBeforeReply, "direct-own"},
    {Bug::kOpenWithTwin, "direct-with-lock"},
    {Bug::kReadUnapplied, "exposed-lock"},
    {Bug::kForgetUnread, "read-answered-late"},
    {Bug::kOweUnread, "read-pushed-late"},
    {Bug::kKeepRight, "sums"},
    {Bug::kReturnTwice, "sums-rested"},
    {Bug::kReturnAll, "sums-overtaken"},
    {Bug::kUseGivenBack, "sums-rested"},
    {Bug::kKeepOwnRight, "sums-alone"},
    {Bug::kUseAnyRight, "sums-begun"},
    {Bug::kFreeUnreturned, "sums"},
    {Bug::kUncheckedInputs, "sums-terms"},
    {Bug::kLendWithoutRecords, "sums/plain"},
    {Bug::kReturnUnclosed, "sums"},
    {Bug::kLendForAnyTarget, "sums-apart"},
    {Bug::kForgetLikely, "sums-likely"},
    {Bug::kGuessWhileLent, "sums-guessed"},
    {Bug::kOverlookLooks, "sums-told"},
    {Bug::kForgetLooks, "sums-told-on"},
    {Bug::kShowUnsettled, "sums-shown"},
    {Bug::kRefuseEarly, "sums-tried"},
    {Bug::kLookPastStores, "stored-and-looked"},
    {Bug::kLookPastHeard, "handed-and-looked"},
    {Bug::kNameStoreOfMoved, "store-of-moved"},
    {Bug::kStoreUnordered, "stored-behind"},
    {Bug::kStoreUnnamed, "stored-between"},
    {Bug::kStoreInBarrier, "stored-outside"},
    {Bug::kStoreBesideCopy, "stored-own"},
    {Bug::kStoreKeepsFetch, "stored-own"},
    {Bug::kStoreWithoutRecords, "stored-told"},
    {Bug::kTrustAnyStore, "confirmed-by-third"},
    {Bug::kKeepForItself, "exchanged"},
    {Bug::kSendRoundEarly, "exchanged"},
    {Bug::kLeaveExchange, "exchanged/join"},
    {Bug::kExchangeOffBeat, "exchanged-rhythm"},
    {Bug::kExchangeUntold, "exchanged/crosses"},
    {Bug::kDropUnheard, "collected"},
    {Bug::kAnswerAhead, "collected"},
    {Bug::kCarryPastDropped, "collected-beyond"},
    {Bug::kForgetDropped, "collected-hand-over/crosses-at-once"},
};

// The same where the barrier's messages only name pages, which are read at their homes.
const Fit kFitsNamed[] = {
    {Bug::kTakeUnsettledPush, "named-single-writer"},
    {Bug::kForgetCarried, "named-before"},
    {Bug::kCarryIncomplete, "named-merged"},
    {Bug::kPassOnDisputed, "named-passed-up"},
    {Bug::kTakeAnyOwn, "named-halves"},
};

// Those that are not found, where they came nearest to it, and why not. They must not be found in a
// brief exploration there, either: then they belong above.
struct Unfound {
  Bug bug;
  const char* world;
  const char* why;
};
const Unfound kNotFound[] = {
    {Bug::kPatchMerged, "merged-meanwhile", "a world's updates only add: none takes back another"},
    {Bug::kPatchWithoutCopy, "peeked",
     "a page that nobody has written must have other contents than zero, and be written with zero"},
    {Bug::kPolledAsFlushed, "flag", "worlds poll without the flush behind it"},
    {Bug::kForgetAhead, "sums-likely", "no lock lies behind the one that is asked for"},
    {Bug::kKeepBoth, "sums-likely", "no lock lies behind the one that is asked for"},
    {Bug::kOverlookUpdates, "confirmed", "a world's flags are stored, not added to"},
    {Bug::kOverlookPromised, "confirmed",
     "no thread of a world adds, and then looks for what another one has added"},
    {Bug::kTrustPublications, "publication", "nobody flushes behind one"},
    {Bug::kTrustQuestions, "confirmed", "who has seen a flag flushes at once"},
    {Bug::kTrustAnyAsker, "confirmed-by-third", "who has seen a flag flushes before it stores one"},
    {Bug::kTrustAnyRecord, "confirmed-by-third", "no thread looks at a flag plainly"},
    {Bug::kForgetHeard, "outside-three",
     "threads outside a world's team never end, so that node 0 always tells what it has heard"},
    {Bug::kForgetEndedOthers, "outside-three",
     "threads outside a world's team never end, and an old record must come to who has arrived"},
    {Bug::kUnfairLock, "two-threads", "the program ends all the same: only deadlocks are found"},
    {Bug::kForgetLent, "lent-copy", "needs a fourth node, which takes the lent copy with the lock"},
    {Bug::kSecondChanceOfWritten, "raced-eviction",
     "the write must fall between two calls of one eviction; no way in 20,000 did"},
    {Bug::kOthersWithoutFinals, "outside-advance",
     "the update must be later than the next epoch; the ways by chance of 200,000 steps are not"},
    {Bug::kAtomicAfterArrival, "outside-three",
     "a page must keep its copies through the barrier behind the one in which it was written"},
    {Bug::kKeepLateDiff, "told-twice-of-three",
     "three messages must come in one order out of many, with two threads on each of three nodes"},
    {Bug::kCountOldFinal, "held-final", "one update must be later than eight messages behind it"},
    {Bug::kPatchAnyCopy, "overtaken-count",
     "one reply must be later than nine messages behind it, with two threads on each node"},
    {Bug::kLateHomeTwin, "claimed-late",
     "the lock must come to the page's home four times in one epoch, each between two others"},
    {Bug::kForgetTryAtNewHome, "try-again",
     "the answer to a try must come later than the lock's home, by way of three nodes"},
    {Bug::kTryFailsWhileAsked, "try-again",
     "one request must be later than the lock's move, its use and its return"},
    {Bug::kReadWithoutSecondLook, "exposed-alone",
     "in a world nothing happens at the home while a page is read"},
    {Bug::kOperateUnpinned, "direct",
     "in a world nothing happens at the home before an operation is done there"},
    {Bug::kDirectBeforeContents, "direct-fetched",
     "the page must have been asked for twice, and the answer be later than the lock"},
    {Bug::kKeepOpen, "told-patiently", "a world's flags are stored, not added to"},
    {Bug::kOverlookOperations, "confirmed", "no thread of a world adds beside flushes"},
    {Bug::kHoldPromises, "merged-behind-store", "no thread waits for a count that nobody releases"},
    {Bug::kMeetBehindMessages, "empty-publication",
     "a world's threads take publications in their own order"},
    {Bug::kCollectAcrossEpochs, "collected",
     "of two answers to one round a barrier must come between, and as many records behind it"},
    {Bug::kAwaitSilently, "gather", "in a world each message wakes its node, quiet ones, too"},
};

TEST(DeliberateBugs, AreFoundOrToldWhyNot) {
  for (const BugName& bug : all_bugs()) {
    const auto found = std::ranges::count(kFits, bug.bug, &Fit::bug);
    const auto not_found = std::ranges::count(kNotFound, bug.bug, &Unfound::bug);
    EXPECT_EQ(found + not_found, 1) << bug.name << " is to stand in one of the two lists";
  }
}

TEST(DeliberateBugs, AreNotFoundWhereItIsToldWhy) {
  turn_assertions_into_failures();
  for (const Unfound& unfound : kNotFound) {
    const Program program = load_world(WEFT_WORLDS, unfound.world);
    activate_bug(unfound.bug);
    const Exploration done = Explorer(program).explore(kBriefly);
    activate_bug(Bug::kNone);
    EXPECT_FALSE(done.finding) << unfound.world << " finds one that was not found because "
                               << unfound.why << ": " << done.finding->what;
  }
}

class BugThatFits : public testing::TestWithParam<Fit> {
 protected:
  void SetUp() override { turn_assertions_into_failures(); }
  void TearDown() override { activate_bug(Bug::kNone); }
};

TEST_P(BugThatFits, IsFound) {
  const Program program = load_world(WEFT_WORLDS, GetParam().world);
  activate_bug(GetParam().bug);
  // Walks by chance come last in each budget, and find many a bug soon: so smaller budgets first.
  Exploration done;
  for (const Budget& budget : {kBriefly, kLonger, kLong}) {
    done = Explorer(program).explore(budget);
    if (done.finding) break;
  }
  ASSERT_TRUE(done.finding) << "not in " << done.states << " states of " << program.name;
  RecordProperty("states", static_cast<int>(done.states));
  // From all events by name, which are as good without the bug.
  activate_bug(Bug::kNone);
  const std::optional<std::string> without = Explorer::replay(program, done.finding->way, nullptr);
  EXPECT_FALSE(without) << "without the bug, too: " << *without;
}

std::string bug_name(const testing::TestParamInfo<Fit>& info) {
  const auto known = std::ranges::find(all_bugs(), info.param.bug, &BugName::bug);
  return test_name(std::string(known->name));
}

INSTANTIATE_TEST_SUITE_P(Each, BugThatFits, testing::ValuesIn(kFits), bug_name);
INSTANTIATE_TEST_SUITE_P(Named, BugThatFits, testing::ValuesIn(kFitsNamed), bug_name);

}  // namespace
}  // namespace weft::sim::explore
