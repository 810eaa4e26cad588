// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/remote/table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace weft::remote {
namespace {

constexpr std::uint32_t kNumber = 5;
constexpr std::uint64_t kSecret = 0x1234;

class TableTest : public testing::TestWithParam<bool> {
 protected:
  TableTest() : table_(std::make_unique<Table>()) {
    table_->has_light_fences = GetParam() && agree_to_light_fences();
    Grant& grant = table_->grants[kNumber];
    grant.bytes = 100;
    grant.rights = WEFT_RIGHT_READ | WEFT_RIGHT_ATOMIC;
    grant.secret = kSecret;
  }
  int error_of(Place* place, std::uint64_t secret, weft_rights right, std::uint64_t offset,
               std::uint64_t bytes, std::uint32_t number = kNumber) {
    return Use(*table_, place, table_->has_light_fences, number, secret, right, offset, bytes)
        .error();
  }

  std::unique_ptr<Table> table_;
};

TEST_P(TableTest, GrantsWhatTheKeyGrants) {
  Place* const own = table_->take_place();
  for (Place* const place : {own, static_cast<Place*>(nullptr)}) {
    EXPECT_EQ(error_of(place, kSecret, WEFT_RIGHT_READ, 0, 100), WEFT_OK);
    EXPECT_EQ(error_of(place, kSecret, WEFT_RIGHT_READ, 100, 0), WEFT_OK);
    EXPECT_EQ(error_of(place, kSecret, WEFT_RIGHT_READ, 1, 100), WEFT_ERROR_RANGE);
    EXPECT_EQ(error_of(place, kSecret, WEFT_RIGHT_READ, 101, 0), WEFT_ERROR_RANGE);
    EXPECT_EQ(error_of(place, kSecret, WEFT_RIGHT_READ, UINT64_MAX, 2), WEFT_ERROR_RANGE);
    EXPECT_EQ(error_of(place, kSecret, WEFT_RIGHT_WRITE, 0, 1), WEFT_ERROR_RIGHT);
    EXPECT_EQ(error_of(place, kSecret + 1, WEFT_RIGHT_READ, 0, 1), WEFT_ERROR_KEY);
    EXPECT_EQ(error_of(place, 0, WEFT_RIGHT_READ, 0, 1, kNumber + 1), WEFT_ERROR_KEY);
    EXPECT_EQ(error_of(place, kSecret, WEFT_RIGHT_READ, 0, 1, kMostKeys), WEFT_ERROR_KEY);
  }
  table_->wait_for_users(kNumber);  // nobody is left
}

// The owner waits for a use that began before the secret was gone, and for no later one.
TEST_P(TableTest, EndsAKeyWhenNobodyUsesIt) {
  Place* const own = table_->take_place();
  for (Place* const place : {own, static_cast<Place*>(nullptr)}) {
    table_->grants[kNumber].secret = kSecret;
    std::atomic<bool> is_used{true}, is_revoked{false};
    auto use = std::make_unique<Use>(*table_, place, table_->has_light_fences, kNumber, kSecret,
                                     WEFT_RIGHT_READ, 0, 1);
    ASSERT_EQ(use->error(), WEFT_OK);
    std::thread owner([&] {
      table_->grants[kNumber].secret.store(0);
      is_revoked = true;
      table_->wait_for_users(kNumber);
      EXPECT_FALSE(is_used);
    });
    while (!is_revoked) std::this_thread::yield();
    EXPECT_EQ(error_of(nullptr, kSecret, WEFT_RIGHT_READ, 0, 1), WEFT_ERROR_KEY);
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    is_used = false;
    use.reset();
    owner.join();
  }
}

// As a signal handler that interrupts an operation, and does one of its own.
TEST_P(TableTest, LetsUsesOfOneThreadNest) {
  Place* const place = table_->take_place();
  std::atomic<bool> is_used{true};
  auto outer = std::make_unique<Use>(*table_, place, table_->has_light_fences, kNumber, kSecret,
                                     WEFT_RIGHT_READ, 0, 1);
  EXPECT_EQ(error_of(place, kSecret, WEFT_RIGHT_READ, 0, 1), WEFT_OK);
  std::thread owner([&] {
    table_->grants[kNumber].secret.store(0);
    table_->wait_for_users(kNumber);
    EXPECT_FALSE(is_used);
  });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  is_used = false;
  outer.reset();
  owner.join();
}

// A thread that uses the memory as fast as it can never sees that it has been given back.
TEST_P(TableTest, IsRightInARace) {
  Place* const place = table_->take_place();
  Grant& grant = table_->grants[kNumber];
  std::atomic<std::uint64_t> memory{0};  // odd: given back
  std::atomic<bool> ends{false};
  std::thread user([&] {
    while (!ends) {
      const Use use(*table_, place, table_->has_light_fences, kNumber, kSecret, WEFT_RIGHT_READ, 0,
                    1);
      if (use.error() != WEFT_OK) continue;
      ASSERT_EQ(memory.load(std::memory_order_relaxed) % 2, 0U);
    }
  });
  for (int round = 0; round < 2000; ++round) {
    grant.secret.store(0);
    table_->wait_for_users(kNumber);
    memory.fetch_add(1);
    memory.fetch_add(1);
    grant.secret.store(kSecret);
    if (round % 100 == 0) std::this_thread::yield();
  }
  ends = true;
  user.join();
}

INSTANTIATE_TEST_SUITE_P(Fences, TableTest, testing::Bool(),
                         [](const auto& light) { return light.param ? "Light" : "Full"; });

TEST(TablePlaces, AreGivenAgain) {
  const auto table = std::make_unique<Table>();
  Place* const first = table->take_place();
  Place* const second = table->take_place();
  EXPECT_NE(first, second);
  first->is_taken = false;
  EXPECT_EQ(table->take_place(), first);
  while (table->take_place() != nullptr) {
  }
  EXPECT_EQ(table->places_used.load(), Table::kMostPlaces);
}

TEST(Bell, WakesWhoWaits) {
  Bell bell;
  std::atomic<bool> has_come{false}, is_waiting{false};
  std::thread waiter([&] {
    const Bell::Waiting waiting(bell);
    is_waiting = true;
    for (;;) {
      const std::uint32_t seen = bell.rung().load();
      if (has_come) return;
      bell.sleep(seen);
    }
  });
  while (!is_waiting) std::this_thread::yield();
  const std::uint32_t before = bell.rung().load();
  has_come = true;
  bell.ring();
  EXPECT_NE(bell.rung().load(), before);
  waiter.join();
  bell.ring();
  EXPECT_EQ(bell.rung().load(), before + 1);  // nobody waits
}

}  // namespace
}  // namespace weft::remote
