// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/examination/probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using ::testing::HasSubstr;

const std::string kToken = "0123456789abcdef";

TEST(Probe, MeasuresWhatItReaches) {
  ProbeServer server;
  const auto port = server.listen("127.0.0.1", kToken);
  ASSERT_TRUE(port) << port.error();
  for (int turn = 0; turn < 2; ++turn) {
    const ProbeResult result = probe({"127.0.0.1", port.value(), kToken});
    EXPECT_EQ(result.error, "");
    EXPECT_GT(result.round_trip_ns, 0U);
    EXPECT_GT(result.bytes_per_second, 0U);
  }
}

TEST(Probe, GoesByEitherVersionOfAddresses) {
  ProbeServer server;
  const auto port = server.listen("::1", kToken);
  if (!port) GTEST_SKIP() << port.error();
  EXPECT_EQ(probe({"::1", port.value(), kToken}).error, "");
}

TEST(Probe, IsNotServedWithoutTheToken) {
  ProbeServer server;
  const auto port = server.listen("127.0.0.1", kToken);
  ASSERT_TRUE(port) << port.error();
  EXPECT_THAT(probe({"127.0.0.1", port.value(), "another token..."}).error, HasSubstr("broke"));
  EXPECT_EQ(probe({"127.0.0.1", port.value(), kToken}).error, "");
}

TEST(Probe, SaysWhyThereIsNoConnection) {
  std::uint16_t port = 0;
  {
    ProbeServer server;
    port = server.listen("127.0.0.1", kToken).value();
  }
  EXPECT_EQ(probe({"127.0.0.1", port, kToken}).error, "Connection refused");
  EXPECT_EQ(probe({"nowhere", port, kToken}).error, "nowhere is no address");
  EXPECT_THAT(ProbeServer().listen("192.0.2.1", kToken).error(), HasSubstr("cannot listen"));
}

}  // namespace
}  // namespace weft
