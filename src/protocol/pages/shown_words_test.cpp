// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/shown_words.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace weft {
namespace {

using Answer = ShownWords::Answer;

// What is hidden, and how often others have loaded.
class Shown : public ExposedMemory {
 public:
  void hide_word(GlobalOffset where) override { hidden.insert(where); }
  [[nodiscard]] std::uint64_t loads_of(GlobalOffset /*where*/) const override { return loads; }

  std::set<GlobalOffset> hidden;
  std::uint64_t loads = 0;
};

constexpr NodeId kHome(0), kLoader(1), kOther(2);
constexpr GlobalOffset kFlag(4096);

AtomicRequest request(AtomicOperation operation, GlobalOffset where, std::uint8_t size,
                      std::uint64_t operand = 0) {
  AtomicRequest made{.where = where, .size = size, .operation = operation};
  std::memcpy(made.operand, &operand, sizeof operand);
  return made;
}

struct ShownWordsTest : testing::Test {
  Answer load(NodeId by, std::uint32_t value) {
    return words.note_answered(by, request(AtomicOperation::kLoad, kFlag, 4), view(value), false);
  }
  void store(NodeId by, std::uint32_t value) {
    words.note_operation(by, request(AtomicOperation::kStore, kFlag, 4, value));
  }
  // Those that are told of the last change.
  std::vector<NodeId> told() {
    const auto tellings = words.take_changed();
    return tellings.empty() ? std::vector<NodeId>() : tellings[0].to;
  }
  static ByteView view(const std::uint32_t& value) { return std::as_bytes(std::span(&value, 1)); }

  Shown shown;
  ShownWords words{shown};
};

TEST_F(ShownWordsTest, AWordIsShownThatIsLoadedAgain) {
  EXPECT_EQ(load(kLoader, 0), Answer::kUnshown);
  EXPECT_EQ(load(kOther, 0), Answer::kShown);
}

TEST_F(ShownWordsTest, OneIsShownAtOnceWhereAllAre) {
  const std::uint32_t value = 0;
  EXPECT_EQ(words.note_answered(kLoader, request(AtomicOperation::kLoad, kFlag, 4), view(value),
                                /*at_once=*/true),
            Answer::kShown);
}

TEST_F(ShownWordsTest, AnOperationHidesIt) {
  (void)load(kLoader, 0);
  words.note_operation(kHome, request(AtomicOperation::kLoad, kFlag, 4));
  words.note_operation(kHome, request(AtomicOperation::kAdd, GlobalOffset(4100), 4));
  EXPECT_TRUE(shown.hidden.empty());
  EXPECT_FALSE(words.has_changed());
  words.note_operation(kHome, request(AtomicOperation::kAdd, GlobalOffset(4103), 1));
  EXPECT_TRUE(shown.hidden.empty());
  words.note_operation(kHome, request(AtomicOperation::kAdd, GlobalOffset(4099), 1));
  EXPECT_EQ(shown.hidden, std::set{kFlag});
  EXPECT_TRUE(words.has_changed());
}

// It may begin in a place before that of the operation.
TEST_F(ShownWordsTest, AnOperationOnASecondHalfHidesAWideWord) {
  const std::array<std::byte, 8> value{};
  (void)words.note_answered(kLoader, request(AtomicOperation::kLoad, kFlag, 8), value, false);
  words.note_operation(kHome, request(AtomicOperation::kStore, GlobalOffset(4100), 4));
  EXPECT_EQ(shown.hidden, std::set{kFlag});
}

TEST_F(ShownWordsTest, AWordThatTakesItsPlaceHidesIt) {
  (void)load(kLoader, 0);
  constexpr GlobalOffset kSamePlace(4096 + 64 * 4);
  const std::uint32_t value = 0;
  (void)words.note_answered(kLoader, request(AtomicOperation::kLoad, kSamePlace, 4), view(value),
                            false);
  EXPECT_EQ(shown.hidden, std::set{kFlag});
}

TEST_F(ShownWordsTest, WhoHasAskedTwiceForANewValueIsTold) {
  (void)load(kLoader, 0);
  store(kHome, 1);
  EXPECT_TRUE(told().empty());
  (void)load(kLoader, 1);
  (void)load(kLoader, 1);
  store(kHome, 2);
  EXPECT_EQ(told(), std::vector{kLoader});
  EXPECT_TRUE(told().empty()) << "nothing has changed since";
}

TEST_F(ShownWordsTest, WhoHasStoredItHimselfIsNotTold) {
  (void)load(kLoader, 0);
  store(kHome, 1);
  (void)load(kLoader, 1);
  store(kLoader, 0);
  EXPECT_TRUE(told().empty());
  store(kHome, 1);
  EXPECT_EQ(told(), std::vector{kLoader});
}

TEST_F(ShownWordsTest, WhoIsToldTwiceInVainIsToldNoMore) {
  (void)load(kLoader, 0);
  store(kHome, 1);
  (void)load(kLoader, 1);
  for (std::uint32_t value = 2; value < 4; ++value) {
    store(kHome, value);
    EXPECT_EQ(told(), std::vector{kLoader});
    ++shown.loads;
  }
  store(kHome, 4);
  EXPECT_EQ(told(), std::vector{kLoader}) << "the word was loaded each time";
  store(kHome, 5);
  EXPECT_EQ(told(), std::vector{kLoader});
  store(kHome, 6);
  EXPECT_TRUE(told().empty());
}

// Such a load brings nothing to acquire, unless a thread of the home has written there plainly.
TEST_F(ShownWordsTest, AStoreOfOnesOwnIsNoNews) {
  (void)load(kLoader, 0);
  store(kLoader, 7);
  EXPECT_EQ(load(kLoader, 7), Answer::kOwn);
  EXPECT_EQ(load(kOther, 7), Answer::kShown);
  EXPECT_EQ(load(kLoader, 8), Answer::kShown);
  store(kLoader, 7);
  words.note_operation(kHome, request(AtomicOperation::kAdd, kFlag, 4, 0));
  EXPECT_EQ(load(kLoader, 7), Answer::kShown);
}

}  // namespace
}  // namespace weft
