// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/hosts/host_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HostListTest, NamesAndCounts) {
  EXPECT_THAT(
      parse_hosts("a,b:2,user@c.example, 10.0.0.1:3").value(),
      ElementsAre(Host{"a", {}}, Host{"b", 2}, Host{"user@c.example", {}}, Host{"10.0.0.1", 3}));
}

TEST(HostListTest, AddressesOfVersionSix) {
  EXPECT_THAT(
      parse_hosts("fe80::1,[fe80::2]:4,[::1],u@[fd00::3]:2").value(),
      ElementsAre(Host{"fe80::1", {}}, Host{"fe80::2", 4}, Host{"::1", {}}, Host{"u@fd00::3", 2}));
}

TEST(HostListTest, AHostNamedTwiceHasRoomForBoth) {
  EXPECT_THAT(parse_hosts("a,b,a").value(), ElementsAre(Host{"a", 2}, Host{"b", {}}));
  EXPECT_THAT(parse_hosts("a:2,a:3").value(), ElementsAre(Host{"a", 5}));
}

TEST(HostListTest, WhatIsNoHostIsSaid) {
  EXPECT_THAT(parse_hosts("a,,b").error(), HasSubstr("'' is no name"));
  EXPECT_THAT(parse_hosts("").error(), HasSubstr("no name"));
  EXPECT_THAT(parse_hosts("a:").error(), HasSubstr("no number after the colon"));
  EXPECT_THAT(parse_hosts("a:0").error(), HasSubstr("'0' is no number of nodes from 1 to"));
  EXPECT_THAT(parse_hosts("a:two").error(), HasSubstr("'two'"));
  EXPECT_THAT(parse_hosts("a:99999999999").error(), HasSubstr("'99999999999'"));
  EXPECT_THAT(parse_hosts("-oProxyCommand=x").error(), HasSubstr("no name"));
  EXPECT_THAT(parse_hosts("a;reboot").error(), HasSubstr("no name"));
  EXPECT_THAT(parse_hosts("[fe80::1]2").error(), HasSubstr("no host"));
}

TEST(HostfileTest, OfOpenMpi) {
  const char* const contents =
      "# the machines\n"
      "a slots=2\n"
      "  b slots=4 max_slots=8   # the large one\n"
      "\n"
      "c\r\n"
      "a max-slots=3";
  EXPECT_THAT(parse_hostfile(contents, "hosts").value(),
              ElementsAre(Host{"a", 3}, Host{"b", 4}, Host{"c", {}}));
}

TEST(HostfileTest, OfMpich) {
  EXPECT_THAT(parse_hostfile("a:2\nb\nc:3 user=me\n", "hosts").value(),
              ElementsAre(Host{"a", 2}, Host{"b", {}}, Host{"me@c", 3}));
}

TEST(HostfileTest, AMistakeIsSaidWithItsLine) {
  EXPECT_THAT(parse_hostfile("a\n# b\nc slots=x\n", "file").error(),
              HasSubstr("file:3: 'x' is no number of nodes"));
  EXPECT_THAT(parse_hostfile("a slots\n", "file").error(), HasSubstr("file:1: 'slots' is not of"));
  EXPECT_THAT(parse_hostfile("a color=red\n", "file").error(), HasSubstr("file:1: 'color'"));
  EXPECT_THAT(parse_hostfile("# nobody\n\n", "file").error(), HasSubstr("file: no host is named"));
  EXPECT_THAT(read_hostfile("/nowhere/hosts").error(),
              HasSubstr("/nowhere/hosts: No such file or directory"));
}

TEST(DivideNodesTest, WithoutANumberEachHostHasItsRoom) {
  EXPECT_THAT(divide_nodes(parse_hosts("a,b:2,c").value(), {}).value(), ElementsAre(1, 2, 1));
}

TEST(DivideNodesTest, HostsWithoutRoomOfTheirOwnShareEvenly) {
  EXPECT_THAT(divide_nodes(parse_hosts("a,b,c").value(), 7).value(), ElementsAre(3, 2, 2));
  EXPECT_THAT(divide_nodes(parse_hosts("a,b,c").value(), 2).value(), ElementsAre(1, 1, 0));
}

TEST(DivideNodesTest, RoomIsFilledInOrderAndIsALimit) {
  EXPECT_THAT(divide_nodes(parse_hosts("a:4,b:2").value(), 5).value(), ElementsAre(4, 1));
  EXPECT_THAT(divide_nodes(parse_hosts("a:4,b").value(), 6).error(),
              HasSubstr("6 nodes are wanted, and the hosts have room for 5"));
}

}  // namespace
}  // namespace weft
