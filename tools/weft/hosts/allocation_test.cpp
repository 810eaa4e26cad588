// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/hosts/allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<std::optional<Allocation>> allocation(const std::map<std::string, std::string>& variables) {
  return allocation_of(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      [](const std::string& list) -> Result<std::vector<std::string>> {
        if (list == "a[1-3]") return std::vector<std::string>{"a1", "a2", "a3"};
        return Failure{"no such list"};
      });
}

TEST(AllocationTest, CountsMayBeRepeated) {
  EXPECT_THAT(parse_counts("2(x3),1", 4).value(), ElementsAre(2, 2, 2, 1));
  EXPECT_THAT(parse_counts("16", 1).value(), ElementsAre(16));
  for (const char* wrong : {"", "2", "2(x3)", "2(x5)", "2(x)", "2(3),1,1", "0(x4)", "2(x4",
                            "x,1,1,1", "2(x4294967295)"}) {
    EXPECT_THAT(parse_counts(wrong, 4).error(), HasSubstr("for each of 4 hosts")) << wrong;
  }
}

TEST(AllocationTest, NothingOutsideSlurm) {
  EXPECT_FALSE(allocation({}).value().has_value());
  EXPECT_FALSE(allocation({{"SLURM_JOB_ID", "7"}}).value().has_value());
}

TEST(AllocationTest, HostsWithTheirTasksAndProcessors) {
  const auto found = allocation({{"SLURM_JOB_ID", "7"},
                                 {"SLURM_JOB_NODELIST", "a[1-3]"},
                                 {"SLURM_NTASKS", "5"},
                                 {"SLURM_TASKS_PER_NODE", "2(x2),1"},
                                 {"SLURM_JOB_CPUS_PER_NODE", "8(x2),4"}});
  EXPECT_THAT(found.value()->hosts, ElementsAre(Host{"a1", 2}, Host{"a2", 2}, Host{"a3", 1}));
  EXPECT_THAT(found.value()->processors, ElementsAre(8, 8, 4));
}

TEST(AllocationTest, WithoutTasksNobodySaysHowManyNodes) {
  const auto found = allocation(
      {{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "a[1-3]"}, {"SLURM_TASKS_PER_NODE", "8(x3)"}});
  EXPECT_THAT(found.value()->hosts, ElementsAre(Host{"a1", {}}, Host{"a2", {}}, Host{"a3", {}}));
}

TEST(AllocationTest, VariablesThatMakeNoSenseAreNamed) {
  EXPECT_THAT(allocation({{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "b"}}).error(),
              HasSubstr("no such list"));
  EXPECT_THAT(allocation({{"SLURM_JOB_ID", "7"},
                          {"SLURM_JOB_NODELIST", "a[1-3]"},
                          {"SLURM_JOB_CPUS_PER_NODE", "8"}})
                  .error(),
              HasSubstr("SLURM_JOB_CPUS_PER_NODE: '8'"));
}

}  // namespace
}  // namespace weft
