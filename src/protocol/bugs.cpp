// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/bugs.hpp"

#ifdef WEFT_DELIBERATE_BUGS

namespace weft {
namespace {

Bug active = Bug::kNone;

}  // namespace

const std::vector<BugName>& all_bugs() {
  static const std::vector<BugName> bugs = {
      {Bug::kSkipOwnStream, "skip-own-stream", "a fetch does not wait for the asker's own updates"},
      {Bug::kDiffBeforeUnmap, "diff-before-unmap", "a page is diffed before it is taken away"},
      {Bug::kApplyLateUpdate, "apply-late-update", "an update older than the home is applied"},
      {Bug::kMoveHomeOfTwoWriters, "move-home-of-two-writers",
       "the home follows one of several writers"},
      {Bug::kServeWithoutTracking, "serve-without-tracking",
       "an exclusive page is served and stays untracked"},
      {Bug::kForgetOthersRecords, "forget-others-records",
       "a release passes on its own records alone"},
      {Bug::kLeaveWithoutFinals, "leave-without-finals",
       "a home leaves the barrier before the final updates are in"},
      {Bug::kAcquireWithoutUpdates, "acquire-without-updates",
       "an acquire at a home does not wait for the updates named in records"},
      {Bug::kAcceptOvertakenReply, "accept-overtaken-reply",
       "a page is installed though it was invalidated since it was asked for"},
      {Bug::kAtomicNotPatched, "atomic-not-patched",
       "a node's own copy does not get the result of its atomic operation"},
      {Bug::kAtomicWithoutFlush, "atomic-without-flush",
       "plain writes stay behind when an atomic operation goes to the home"},
      {Bug::kAtomicWithoutNotice, "atomic-without-notice",
       "a page written by an atomic operation is not noticed"},
      {Bug::kServeTooEarly, "serve-too-early", "a home serves pages before it has all updates"},
      {Bug::kUnfairLock, "unfair-lock", "a lock never leaves a node that has waiters"},
      {Bug::kTryTakesHeldLock, "try-takes-held-lock", "a try-acquire is granted a held lock"},
      {Bug::kFlushWithoutNotice, "flush-without-notice",
       "a page flushed when dropped is not in the interval's record"},
      {Bug::kPristineSurvivesNotice, "pristine-survives-notice",
       "a page never touched here stays pristine when others have written it"},
      {Bug::kSequencerWithoutRecords, "sequencer-without-records",
       "an await is answered without the records"},
      {Bug::kSequencerCountAhead, "sequencer-count-ahead",
       "the answer to an await tells of a count that it does not cover"},
      {Bug::kAtomicAfterArrival, "atomic-after-arrival",
       "what is written while a node is in a barrier is in the notices of no epoch"},
      {Bug::kIntervalEndsAtArrival, "interval-ends-at-arrival",
       "what was collected for a barrier is in no record of the same epoch"},
      {Bug::kEvictWritten, "evict-written", "a page that was written is evicted without its diff"},
      {Bug::kEvictAsOnlyWriter, "evict-as-only-writer",
       "a node that has evicted a page still counts as its only writer"},
      {Bug::kSecondChanceOfWritten, "second-chance-of-written",
       "a page that is written while it is unmapped for its second chance is kept as unwritten"},
      {Bug::kPostWithoutRecords, "post-without-records", "a post is sent without the records"},
      {Bug::kKeepWithoutUpdate, "keep-without-update",
       "the only writer of a page whose home stays keeps its diff to itself"},
      {Bug::kKeptCopyUnwatched, "kept-copy-unwatched",
       "a home that stays takes a page for its own alone while the writer has a copy"},
      {Bug::kContributionWithoutRecords, "contribution-without-records",
       "a parent uses what a child brings to a barrier without what the child wrote"},
      {Bug::kGatherTooEarly, "gather-too-early", "a parent does not wait for all of its children"},
      {Bug::kGatherWithoutParts, "gather-without-parts",
       "a parent does not wait for all of a long contribution"},
      {Bug::kVoteOfOneChild, "vote-of-one-child", "votes are not or-ed: the first one wins"},
      {Bug::kPushWithoutTracking, "push-without-tracking",
       "an exclusive page is pushed and stays untracked"},
      {Bug::kPushBeforeFinals, "push-before-finals",
       "a home pushes pages before it has the final updates"},
      {Bug::kInstallStalePush, "install-stale-push",
       "a pushed page is installed though an acquire has told of a later write"},
      {Bug::kEndPushesSilently, "end-pushes-silently",
       "a home ceases to push a page without a word to the node that waits for it"},
      {Bug::kCarryUnchecked, "carry-unchecked",
       "pages that came with a lock are installed though they may lack what this node knows of"},
      {Bug::kCarryOverOwnWrites, "carry-over-own-writes",
       "a page that came with a lock takes the place of this node's own latest writes"},
      {Bug::kUpdateOvertakes, "update-overtakes",
       "a home applies an update before others' that it must follow"},
      {Bug::kForgetHolder, "forget-holder",
       "a settled notice leaves out one of the nodes that have a copy"},
      {Bug::kForgetLateHolder, "forget-late-holder",
       "a home takes a page for its own alone though it gave a copy away after it had arrived"},
      {Bug::kSettleDisputed, "settle-disputed",
       "a notice stays settled though another node wrote the page too"},
      {Bug::kConcealPassedOn, "conceal-passed-on",
       "nobody reports a copy that came with a lock and not from its home"},
      {Bug::kTakeUnsettledPush, "take-unsettled-push",
       "a page that came with an arrival is taken though another node wrote it too"},
      {Bug::kForgetCarried, "forget-carried",
       "a home takes a page for its own alone that it sent with its arrival"},
      {Bug::kCarryIncomplete, "carry-incomplete",
       "a page goes with a departure before all final updates of it are there"},
      {Bug::kEarlyFinalUnrecorded, "early-final-unrecorded",
       "what went up with an arrival is in no record, if a lock leaves the node after it"},
      {Bug::kLateRecordUnmarked, "late-record-unmarked",
       "who acquires what was written in a barrier does not pass it on in later epochs"},
      {Bug::kMoveHomeFromOthers, "move-home-from-others",
       "a home moves while threads outside the team write there"},
      {Bug::kOthersWithoutFinals, "others-without-finals",
       "an epoch begins before what was released in the barrier has come to the homes"},
      {Bug::kMergeNotMapped, "merge-not-mapped",
       "a page that comes is mapped without this node's atomic updates that are not sent yet"},
      {Bug::kMergeAfterDiffs, "merge-after-diffs",
       "a home does atomic updates after the plain writes that came with them"},
      {Bug::kMergeWithoutNotice, "merge-without-notice",
       "a home does not wait for the last atomic updates of an epoch"},
      {Bug::kMergeKeepsFetch, "merge-keeps-fetch",
       "a page is taken though it may lack atomic updates sent since it was asked for"},
      {Bug::kCountOldFinal, "count-old-final",
       "a final update that was held beyond its epoch counts as the next epoch's"},
      {Bug::kPatchAnyCopy, "patch-any-copy",
       "what an atomic operation gave is written into a newer copy, which came with a lock"},
      {Bug::kLoseCarriedFinal, "lose-carried-final",
       "a final update that was to go with a departure is not sent"},
      {Bug::kDirectoryForgets, "directory-forgets",
       "a directory does not take down who wrote pages that it does not use itself"},
      {Bug::kUnknownStaysPristine, "unknown-stays-pristine",
       "a page without an entry stays pristine when others have written it"},
      {Bug::kBelieveOldHomes, "believe-old-homes",
       "what a directory said of an epoch that has ended is taken for the present"},
      {Bug::kConcealAtHome, "conceal-at-home",
       "a page's home is not taken for a writer though another node says so"},
      {Bug::kPauseWithOthers, "pause-with-others",
       "pages are replaced where they are though threads outside the team may touch them"},
  };
  return bugs;
}

std::optional<Bug> find_bug(std::string_view name) {
  for (const BugName& bug : all_bugs()) {
    if (bug.name == name) return bug.bug;
  }
  return std::nullopt;
}

void activate_bug(Bug bug) { active = bug; }
Bug active_bug() { return active; }

}  // namespace weft

#endif
