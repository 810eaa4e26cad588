// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/processors/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <set>

namespace weft {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A machine of hwloc's synthetic kind, and of it what a cgroup or a binding leaves.
std::vector<Processor> machine(const char* description, const std::set<unsigned>& left = {}) {
  hwloc_topology_t topology = nullptr;
  EXPECT_EQ(hwloc_topology_init(&topology), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, description), 0) << description;
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  if (!left.empty()) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (const unsigned each : left) hwloc_bitmap_set(set, each);
    EXPECT_EQ(hwloc_topology_restrict(topology, set, 0), 0);
    hwloc_bitmap_free(set);
  }
  std::vector<Processor> all = processors_of(topology);
  hwloc_topology_destroy(topology);
  return all;
}

// 2 sockets of 2 NUMA domains of 8 cores of 2 processors: socket 0 has 0 to 31.
const char* const kLarge = "package:2 numa:2 core:8 pu:2";

std::vector<std::string> shares(const std::vector<Processor>& processors, unsigned nodes,
                                Binding binding = Binding::kAuto) {
  std::vector<std::string> texts;
  for (const ProcessorSet& each : share_processors(processors, 0, nodes, binding).sets) {
    texts.push_back(text_of(each));
  }
  return texts;
}

TEST(Processors, KnowTheirPlaces) {
  const std::vector<Processor> all = machine(kLarge);
  ASSERT_THAT(all, SizeIs(64));
  EXPECT_EQ(all[0], (Processor{0, 0, 0, 0}));
  EXPECT_EQ(all[17], (Processor{17, 8, 1, 0}));
  EXPECT_EQ(all[63], (Processor{63, 31, 3, 1}));
  EXPECT_EQ(count_numa_domains(all), 4U);
}

TEST(Processors, AreThoseThatTheProcessMayUse) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const std::vector<Processor> all = processors_of_this_process();
  EXPECT_THAT(all, SizeIs(static_cast<std::size_t>(CPU_COUNT(&allowed))));
  for (const Processor& each : all) EXPECT_TRUE(CPU_ISSET(each.number, &allowed)) << each.number;
}

TEST(Sharing, CutsAlongSocketsAndNumaDomains) {
  const std::vector<Processor> all = machine(kLarge);
  EXPECT_THAT(shares(all, 2), ElementsAre("0-31", "32-63"));
  EXPECT_THAT(shares(all, 4), ElementsAre("0-15", "16-31", "32-47", "48-63"));
  EXPECT_THAT(shares(all, 8),
              ElementsAre("0-7", "8-15", "16-23", "24-31", "32-39", "40-47", "48-55", "56-63"));
  // Two on each side of the socket's middle, rather than one across it.
  EXPECT_THAT(shares(all, 6), ElementsAre("0-7", "8-15", "16-31", "32-39", "40-47", "48-63"));
}

TEST(Sharing, CrossesThemRatherThanLeaveAQuarterIdle) {
  // 5 of 16 cores a node in place of 4, 4 and 8.
  EXPECT_THAT(shares(machine("package:2 core:7 pu:1"), 3), ElementsAre("0-3", "4-8", "9-13"));
  // A cgroup that leaves one core of the first socket.
  std::set<unsigned> left = {6, 7};
  for (unsigned each = 32; each < 46; ++each) left.insert(each);
  EXPECT_THAT(shares(machine(kLarge, left), 2), ElementsAre("6-7,32-37", "38-45"));
}

TEST(Sharing, GivesWholeCoresToAsManyNodesAsThereAre) {
  // The first core has lost one of its processors to a cgroup.
  const std::vector<Processor> all = machine("package:1 core:3 pu:2", {1, 2, 3, 4, 5});
  EXPECT_THAT(shares(all, 3), ElementsAre("1", "2-3", "4-5"));
  EXPECT_EQ(share_processors(all, 0, 3, Binding::kAuto).fewest, 1U);
  EXPECT_THAT(shares(all, 5), ElementsAre("1", "2", "3", "4", "5"));
}

TEST(Sharing, DoesWithoutSocketsAndNumaDomains) {
  EXPECT_THAT(shares(machine("core:4 pu:1"), 3), ElementsAre("0", "1", "2-3"));
  EXPECT_THAT(shares(machine("pu:4"), 2), ElementsAre("0-1", "2-3"));
}

TEST(Sharing, OfOneCoreIsNone) {
  Sharing sharing = share_processors(machine("core:1 pu:1"), 0, 2, Binding::kCore);
  EXPECT_THAT(sharing.sets, IsEmpty());
  EXPECT_EQ(sharing.fewest, 1U);
  EXPECT_THAT(describe(sharing, "a", 0, Binding::kCore, false),
              ElementsAre("host a: no node is bound: 2 nodes have 1 processors"));
  EXPECT_THAT(describe(sharing, "a", 0, Binding::kAuto, false), IsEmpty());
}

TEST(Sharing, BindsNothingWhereThreadsOutnumberProcessors) {
  Sharing sharing = share_processors(machine("core:4 pu:1"), 0, 2, Binding::kAuto);
  unbind_if_crowded(sharing, 2, 2);
  EXPECT_THAT(describe(sharing, "a", 4, Binding::kAuto, true),
              ElementsAre("node 4 is bound to processors 0-1 of host a",
                          "node 5 is bound to processors 2-3 of host a"));
  unbind_if_crowded(sharing, 2, 3);
  EXPECT_THAT(describe(sharing, "a", 4, Binding::kAuto, true),
              ElementsAre("host a: no node is bound: 6 threads have 4 processors"));
}

TEST(Sharing, WidensToNumaDomainsAndSockets) {
  const std::vector<Processor> all = machine(kLarge);
  EXPECT_THAT(shares(all, 4, Binding::kSocket), ElementsAre("0-31", "0-31", "32-63", "32-63"));
  EXPECT_THAT(shares(all, 8, Binding::kNuma)[3], "16-31");
  EXPECT_EQ(share_processors(all, 0, 4, Binding::kSocket).fewest, 16U);
  EXPECT_THAT(shares(all, 2, Binding::kNone), IsEmpty());
}

TEST(Sharing, DoesNotChooseAmongProcessorsOfOtherJobs) {
  const Sharing sharing = share_processors(machine("core:8 pu:1"), 4, 2, Binding::kAuto);
  EXPECT_THAT(sharing.sets, IsEmpty());
  EXPECT_EQ(sharing.fewest, 2U);
}

// For every machine and number of nodes: each has something, and nothing is given twice or lost.
TEST(Sharing, IsAPartition) {
  for (const char* const description :
       {kLarge, "package:3 core:5 pu:1", "numa:4 core:3 pu:2", "core:1 pu:4", "pu:7"}) {
    const std::vector<Processor> all = machine(description);
    for (unsigned nodes = 2; nodes <= all.size(); ++nodes) {
      std::multiset<unsigned> given;
      const Sharing sharing = share_processors(all, 0, nodes, Binding::kAuto);
      ASSERT_THAT(sharing.sets, SizeIs(nodes)) << description;
      ASSERT_THAT(sharing.sets, Each(SizeIs(testing::Ge(sharing.fewest)))) << description;
      for (const ProcessorSet& each : sharing.sets) given.insert(each.begin(), each.end());
      ASSERT_EQ(given.size(), all.size()) << description << " " << nodes;
      ASSERT_EQ(std::set<unsigned>(given.begin(), given.end()).size(), all.size()) << description;
    }
  }
}

}  // namespace
}  // namespace weft
