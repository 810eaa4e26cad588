// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/pending_atomics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace weft {
namespace {

constexpr PageIndex kPage(3);
constexpr std::uint32_t kCopy = 5;
constexpr std::uint64_t kPlace = 64;
constexpr WaitId kWait(1);

AtomicRequest request_at(std::uint64_t place, std::uint8_t size) {
  return {.where = GlobalOffset(kPage.value() * kPageBytes + place), .size = size};
}

// Asked for with this copy, which held zeros there.
PendingAtomic asked() {
  PendingAtomic pending{};
  pending.request = request_at(kPlace, 8);
  pending.copy = kCopy;
  pending.held.emplace();
  return pending;
}

// A page that holds zeros but for one byte.
std::vector<std::byte> contents_with(std::size_t place, int value) {
  std::vector<std::byte> contents(kPageBytes);
  contents[place] = std::byte(value);
  return contents;
}

class PendingAtomicsTest : public testing::Test {
 protected:
  PendingAtomicsTest() { pending_.add(kWait, asked()); }

  bool still_fits(const std::vector<std::byte>& contents) {
    return pending_.take(kWait).fits(kCopy, contents);
  }

  PendingAtomics pending_;
  const std::vector<std::byte> zeros_ = contents_with(0, 0);
};

TEST_F(PendingAtomicsTest, APageHasOneUntilItIsTaken) {
  EXPECT_TRUE(pending_.has(kPage));
  EXPECT_FALSE(pending_.has(kPage.plus(1)));
  (void)pending_.take(kWait);
  EXPECT_FALSE(pending_.has(kPage));
}

TEST_F(PendingAtomicsTest, AReplyFitsTheCopyThatHoldsWhatItDid) {
  const PendingAtomic pending = pending_.take(kWait);
  EXPECT_TRUE(pending.fits(kCopy, zeros_));
  EXPECT_FALSE(pending.fits(kCopy + 1, zeros_));
  EXPECT_FALSE(pending.fits(kCopy, contents_with(kPlace, 1)));
  EXPECT_FALSE(pending.fits(kCopy, contents_with(kPlace + 7, 1)));
  EXPECT_TRUE(pending.fits(kCopy, contents_with(kPlace + 8, 1)));
}

TEST_F(PendingAtomicsTest, AnUpdateOfAWordBesideItChangesNothing) {
  pending_.note_merged(request_at(kPlace + 8, 8));
  pending_.note_merged(request_at(kPlace - 4, 4));
  EXPECT_TRUE(still_fits(zeros_));
}

TEST_F(PendingAtomicsTest, AnUpdateOfItsLastByteMakesTheReplyUnfit) {
  pending_.note_merged(request_at(kPlace + 7, 1));
  EXPECT_FALSE(still_fits(zeros_));
}

TEST_F(PendingAtomicsTest, AnUpdateThatReachesItsFirstByteMakesTheReplyUnfit) {
  pending_.note_merged(request_at(kPlace - 3, 4));
  EXPECT_FALSE(still_fits(zeros_));
}

TEST_F(PendingAtomicsTest, ADiffCountsIfItSendsAnotherWord) {
  pending_.note_diff(kPage, contents_with(0, 1));
  pending_.note_diff(PageIndex(4), contents_with(kPlace, 1));
  EXPECT_TRUE(pending_.take(kWait).held);
  pending_.add(kWait, asked());
  pending_.note_diff(kPage, contents_with(kPlace, 1));
  EXPECT_FALSE(pending_.take(kWait).held);
}

// So two operations on one word, both under way, leave the copy where it is.
TEST_F(PendingAtomicsTest, WhatAReplyLeavesIsWhatTheNextExpects) {
  const std::vector<std::byte> nine = contents_with(kPlace, 9);
  pending_.note_patched(request_at(kPlace, 8), ByteView(nine).subspan(kPlace, 8));
  EXPECT_TRUE(still_fits(nine));
}

TEST_F(PendingAtomicsTest, WhatAReplyLeavesElsewhereIsNotExpected) {
  const std::vector<std::byte> nine = contents_with(kPlace, 9);
  pending_.note_patched(request_at(kPlace, 4), ByteView(nine).subspan(kPlace, 4));
  pending_.note_patched(request_at(kPlace + 8, 8), ByteView(nine).subspan(kPlace, 8));
  EXPECT_TRUE(still_fits(zeros_));
}

TEST_F(PendingAtomicsTest, WhatWasNotThereIsNotPatched) {
  pending_.note_merged(request_at(kPlace, 8));
  pending_.note_patched(request_at(kPlace, 8), ByteView(zeros_).first(8));
  EXPECT_FALSE(pending_.take(kWait).held);
}

}  // namespace
}  // namespace weft
