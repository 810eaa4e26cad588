// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers of several nodes at work: threads of all of them fault, lock, count, wait for each other
// and make requests at the same time. ThreadSanitizer and AddressSanitizer look on when ./x test
// runs this (WEFT_SANITIZE).
#include "runtime/driver/driver.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/compiler_abi.h"
#include "base/locks/lock_ids.hpp"
#include "base/peers/sender.hpp"
#include "protocol/messages/message.hpp"
#include "runtime/driver/driver_test_cluster.hpp"
#include "runtime/output/output_order.hpp"

namespace weft {

// Of the C library's part, which is not here: this program has no handlers.
namespace libc {
void block_all_signals() {}
}  // namespace libc

namespace {

class DriverTest : public ClusterTest {
 protected:
  // Another one, in which no region has begun: node 0 runs the program by itself.
  static Cluster* create_before_regions() {
    return Cluster::create(GetParam(), {}, Driver::Beginning::kAtNodeZero);
  }
};
INSTANTIATE_TEST_SUITE_P(Processors, DriverTest, testing::Bool(), processors_of);

TEST_P(DriverTest, BarriersMakeWritesSeen) {
  cluster_->run([](const Place& place) {
    for (std::uint64_t round = 1; round <= 20; ++round) {
      // Each writes in the page of its node and in one that all write.
      place.variable(1 + place.self, place.thread) = round * 100 + place.number();
      place.variable(10, place.number()) = round;
      place.barrier();
      for (unsigned node = 0; node < kNodes; ++node) {
        for (unsigned thread = 0; thread < kThreads; ++thread) {
          const unsigned number = node * kThreads + thread;
          EXPECT_EQ(place.variable(1 + node, thread), round * 100 + number);
          EXPECT_EQ(place.variable(10, number), round);
        }
      }
      place.barrier();
    }
  });
}

TEST_P(DriverTest, LocksMakeOneAfterTheOther) {
  static constexpr std::uint64_t kRounds = 30, kLocks = 2;
  cluster_->run([](const Place& place) {
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t which = (round + place.thread) % kLocks;
      const LockId lock((which + 1) << kLockKindBits);
      if (round % 3 != 0 || !place.driver().try_acquire(lock)) place.driver().acquire(lock);
      const std::uint64_t old = place.variable(2, which);
      place.variable(3 + which, 7) = old + 1;
      place.variable(2, which) = old + 1;
      EXPECT_EQ(place.variable(3 + which, 7), place.variable(2, which));
      place.driver().release(lock);
    }
    place.barrier();
    EXPECT_EQ(place.variable(2, 0) + place.variable(2, 1), kRounds * kNodes * kThreads);
  });
}

// A thread of node 0 takes them without the engine, until another node asks.
TEST_P(DriverTest, LocksBeginAtNodeZero) {
  const auto lock = [](std::uint64_t which) { return LockId((which + 1) << (kLockKindBits + 3)); };
  cluster_->run([&](const Place& place) {
    Driver& driver = place.driver();
    for (std::uint64_t each = 0; place.number() == 0 && each < 100; ++each) {
      EXPECT_TRUE(driver.take_at_once(lock(each), nullptr, nullptr)) << each;
      // Now and then a thread is to poll.
      if (!driver.give_up_at_once(lock(each))) driver.release(lock(each));
      EXPECT_EQ(driver.statistics().engine.lock_local_grants, each + 1);
      EXPECT_EQ(driver.statistics().engine.messages_sent, 0U);
    }
    place.barrier();
    if (place.number() == kThreads) {  // the first of node 1
      driver.acquire(lock(0));
      driver.release(lock(0));
      EXPECT_EQ(driver.statistics().engine.lock_remote_requests, 1U);
    }
    place.barrier();
    if (place.number() != 0) return;
    EXPECT_FALSE(driver.take_at_once(lock(0), nullptr, nullptr)) << "it is away";
  });
}

// The lock has come from node 0 when others already wait for it here; then it is entrusted to them.
TEST_P(DriverTest, WhoWaitsForALockThatIsEntrustedGetsIt) {
  static constexpr std::uint64_t kRounds = 300;
  static constexpr LockId kLock(5U << (kLockKindBits + 3));
  std::atomic<unsigned> coming = 0;
  cluster_->run([&](const Place& place) {
    if (place.self == 1) {
      for (std::uint64_t round = 0; round < kRounds; ++round) {
        ++coming;
        place.driver().acquire(kLock);
        --coming;
        // Mostly somebody waits when it is given up.
        for (unsigned look = 0; look < 100 && coming == 0; ++look) std::this_thread::yield();
        place.variable(2, 0) = place.variable(2, 0) + 1;
        place.driver().release(kLock);
      }
    }
    place.barrier();
    EXPECT_EQ(place.variable(2, 0), kRounds * kThreads);
  });
  EXPECT_EQ(cluster_->driver(1).statistics().engine.lock_remote_requests, 1U);
}

TEST_P(DriverTest, AtomicOperationsAndWaitingForThem) {
  static constexpr std::uint64_t kRounds = 40;
  static constexpr SequencerId kSequencer(77);
  cluster_->run([](const Place& place) {
    AtomicRequest add;
    add.size = 8;
    add.operation = AtomicOperation::kAdd;
    add.operand[0] = std::byte{1};
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      add.where = GlobalOffset(5 * kPageBytes);
      (void)place.driver().atomic(add, Ordering::kAcquireRelease);
      add.where = GlobalOffset(5 * kPageBytes + 64);
      place.driver().merge(add);
    }
    // One thread of each node comes after the other.
    if (place.thread == 0) {
      EXPECT_GE(place.driver().await(kSequencer, place.self), place.self);
      place.variable(6, 0) = place.variable(6, 0) + 1;
      EXPECT_EQ(place.variable(6, 0), place.self + 1);
      place.driver().advance(kSequencer, place.self + 1);
    }
    place.barrier();
    EXPECT_EQ(place.variable(5, 0), kRounds * kNodes * kThreads);
    EXPECT_EQ(place.variable(5, 8), kRounds * kNodes * kThreads);
    EXPECT_EQ(place.variable(6, 0), kNodes);
  });
}

// A thread that waits for a flag asks for it once, and once more for each time that it hurries.
TEST_P(DriverTest, WhoLooksForAFlagDoesNotAskAgainAndAgain) {
  cluster_->run([](const Place& place) {
    AtomicRequest request;
    request.size = 8;
    request.where = GlobalOffset(9 * kPageBytes);
    if (place.thread == 0 && place.self == 0) {
      request.operation = AtomicOperation::kStore;
      request.operand[0] = std::byte{1};
      (void)place.driver().atomic(request, Ordering::kRelease);
    } else if (place.thread == 0 && place.self == 1) {
      const EngineCounters before = place.driver().statistics().engine;
      std::uint64_t asked = 1;
      AtomicResult seen = place.driver().atomic(request, Ordering::kAcquire);
      for (; seen.before[0] == std::byte{0}; ++asked)
        seen = place.driver().look(request, Ordering::kAcquire);
      const EngineCounters after = place.driver().statistics().engine;
      EXPECT_LE(asked, 2 + after.hurries_sent - before.hurries_sent);
    }
    place.barrier();
  });
}

// What was flushed without the engine, at the flag's home, comes with the answer to who waits
// there.
TEST_P(DriverTest, AFlushBehindAFlagSeesWhatAnImpliedFlushLetGo) {
  cluster_->run([](const Place& place) {
    Driver& driver = place.driver();
    AtomicRequest flag;
    flag.size = 8;
    flag.where = GlobalOffset(9 * kPageBytes);
    for (unsigned round = 1; round <= 20; ++round) {
      const std::byte now{static_cast<unsigned char>(round)};
      if (place.thread == 0 && place.self == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // node 1 waits by then
        place.variable(8, 0) = round;
        driver.note_flush();
        flag.operation = AtomicOperation::kStore;
        flag.operand[0] = now;
        (void)driver.atomic(flag, Ordering::kRelaxed);
      } else if (place.thread == 0 && place.self == 1) {
        EXPECT_LE(place.variable(8, 0), round);  // a copy is here
        driver.fence(false);
        flag.operation = AtomicOperation::kLoad;
        while (driver.look(flag, Ordering::kRelaxed).before[0] != now) {
        }
        driver.fence(false);
        EXPECT_EQ(place.variable(8, 0), round);
      }
      place.barrier();
    }
  });
}

TEST_P(DriverTest, RequestsAreAnsweredWhileAllThreadsAsk) {
  for (unsigned node = 0; node < kNodes; ++node) {
    cluster_->driver(node).serve(Service::kHeapQuery, [node](NodeId from, ByteView request) {
      Bytes reply(request.begin(), request.end());
      reply.push_back(static_cast<std::byte>(from.value() * 16 + node));
      return reply;
    });
  }
  cluster_->run([](const Place& place) {
    for (unsigned round = 0; round < 50; ++round) {
      const unsigned to = (place.self + 1 + round % (kNodes - 1)) % kNodes;
      const auto mark = static_cast<std::byte>(round * kThreads + place.thread);
      const Bytes reply = place.driver().call(NodeId(static_cast<std::uint16_t>(to)),
                                              Service::kHeapQuery, Bytes(1, mark));
      EXPECT_EQ(reply, (Bytes{mark, static_cast<std::byte>(place.self * 16 + to)}));
      if (round % 10 == 0) place.barrier();
    }
  });
}

// Node 0 gets the bytes from node 1 while it waits for something else. Does not return.
void get(const Bytes& message) {
  static Cluster* const cluster = Cluster::create_still(false);
  set_unreadable_handler(
      [](NodeId from, std::string_view what) { cluster->driver(0).fail_reading(from, what); });
  MessageSegments segments;
  segments.emplace_back(Bytes(message));
  cluster->transport(NodeId(1)).send(NodeId(0), Channel::kControl, std::move(segments));
  cluster->driver(0).fence(false);
}

Bytes bytes_of(std::initializer_list<unsigned> numbers) {
  Bytes all;
  for (const unsigned each : numbers) all.push_back(static_cast<std::byte>(each));
  return all;
}

TEST(UnreadableMessage, EndsTheJobWithItsSendersName) {
  if (!choose_back_end({.name = "uffd-async"}).ok()) GTEST_SKIP() << "no userfaultfd here";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr auto kGrant = static_cast<unsigned>(MessageType::kLockGrant);
  EXPECT_DEATH(get(bytes_of({kGrant, 0})), "node 0: node 1 has sent LockGrant of 0 bytes");
  EXPECT_DEATH(get(bytes_of({kGrant})), "node 0: node 1 has sent the header of a message");
  EXPECT_DEATH(get(bytes_of({0xe0, 1})), "node 0: node 1 has sent the header of a message");
  EXPECT_DEATH(get(bytes_of({0xf0, 0x7f, 0})), "node 1 has sent a request for no service");
  EXPECT_DEATH(get(bytes_of({0xf0})), "node 0: node 1 has sent ServiceRequest of 0 bytes");
  EXPECT_DEATH(get({}), "node 0: node 1 has sent a message of 0 bytes");
}

// Node 0 works alone, then gives the others something to do, until it says that there is no more.
TEST_P(DriverTest, PublicationsGoToAllAndTheEndToo) {
  static constexpr std::uint64_t kRegions = 10;
  cluster_->run([](const Place& place) {
    if (place.thread != 0) return;
    Driver& driver = place.driver();
    for (std::uint64_t region = 1; place.self == 0 && region <= kRegions; ++region) {
      place.variable(7, 0) = region;
      Bytes payload;
      ByteWriter(payload).u64(region);
      driver.publish(std::move(payload), PhaseKey(region));
      place.variable(8, place.self) = region;
      driver.barrier();
      for (unsigned node = 0; node < kNodes; ++node) EXPECT_EQ(place.variable(8, node), region);
    }
    if (place.self == 0) return driver.announce_end();
    std::uint64_t regions = 0;
    for (Bytes payload; driver.wait_for_publication(payload);) {
      const std::uint64_t region = ByteReader(payload).u64();
      EXPECT_EQ(region, ++regions);
      EXPECT_EQ(place.variable(7, 0), region);
      place.variable(8, place.self) = region;
      driver.barrier();
    }
    EXPECT_EQ(regions, kRegions);
  });
}

// Between regions node 0 alone runs the program, unless a node has threads outside the team.
TEST_P(DriverTest, NodeZeroIsAloneUntilItPublishes) {
  enum { kTeamOnly, kThreadElsewhere, kThreadHere, kRegions };
  const auto is_alone = [](Driver& driver) {
    const bool alone = driver.enter_alone();
    if (alone) driver.leave_alone();
    return alone;
  };
  create_before_regions()->run([&](const Place& place) {
    if (place.thread != 0) return;
    Driver& driver = place.driver();
    EXPECT_EQ(is_alone(driver), place.self == 0) << "at the start, on node " << place.self;
    for (unsigned region = 0; region < kRegions; ++region) {
      Bytes payload;
      if (place.self == 0) {
        driver.publish({}, PhaseKey(1));
      } else {
        ASSERT_TRUE(driver.wait_for_publication(payload));
      }
      EXPECT_FALSE(is_alone(driver)) << "in region " << region;
      const bool has_thread = region == (place.self == 0 ? kThreadHere : kThreadElsewhere);
      if (has_thread) driver.count_outside_threads(1);
      driver.barrier();
      EXPECT_FALSE(is_alone(driver)) << "behind a barrier of region " << region;
      BarrierInput last;
      last.precedes_publication = true;
      (void)driver.barrier_with(last);
      EXPECT_EQ(is_alone(driver), place.self == 0 && region != kThreadElsewhere)
          << "behind region " << region << ", on node " << place.self;
      if (has_thread) driver.count_outside_threads(-1);
    }
    if (place.self == 0) return driver.announce_end();
    Bytes payload;
    EXPECT_FALSE(driver.wait_for_publication(payload));
  });
}

// A program that prints in a critical section of a serial part waits for nobody.
TEST_P(DriverTest, OutputIsPutInOrderForOtherNodesAlone) {
  const auto print_under_lock = [](Driver& driver) {
    const LockId lock(LockId::representation{1} << kLockKindBits);
    driver.acquire(lock);
    printed_count.fetch_add(1);
    if (!driver.give_up_at_once(lock)) driver.release(lock);
    driver.fence(/*polled=*/false);
    driver.advance(SequencerId(1), 1);
  };
  create_before_regions()->run([&](const Place& place) {
    if (place.thread != 0) return;
    Driver& driver = place.driver();
    if (place.self == 0) {
      print_under_lock(driver);
      EXPECT_TRUE(has_new_output()) << "while node 0 is alone";
      driver.publish({}, PhaseKey(1));
      EXPECT_FALSE(has_new_output()) << "behind the publication";
      print_under_lock(driver);
      EXPECT_FALSE(has_new_output()) << "in a region";
    }
    Bytes payload;
    if (place.self != 0) ASSERT_TRUE(driver.wait_for_publication(payload));
    driver.barrier();
    if (place.self == 0) return driver.announce_end();
    EXPECT_FALSE(driver.wait_for_publication(payload));
  });
}

TEST_P(DriverTest, WhoComesDuringARegionIsNotTakenForAlone) {
  Driver& driver = create_before_regions()->driver(0);
  driver.begin_own_region();
  EXPECT_EQ(__weft_threads_elsewhere, 0);
  driver.count_outside_threads(1);
  EXPECT_EQ(__weft_threads_elsewhere, 1);
  driver.end_own_region();
  driver.begin_own_region();
  EXPECT_EQ(__weft_threads_elsewhere, 1);
  driver.count_outside_threads(-1);
  driver.end_own_region();
}

// Data that are more than half of what a node may use are not for one node.
TEST(Driver, CouldHoldHalfOfItsMemory) {
  for (const std::uint64_t pages : {2 * kPages, 2 * kPages - 8}) {
    Cluster* const cluster =
        Cluster::create(false, {.limit_bytes = pages * kPageBytes, .fail = {}});
    if (cluster == nullptr) GTEST_SKIP() << "no userfaultfd here";
    cluster->run([pages](const Place& place) {
      if (place.number() != 0) return;
      for (std::uint64_t page = 0; page < kPages; ++page) place.variable(page, 0) = page;
      EXPECT_EQ(place.driver().could_hold_everything(), pages == 2 * kPages);
    });
  }
}

}  // namespace
}  // namespace weft
