// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/services.hpp"

#include <gtest/gtest.h>

#include "runtime/driver/service_messages.hpp"

namespace weft {
namespace {

constexpr NodeId kAsker(3);

Bytes request_of(Service service, std::uint64_t wait, const Bytes& body) {
  return to_bytes(ServiceRequest{service, wait, body});
}

TEST(Services, AnswersWhoWaits) {
  Services services;
  EXPECT_TRUE(services
                  .serve(Service::kLoad,
                         [](NodeId from, ByteView request) {
                           EXPECT_EQ(from, kAsker);
                           return Bytes(request.rbegin(), request.rend());
                         })
                  .empty());
  const auto answer =
      services.handle(kAsker, request_of(Service::kLoad, 7, {std::byte{1}, std::byte{2}}));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->front(), static_cast<std::byte>(ServiceKind::kReply));
  const auto reply = value_of<ServiceReply>(ByteView(*answer).subspan(1));
  EXPECT_EQ(reply.wait, 7U);
  EXPECT_EQ(Bytes(reply.body.begin(), reply.body.end()), (Bytes{std::byte{2}, std::byte{1}}));
}

TEST(Services, DropsTheReplyToANotice) {
  Services services;
  unsigned calls = 0;
  (void)services.serve(Service::kLoad, [&](NodeId, ByteView) { return ++calls, Bytes(8); });
  EXPECT_FALSE(services.handle(kAsker, request_of(Service::kLoad, 0, {})).has_value());
  EXPECT_EQ(calls, 1U);
}

TEST(Services, KeepsRequestsThatComeBeforeTheirHandler) {
  Services services;
  const Bytes request = request_of(Service::kMaps, 9, {});
  EXPECT_FALSE(services.handle(kAsker, request).has_value());
  const auto early = services.serve(Service::kMaps, [](NodeId, ByteView) { return Bytes(); });
  ASSERT_EQ(early.size(), 1U);
  EXPECT_EQ(early[0], std::pair(kAsker, request));
  EXPECT_TRUE(services.handle(early[0].first, early[0].second).has_value());
}

TEST(Services, KnowsTheThreadThatRunsAHandler) {
  Services services;
  (void)services.serve(Service::kLoad, [&](NodeId, ByteView) {
    EXPECT_TRUE(services.is_handler_thread());
    std::thread([&] { EXPECT_FALSE(services.is_handler_thread()); }).join();
    return Bytes();
  });
  (void)services.handle(kAsker, request_of(Service::kLoad, 0, {}));
  EXPECT_FALSE(services.is_handler_thread());
}

TEST(Services, KeepsPostsInOrder) {
  Services services;
  const Bytes first = {std::byte{1}}, second = {std::byte{2}};
  services.add_post(kAsker, first);
  services.add_post(kAsker, second);
  EXPECT_EQ(services.take_post().second, first);
  EXPECT_EQ(services.take_post().second, second);
  EXPECT_FALSE(services.has_posts());
}

}  // namespace
}  // namespace weft
