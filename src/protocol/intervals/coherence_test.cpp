// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What scenarios do not show of Coherence: a limit that takes thousands of updates, which of two
// questions memory is asked when a node arrives, and what a diff has sent if a thread writes on.
#include "protocol/intervals/coherence.hpp"

#include <gtest/gtest.h>

#include <span>

#include "protocol/context/test_surroundings.hpp"
#include "protocol/messages/message.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kPages = 8, kWordsPerPage = kPageBytes / 8;

// Says how often it was asked what was written while threads run, and while they are at rest. Its
// pages' twins are apart from what is in them, as if a thread wrote all the time.
struct AskedMemory : ArrayMemory {
  void collect_written(PageRange, PageSet&) override { ++while_running; }
  void collect_at_rest(std::span<const PageRange>, PhaseKey, PageSet&) override { ++at_rest; }
  [[nodiscard]] ByteView twin(PageIndex) const override { return sent; }
  [[nodiscard]] Bytes make_diff(PageIndex) override { return Bytes(1); }

  int while_running = 0, at_rest = 0;
  Bytes sent = Bytes(kPageBytes);
};

struct CoherenceTest : testing::Test {
  static EngineConfig config() {
    EngineConfig config;
    config.self = NodeId(1);
    config.node_count = 2;
    config.page_count = kPages;
    config.initial_homes.push_back({PageRange{PageIndex(0), kPages}, NodeId(0)});
    return config;
  }
  void add_to_word(std::uint64_t word) {
    updates.merge({.where = GlobalOffset(word * 8), .size = 8});
  }

  // A load of the page's first word is under way, which found zeros there.
  void ask() {
    PendingAtomic asked{};
    asked.request = {.where = GlobalOffset(0), .size = 8};
    asked.held.emplace();
    pending.add(kWait, asked);
  }
  void write(Bytes& page) { page[3] = std::byte(1); }

  static constexpr WaitId kWait{1};
  AskedMemory memory;
  WrittenEffects effects;
  ExposedMemory exposed;
  Context context{.config = config(), .memory = memory, .effects = effects, .exposed = exposed};
  PageTable table{context.config};
  MergedAtomics merged;
  PendingAtomics pending;
  OpenPages open{ExposedMemory::nobody()};
  PageAccess access{table, memory, merged, open};
  UpdateStreams streams{NodeId(1)};
  DeferredUpdates deferred{context, streams};
  CarriedDiffs carried;
  WriteVectors vectors{context, table};
  EpochWrites writes;
  EagerReleases releases{ReleasePolicy::kLazy};
  CopyHolders holders{context, table};
  Recalls recalls{context, table, holders, releases};
  Exchanges exchanges{context};
  Pusher pusher{context, table, access, holders, vectors, exchanges};
  HomeFinder homes{context, table};
  LockNeeds lock_needs{context, access, carried};
  FlagNeeds flag_needs{context, access, carried};
  Exposure exposure{context, table, access, holders};
  Fetcher fetcher{context, table, access,  streams,    deferred,   pusher,
                  holders, homes, vectors, lock_needs, flag_needs, exposure};
  Invalidation invalidation{table, access, releases, fetcher};
  ShownWords shown{context.exposed};
  HomeUpdates updates{context, table,   access, streams,      deferred, merged,
                      pending, vectors, writes, invalidation, holders,  shown};
  Copies copies{context, table, access, merged, vectors, writes, fetcher, invalidation, updates};
  Coherence coherence{context, table,  access,   streams, carried, merged,
                      pending, writes, releases, recalls, updates, copies};
};

TEST_F(CoherenceTest, SendsUpdatesThatNobodyWaitsForOnceTheyAreMany) {
  static_assert(kPages * kWordsPerPage == 4096);
  for (std::uint64_t word = 0; word < 4095; ++word) add_to_word(word);
  EXPECT_TRUE(effects.sent.empty());
  add_to_word(4095);
  ASSERT_EQ(effects.sent.size(), 1U);
  EXPECT_EQ(effects.sent[0].to, NodeId(0));
  EXPECT_TRUE(merged.empty());
}

TEST_F(CoherenceTest, AsksForWhatWasWrittenAtRestIfNoThreadRunsOn) {
  access.map_tracked(PageRange{PageIndex(0), 1}, Twin::kInitial);
  (void)coherence.close_epoch(PhaseKey(1), false, false);
  EXPECT_EQ(memory.at_rest, 1);
  EXPECT_EQ(memory.while_running, 0);
}

TEST_F(CoherenceTest, AsksForWhatWasWrittenSoFarIfThreadsRunOn) {
  access.map_tracked(PageRange{PageIndex(0), 1}, Twin::kInitial);
  (void)coherence.close_epoch(PhaseKey(1), true, false);
  EXPECT_EQ(memory.at_rest, 0);
  EXPECT_EQ(memory.while_running, 1);
}

// The home has been sent zeros. What a thread has written since goes with the next diff.
TEST_F(CoherenceTest, ADiffOfAMappedPageSendsWhatItsBaseIsThen) {
  access.map_tracked(PageRange{PageIndex(0), 1}, Twin::kInitial);
  ask();
  write(memory.at(PageIndex(0)));
  (void)updates.make_diff(PageIndex(0));
  EXPECT_TRUE(pending.take(kWait).held);
  ask();
  memory.at(PageIndex(0)).assign(kPageBytes, std::byte());
  write(memory.sent);
  (void)updates.make_diff(PageIndex(0));
  EXPECT_FALSE(pending.take(kWait).held);
}

// Nobody writes it any more, and its twin may be as it was.
TEST_F(CoherenceTest, ADiffOfAPageThatIsNotMappedSendsWhatIsInIt) {
  ask();
  write(memory.at(PageIndex(0)));
  (void)updates.make_diff(PageIndex(0));
  EXPECT_FALSE(pending.take(kWait).held);
}

}  // namespace
}  // namespace weft
