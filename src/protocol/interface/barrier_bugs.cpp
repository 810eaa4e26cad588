// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/interface/barrier_bugs.hpp"

#ifdef WEFT_DELIBERATE_BUGS

namespace weft {

std::vector<BugName> meeting_bugs() {
  return {
      {Bug::kMeetUnsearched, "meet-unsearched",
       "a node meets others at a barrier as if its threads had written nothing"},
      {Bug::kMeetWithoutVotes, "meet-without-votes",
       "a node that meets others at a barrier gets its own votes alone"},
      {Bug::kGatherUncounted, "gather-uncounted",
       "node 0 takes what has been brought in memory before all nodes have come"},
      {Bug::kPublishUnlooked, "publish-unlooked",
       "node 0 publishes in memory behind a barrier with messages, where nobody looks"},
      {Bug::kPublishUnsearched, "publish-unsearched",
       "node 0 publishes in memory as if it had written nothing"},
      {Bug::kPublishToSleepers, "publish-to-sleepers",
       "node 0 publishes in memory though a node has stopped looking"},
      {Bug::kGiveUpUnsaid, "give-up-unsaid",
       "a node that waits no longer for a meeting does not say so to those that are to come"},
      {Bug::kMeetBehindMessages, "meet-behind-messages",
       "a node handles a message before it looks whether the barrier is over"},
  };
}

std::vector<BugName> barrier_bugs() {
  return {
      {Bug::kOvertakeHeld, "overtake-held",
       "a departure that waits for a publication is overtaken by other messages"},
      {Bug::kMeetAsSubtree, "meet-as-subtree",
       "the root's only child takes the notices of the two as they are"},
      {Bug::kCrossWithNewTree, "cross-with-new-tree",
       "the root's only child departs by itself though there may be another tree"},
      {Bug::kWholeAfterUpdates, "whole-after-updates",
       "a copy is put together though some of its diffs were sent before"},
      {Bug::kOverlookAtHome, "overlook-at-home",
       "a copy is put together though something of it was done at its home"},
      {Bug::kTakeAnyOwn, "take-any-own",
       "what the home had when it arrived is taken, whatever this node wrote of it"},
      {Bug::kPushAcquired, "push-acquired",
       "a home that has acquired from a node since puts what it had into its arrival, too"},
      {Bug::kHoldFromSenders, "hold-from-senders",
       "departures wait for a publication though another node has asked for something"},
      {Bug::kHoldWithNewTree, "hold-with-new-tree",
       "a publication takes another way down the tree than the departure that goes before it"},
      {Bug::kHoldFromSubtree, "hold-from-subtree",
       "a node that cannot pass on a publication yet keeps the departure, too"},
      {Bug::kHoldWhileDeparting, "hold-while-departing",
       "departures wait for a publication though node 0 waits for who would get them"},
      {Bug::kWaitForPublication, "wait-for-publication",
       "what a signal handler does in a barrier waits until node 0 publishes"},
      {Bug::kForgetWish, "forget-wish",
       "the same, if node 0 is told of it before it comes to the barrier itself"},
      {Bug::kKeepForItself, "keep-for-itself",
       "a node does not pass on what comes to it in an exchange"},
      {Bug::kSendRoundEarly, "send-round-early",
       "a round of an exchange goes before those before it have come"},
      {Bug::kLeaveExchange, "leave-exchange",
       "a node leaves the epoch before its exchange has ended"},
      {Bug::kExchangeOffBeat, "exchange-off-beat",
       "a push that is exchanged does not say in which rhythm its pages come"},
      {Bug::kExchangeUntold, "exchange-untold",
       "node 0 has an exchange at a barrier at which arrivals have crossed"},
      {Bug::kDropUnheard, "drop-unheard",
       "records are dropped though one node has not answered how far it has heard"},
      {Bug::kAnswerAhead, "answer-ahead",
       "a node that is asked how far it has heard names its asker's records, too"},
      {Bug::kCollectAcrossEpochs, "collect-across-epochs",
       "answers of an epoch that has ended count in a round of the next"},
      {Bug::kCarryPastDropped, "carry-past-dropped",
       "a page that a lock brings is taken though its sender lacked a record that is dropped "
       "here"},
      {Bug::kForgetDropped, "forget-dropped",
       "the pages of dropped records are not told as an epoch ends"},
  };
}

}  // namespace weft

#endif
