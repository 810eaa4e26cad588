// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/interface/host_bugs.hpp"

#ifdef WEFT_DELIBERATE_BUGS

namespace weft {

std::vector<BugName> host_bugs() {
  return {
      {Bug::kExposeUntracked, "expose-untracked",
       "an exclusive page is exposed and stays untracked"},
      {Bug::kExposeUnannounced, "expose-unannounced",
       "notices of exposed pages go to the holders of copies alone"},
      {Bug::kStayExposed, "stay-exposed", "a page stays exposed when a notice names it"},
      {Bug::kReadInAnyEpoch, "read-in-any-epoch",
       "a page is read though its home is in another epoch"},
      {Bug::kReadUnapplied, "read-unapplied",
       "a page is read before its home has applied what the reader must see"},
      {Bug::kReadWithoutSecondLook, "read-without-second-look",
       "a page is taken though its home left the epoch while it was read"},
      {Bug::kOperateUnpinned, "operate-unpinned",
       "a node does an atomic operation at a home that has changed since it looked"},
      {Bug::kDirectBeforeReply, "direct-before-reply",
       "an atomic operation is done at its home while another on that page is under way"},
      {Bug::kDirectBeforeContents, "direct-before-contents",
       "an atomic operation is done at its home while the page is on its way here"},
      {Bug::kOpenWithTwin, "open-with-twin",
       "others do atomic operations on a page of which its home makes diffs"},
      {Bug::kKeepOpen, "keep-open",
       "others do atomic operations on a page of which a load is kept"},
      {Bug::kOverlookOperations, "overlook-operations",
       "a home that others have done operations at counts as current"},
      {Bug::kShowUnflushed, "show-unflushed",
       "a word is shown though what was flushed before it is in no record"},
      {Bug::kLoadUnknown, "load-unknown",
       "a word is loaded at its home by a node that lacks records of the home's"},
      {Bug::kTrustShown, "trust-shown",
       "who loads a word at its home stays current, though the home was not"},
      {Bug::kLookPastOwn, "look-past-own",
       "a word is loaded at a home that has not applied this node's own stores"},
      {Bug::kAnswerAsOwn, "answer-as-own",
       "a load is answered without records, as if it found its own node's store"},
      {Bug::kForgetUnread, "forget-unread",
       "a page that was left at its home, and could not be read there, is not asked for again"},
      {Bug::kOweUnread, "owe-unread",
       "a page that could not be read is expected to be pushed though its home takes it to be "
       "here"},
  };
}

}  // namespace weft

#endif
