// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic updates that nobody waits for: behind fences, and before barriers.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/locks/lock_ids.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_test_cluster.hpp"

namespace weft {
namespace {

class DriverUpdatesTest : public ClusterTest {};
INSTANTIATE_TEST_SUITE_P(Processors, DriverUpdatesTest, testing::Bool(), processors_of);

// False: it does not, for so many looks of some milliseconds.
bool comes_to(Driver& driver, AtomicRequest count, unsigned value) {
  constexpr unsigned kMostLooks = 3000;
  count.operation = AtomicOperation::kLoad;
  const std::byte expected{static_cast<unsigned char>(value)};
  for (unsigned look = 0; look < kMostLooks; ++look) {
    if (driver.look(count, Ordering::kAcquire).before[0] == expected) return true;
  }
  return false;
}

// Behind a fence the first update is a release. Then the home knows what was written before it.
TEST_P(DriverUpdatesTest, OfUpdatesBehindAFenceTheFirstAloneReleases) {
  static constexpr unsigned kRounds = 20, kUpdates = 3;
  cluster_->run([](const Place& place) {
    Driver& driver = place.driver();
    AtomicRequest count;
    count.size = 8;
    count.where = GlobalOffset(9 * kPageBytes);
    for (unsigned round = 1; round <= kRounds; ++round) {
      if (place.thread == 0 && place.self == 1) {
        count.operation = AtomicOperation::kAdd;
        count.operand[0] = std::byte{1};
        const EngineCounters before = driver.statistics().engine;
        for (unsigned page = 7; page <= 8; ++page) {
          place.variable(page, 0) = round;
          driver.fence(false);
          for (unsigned update = 0; update < kUpdates; ++update) driver.merge(count);
        }
        const EngineCounters after = driver.statistics().engine;
        EXPECT_EQ(after.atomics_merged - before.atomics_merged, 2 * (kUpdates - 1));
      } else if (place.thread == 0 && place.self == 0) {
        EXPECT_LE(place.variable(7, 0) + place.variable(8, 0), 2 * round);  // copies are here
        EXPECT_TRUE(comes_to(driver, count, 2 * kUpdates * round));
        EXPECT_EQ(place.variable(7, 0), round);
        EXPECT_EQ(place.variable(8, 0), round);
      }
      place.barrier();
    }
  });
}

// Their node has arrived by then, and waits for this one.
TEST_P(DriverUpdatesTest, UpdatesReachWhoWaitsForThemBeforeTheBarrier) {
  cluster_->run([](const Place& place) {
    AtomicRequest count;
    count.size = 8;
    count.where = GlobalOffset(9 * kPageBytes);
    for (unsigned round = 1; round <= 20; ++round) {
      if (place.thread == 0 && place.self == 1) {
        count.operation = AtomicOperation::kAdd;
        count.operand[0] = std::byte{1};
        place.variable(7, 0) = round;
        place.driver().merge(count);
        if (round % 2 == 0) place.driver().fence(false);
      } else if (place.thread == 0 && place.self == 0) {
        EXPECT_TRUE(comes_to(place.driver(), count, round)) << "round " << round;
      }
      place.barrier();
    }
  });
}

// By a right to add, which nobody takes back.
TEST_P(DriverUpdatesTest, SumsUnderALockReachWhoLooksWithoutIt) {
  static constexpr LockId kLock(5U << (kLockKindBits + 3));
  static constexpr unsigned kRounds = 5;
  static std::atomic<unsigned> added, done;
  added = done = 0;
  cluster_->run([](const Place& place) {
    Driver& driver = place.driver();
    AtomicRequest sum;
    sum.size = 8;
    sum.where = GlobalOffset(9 * kPageBytes);
    sum.operation = AtomicOperation::kAdd;
    sum.operand[0] = std::byte{1};
    if (place.thread == 0 && place.self == 0) {
      driver.acquire(kLock);
      place.variable(9, 0) = 0;  // the page has a home
      driver.release(kLock);
    }
    place.barrier();
    for (unsigned round = 1; round <= kRounds; ++round) {
      if (place.thread == 0 && place.self == 1) {
        AddingTargets targets;
        targets.push_back(target_of(sum));
        const std::uint64_t right = driver.acquire_adding(kLock, targets);
        ASSERT_NE(right, 0U) << "round " << round;
        if (driver.add(kLock, right, {{&sum, 1}, {}}) == AddingResult::kAdded) ++added;
        done = round;
      } else if (place.thread == 0 && place.self == 0) {
        while (done != round) std::this_thread::yield();
        EXPECT_TRUE(comes_to(driver, sum, added)) << "round " << round;
      }
      place.barrier();
    }
  });
  EXPECT_GE(added, kRounds - 1);  // the first may have to be done with the lock
}

}  // namespace
}  // namespace weft
