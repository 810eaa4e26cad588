// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/context/unanswered_stores.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr NodeId kHome(1), kOther(2);

AtomicRequest store_at(std::uint64_t where) {
  AtomicRequest store;
  store.where = GlobalOffset(where);
  store.size = 4;
  store.operation = AtomicOperation::kStore;
  return store;
}

TEST(UnansweredStores, AreConfirmedByALoadOfTheLastOne) {
  UnansweredStores stores;
  EXPECT_FALSE(stores.beside(kOther));
  stores.note(kHome, store_at(8), UpdateSequence(3), Epoch(1));
  stores.note(kHome, store_at(16), UpdateSequence(5), Epoch(1));
  EXPECT_FALSE(stores.beside(kHome));
  const auto first = stores.beside(kOther);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->home, kHome);
  EXPECT_EQ(first->load.where, GlobalOffset(16));
  EXPECT_EQ(first->load.operation, AtomicOperation::kLoad);
}

TEST(UnansweredStores, AreAnsweredByWhatWasAskedBehindThem) {
  UnansweredStores stores;
  stores.note(kHome, store_at(8), UpdateSequence(3), Epoch(1));
  stores.note_answered(kHome, UpdateSequence(2), 0);
  EXPECT_TRUE(stores.beside(kOther));
  stores.note_answered(kOther, UpdateSequence(9), 0);
  EXPECT_TRUE(stores.beside(kOther));
  stores.note_answered(kHome, UpdateSequence(3), 0);
  EXPECT_FALSE(stores.beside(kOther));
}

TEST(UnansweredStores, AreLimited) {
  UnansweredStores stores;
  for (std::uint32_t count = 0; count < UnansweredStores::kMost; ++count) {
    EXPECT_TRUE(stores.has_room(kHome));
    stores.note(kHome, store_at(8), UpdateSequence(count + 1), Epoch(1));
  }
  EXPECT_FALSE(stores.has_room(kHome));
  EXPECT_TRUE(stores.has_room(kOther));
  stores.forget(kHome);
  EXPECT_TRUE(stores.has_room(kHome));
}

TEST(UnansweredStores, StandInOneRecord) {
  const auto never = [](const UnansweredStores::ToConfirm&) { return false; };
  UnansweredStores stores;
  stores.note(kHome, store_at(8), UpdateSequence(3), Epoch(1));
  stores.note(kOther, store_at(4096), UpdateSequence(1), Epoch(1));
  stores.note_answered(kOther, UpdateSequence(1), 0);
  const std::vector<StoreUnderWay> expected = {{kHome, GlobalOffset(8), 4}};
  EXPECT_EQ(stores.take_unrecorded(never), expected);
  EXPECT_TRUE(stores.take_unrecorded(never).empty());
  stores.note(kHome, store_at(8), UpdateSequence(4), Epoch(1));
  EXPECT_EQ(stores.take_unrecorded(never), expected);
}

TEST(UnansweredStores, AreForgottenAndNotNamedOnceTheyAreOver) {
  UnansweredStores stores;
  stores.note(kHome, store_at(8), UpdateSequence(3), Epoch(1));
  stores.note(kOther, store_at(4096), UpdateSequence(1), Epoch(2));
  const auto first_epoch = [](const UnansweredStores::ToConfirm& each) {
    return each.epoch == Epoch(1);
  };
  const std::vector<StoreUnderWay> expected = {{kOther, GlobalOffset(4096), 4}};
  EXPECT_EQ(stores.take_unrecorded(first_epoch), expected);
  EXPECT_FALSE(stores.beside(kOther));
}

TEST(UnansweredStores, OfOthersAreConfirmedOnceByWhatWasAskedBehindThem) {
  UnansweredStores stores;
  stores.note_heard(kOther, {{kHome, GlobalOffset(8), 4}, {kOther, GlobalOffset(16), 4}}, Epoch(1));
  EXPECT_FALSE(stores.beside(kHome)) << "this node is the other one's home";
  const auto first = stores.beside(kOther);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->home, kHome);
  EXPECT_EQ(first->load.where, GlobalOffset(8));
  const std::uint64_t asked = stores.heard_count();
  stores.note_heard(kOther, {{kHome, GlobalOffset(8), 4}}, Epoch(1));
  stores.note_answered(kHome, UpdateSequence(9), asked);
  EXPECT_TRUE(stores.beside(kOther)) << "one was heard of behind the question";
  stores.note_answered(kHome, UpdateSequence(9), stores.heard_count());
  EXPECT_FALSE(stores.beside(kOther));
}

}  // namespace
}  // namespace weft
