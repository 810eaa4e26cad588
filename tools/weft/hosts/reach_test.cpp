// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/hosts/reach.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kCommand = {"/opt/weft it's/bin/weft", "agent"};

TEST(CommandToReach, SshOutlivesTheLimitForSilence) {
  // It ends after three intervals in which nothing came.
  const std::vector<std::string> odd = command_to_reach("a", "", 7, kCommand);
  EXPECT_EQ(odd.front(), "ssh");
  EXPECT_THAT(odd, Contains("-oConnectTimeout=7"));
  EXPECT_THAT(odd, Contains("-oServerAliveInterval=4"));
  EXPECT_THAT(odd, Contains("-oServerAliveCountMax=2"));
  EXPECT_THAT(command_to_reach("a", "", 10, kCommand), Contains("-oServerAliveInterval=5"));
}

TEST(CommandToReach, WithoutALimitSshWaitsForEver) {
  const std::vector<std::string> words = command_to_reach("a", "/usr/bin/ssh -p 2222", 0, kCommand);
  EXPECT_THAT(words, Contains("-oServerAliveInterval=0"));
  EXPECT_THAT(words, Contains("-oConnectTimeout=60"));  // but not for the first answer
}

TEST(CommandToReach, AnotherCommandGetsHostAndCommandAlone) {
  EXPECT_THAT(command_to_reach("me@a", "rsh -K", 10, kCommand),
              ElementsAre("rsh", "-K", "me@a", "exec '/opt/weft it'\\''s/bin/weft' agent"));
  EXPECT_THAT(command_to_reach("a", "rsh", 10, kCommand), Not(Contains(StartsWith("-o"))));
}

}  // namespace
}  // namespace weft
