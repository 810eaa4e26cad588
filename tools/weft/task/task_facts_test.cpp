// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/task/task_facts.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TaskFacts task_on(const std::string& host, std::vector<unsigned> processors) {
  TaskFacts task;
  task.host.version = "1.0";
  task.host.host = task.place = host;
  task.host.addresses = {
      {.interface = "eth" + host, .address = "10.1.0." + host, .prefix_bits = 16}};
  task.processors = std::move(processors);
  return task;
}

TEST(TaskFactsTest, SharesTheProcessorsOfTasksThatAreNotBound) {
  const std::vector<TaskFacts> all(2, task_on("1", {0, 1, 2, 3, 4}));
  const auto decision = decide_for_task(all, 1);
  ASSERT_TRUE(decision.ok()) << decision.error();
  EXPECT_EQ(decision.value().threads, 2U);
  EXPECT_EQ(decision.value().nodes_here, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(decision.value().processors_here, 5U);
  EXPECT_EQ(decision.value().network.interface, "");
}

TEST(TaskFactsTest, KeepsToTheLaunchersBinding) {
  const auto decision =
      decide_for_task({task_on("1", {0, 1, 2}), task_on("1", {3, 4, 5}), task_on("2", {0, 1})}, 2);
  ASSERT_TRUE(decision.ok()) << decision.error();
  EXPECT_EQ(decision.value().threads, 2U);  // the same on all nodes
  EXPECT_EQ(decision.value().nodes_here, std::vector<unsigned>{2});
  EXPECT_EQ(decision.value().processors_here, 2U);
  EXPECT_EQ(decision.value().network.interface, "eth2");
  EXPECT_EQ(decision.value().network.address, "10.1.0.2");
}

TEST(TaskFactsTest, TakesWhatTheUserSaysFromTheFirst) {
  std::vector<TaskFacts> all = {task_on("1", {0}), task_on("1", {1}), task_on("1", {2})};
  all[0].omp_num_threads = "8,2";
  all[1].omp_num_threads = "100";
  EXPECT_EQ(decide_for_task(all, 2).value().threads, 3U);
  all[0].threads = "5";
  EXPECT_EQ(decide_for_task(all, 2).value().threads, 5U);
  for (const char* wrong : {"0", "many", "5000", "-1"}) {
    all[0].threads = wrong;
    EXPECT_NE(decide_for_task(all, 0).error().find("is not a number of threads"),
              std::string::npos);
  }
}

TEST(TaskFactsTest, RefusesWhatCannotBeOneJob) {
  std::vector<TaskFacts> all = {task_on("1", {0}), task_on("2", {0})};
  all[0].network = "ib0";
  EXPECT_EQ(decide_for_task(all, 0).error(),
            "--net ib0: host 1 has eth1 10.1.0.1/16 (--net is WEFT_NET here)");
  all[1].host.version = "2.0";
  EXPECT_EQ(decide_for_task(all, 0).error(),
            "host 2 has Weft 2.0, and host 1 has 1.0; all need the same");
  all[0].refusal = "the loom is broken";
  EXPECT_EQ(decide_for_task(all, 1).error(), "the loom is broken");
}

}  // namespace
}  // namespace weft
