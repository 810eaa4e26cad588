// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames in every order that a network may invent.
#include "transport/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/numbers/random.hpp"

namespace weft {
namespace {

// A frame as it lies in the network.
struct Travelling {
  FrameHeader header;
  Bytes payload;
};

Travelling travelling(const Frame& frame) {
  Travelling result{frame.header, {}};
  for (const ByteView piece : frame.pieces) {
    result.payload.insert(result.payload.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(result.payload.size(), frame.bytes);
  return result;
}

MessageSegments one(std::size_t bytes, std::uint8_t value) {
  return MessageSegments(1, Bytes(bytes, std::byte{value}));
}

class FlowTest : public testing::Test {
 protected:
  static constexpr FlowOptions kOptions = {.window_bytes = 1000, .frame_bytes = 300};
  TransportCounters counters_, peer_counters_;
  Flow flow_{NodeId(0), NodeId(1), kOptions, counters_};
  Flow peer_{NodeId(1), NodeId(0), kOptions, peer_counters_};
  std::vector<std::size_t> received_;  // sizes of messages
  const Receiver receive_ = [this](NodeId, ByteView message) {
    received_.push_back(message.size());
  };
};

TEST_F(FlowTest, CutsMessagesAndJoinsThem) {
  flow_.enqueue(Channel::kControl, one(1000, 1));
  std::size_t frames = 0;
  while (const auto frame = flow_.next_frame()) {
    EXPECT_LE(frame->bytes, 300U);
    const Travelling arriving = travelling(*frame);
    peer_.on_frame(arriving.header, arriving.payload, receive_);
    ++frames;
  }
  EXPECT_EQ(frames, 4U);
  EXPECT_EQ(received_, std::vector<std::size_t>{1000});
}

TEST_F(FlowTest, AssemblesTheNextMessageInTheSameRoom) {
  std::vector<const std::byte*> rooms;
  std::vector<Bytes> messages;
  for (const std::size_t bytes : {1000U, 301U, 900U}) {
    flow_.enqueue(Channel::kControl, one(bytes, static_cast<std::uint8_t>(bytes % 251)));
    while (const auto frame = flow_.next_frame()) {
      const Travelling arriving = travelling(*frame);
      peer_.on_frame(arriving.header, arriving.payload, [&](NodeId, ByteView message) {
        rooms.push_back(message.data());
        messages.emplace_back(message.begin(), message.end());
      });
    }
    EXPECT_EQ(messages.back(), Bytes(bytes, static_cast<std::byte>(bytes % 251)));
  }
  EXPECT_EQ(rooms, std::vector(3, rooms.front()));
}

TEST_F(FlowTest, CutsAcrossSegments) {
  MessageSegments segments;
  Bytes expected;
  for (std::uint8_t each = 0; each < 40; ++each) {
    segments.push_back(Bytes(each * 7U, std::byte{each}));
    const ByteView bytes = segments.back().bytes();
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  flow_.enqueue(Channel::kControl, std::move(segments));
  Bytes whole;
  while (const auto frame = flow_.next_frame()) {
    const Travelling arriving = travelling(*frame);
    peer_.on_frame(arriving.header, arriving.payload,
                   [&](NodeId, ByteView message) { whole.assign(message.begin(), message.end()); });
  }
  EXPECT_EQ(whole, expected);
}

// No byte of theirs is copied before the network reads it: what the frame names is the lender's.
TEST_F(FlowTest, FramesNameLentBytesWhereTheyAre) {
  Bytes lent(250, std::byte{1});
  MessageSegments segments = one(20, 5);
  segments.push_back(MessageSegment(ByteView(lent)));
  flow_.enqueue(Channel::kData, std::move(segments));
  const auto frame = flow_.next_frame();
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->bytes, 270U);
  ASSERT_EQ(frame->pieces.size(), 2U);
  EXPECT_EQ(frame->pieces[1].data(), lent.data());
  EXPECT_EQ(frame->pieces[1].size(), lent.size());
}

// A frame of more than half a window could wait for an acknowledgement that is not due yet.
TEST_F(FlowTest, FramesAreHalfAWindowAtMost) {
  const FlowOptions options = {.window_bytes = 1000, .frame_bytes = 5000};
  Flow sender(NodeId(0), NodeId(1), options, counters_);
  sender.enqueue(Channel::kData, one(5000, 1));
  EXPECT_EQ(sender.next_frame()->bytes, 500U);
}

TEST_F(FlowTest, StopsAtTheWindowAndGoesOnWithTheAcknowledgement) {
  for (int each = 0; each < 10; ++each) flow_.enqueue(Channel::kData, one(300, 1));
  std::vector<Travelling> first;
  while (const auto frame = flow_.next_frame()) first.push_back(travelling(*frame));
  EXPECT_EQ(first.size(), 3U);
  EXPECT_FALSE(flow_.has_frame());
  EXPECT_FALSE(flow_.drained());

  peer_.on_frame(first[0].header, first[0].payload, receive_);
  EXPECT_FALSE(peer_.next_frame().has_value()) << "acknowledges less than half a window";
  peer_.on_frame(first[1].header, first[1].payload, receive_);
  const auto acknowledgement = peer_.next_frame();
  ASSERT_TRUE(acknowledgement.has_value());
  EXPECT_EQ(acknowledgement->header.acknowledged_bytes, 600U);
  EXPECT_FALSE(peer_.next_frame().has_value()) << "acknowledges twice";
  flow_.on_frame(acknowledgement->header, {}, receive_);
  EXPECT_TRUE(flow_.next_frame().has_value());
  EXPECT_TRUE(flow_.next_frame().has_value());
  EXPECT_FALSE(flow_.next_frame().has_value());
}

TEST_F(FlowTest, ControlPassesDataWithinAMessage) {
  flow_.enqueue(Channel::kData, one(600, 1));
  std::vector<Travelling> frames;
  frames.push_back(travelling(*flow_.next_frame()));
  flow_.enqueue(Channel::kControl, one(5, 2));
  while (const auto frame = flow_.next_frame()) frames.push_back(travelling(*frame));
  for (const Travelling& each : frames) peer_.on_frame(each.header, each.payload, receive_);
  EXPECT_EQ(received_, (std::vector<std::size_t>{5, 600}));
}

TEST_F(FlowTest, RestoresAnyOrder) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    TransportCounters counters, peer_counters;
    Flow sender(NodeId(0), NodeId(1), kOptions, counters);
    Flow receiver(NodeId(1), NodeId(0), kOptions, peer_counters);
    Random random(seed);
    std::vector<std::size_t> sent[2], received[2];
    for (int each = 0; each < 20; ++each) {
      const auto channel = random.below(2);
      sent[channel].push_back(random.below(900));
      sender.enqueue(static_cast<Channel>(channel),
                     one(sent[channel].back(), static_cast<std::uint8_t>(channel)));
    }
    std::vector<Travelling> network;
    while (true) {
      while (const auto frame = sender.next_frame()) network.push_back(travelling(*frame));
      if (network.empty()) break;
      const auto chosen =
          network.begin() + static_cast<std::ptrdiff_t>(random.below(network.size()));
      const Travelling arriving = std::move(*chosen);
      network.erase(chosen);
      const Channel channel = arriving.header.channel;
      receiver.on_frame(arriving.header, arriving.payload, [&](NodeId, ByteView message) {
        received[static_cast<std::size_t>(channel)].push_back(message.size());
        EXPECT_TRUE(std::all_of(message.begin(), message.end(), [&](std::byte each) {
          return each == static_cast<std::byte>(channel);
        }));
      });
      while (const auto frame = receiver.next_frame()) sender.on_frame(frame->header, {}, receive_);
    }
    ASSERT_EQ(received[0], sent[0]) << "seed " << seed;
    ASSERT_EQ(received[1], sent[1]) << "seed " << seed;
  }
}

TEST_F(FlowTest, LoudFramesOvertakeQuietOnes) {
  flow_.enqueue(Channel::kControl, one(5, 0), Loudness::kQuiet);
  flow_.enqueue(Channel::kControl, one(6, 0));
  const std::optional<Frame> quiet = flow_.next_frame();
  const std::optional<Frame> loud = flow_.next_frame();
  EXPECT_EQ(quiet->loudness, Loudness::kQuiet);
  EXPECT_EQ(loud->loudness, Loudness::kLoud);
  peer_.on_frame(loud->header, travelling(*loud).payload, receive_);
  EXPECT_TRUE(peer_.has_early());
  EXPECT_TRUE(received_.empty());
  peer_.on_frame(quiet->header, travelling(*quiet).payload, receive_);
  EXPECT_FALSE(peer_.has_early());
  EXPECT_EQ(received_, (std::vector<std::size_t>{5, 6}));
}

// Else a sender could wait for room until somebody looks at a quiet frame.
TEST_F(FlowTest, AcknowledgementsOnQuietFramesAreGivenAgain) {
  flow_.enqueue(Channel::kData, one(600, 1));
  while (const auto frame = flow_.next_frame()) {
    peer_.on_frame(frame->header, travelling(*frame).payload, receive_);
  }
  peer_.enqueue(Channel::kControl, one(5, 0), Loudness::kQuiet);
  const std::optional<Frame> quiet = peer_.next_frame();
  EXPECT_EQ(quiet->loudness, Loudness::kQuiet);
  const std::optional<Frame> again = peer_.next_frame();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->loudness, Loudness::kLoud);
  EXPECT_EQ(again->header.acknowledged_bytes, 600U);
  // The one that was looked at late takes nothing back.
  flow_.on_frame(again->header, {}, receive_);
  flow_.enqueue(Channel::kData, one(900, 1));
  EXPECT_TRUE(flow_.has_frame());
  flow_.on_frame(quiet->header, travelling(*quiet).payload, receive_);
  while (const auto frame = flow_.next_frame()) {
    peer_.on_frame(frame->header, travelling(*frame).payload, receive_);
  }
  EXPECT_EQ(received_, (std::vector<std::size_t>{600, 5, 900}));
}

TEST_F(FlowTest, QuietFramesThatFillHalfTheWindowAreLoud) {
  for (const std::size_t bytes : {200U, 200U, 100U, 50U}) {
    flow_.enqueue(Channel::kData, one(bytes, 1), Loudness::kQuiet);
  }
  std::vector<Loudness> sent;
  std::vector<Travelling> frames;
  while (const auto frame = flow_.next_frame()) {
    sent.push_back(frame->loudness);
    frames.push_back(travelling(*frame));
  }
  constexpr Loudness kQuiet = Loudness::kQuiet, kLoud = Loudness::kLoud;
  EXPECT_EQ(sent, (std::vector{kQuiet, kQuiet, kLoud, kLoud}));
  for (const Travelling& frame : frames) peer_.on_frame(frame.header, frame.payload, receive_);
  while (const auto answer = peer_.next_frame()) {
    flow_.on_frame(answer->header, travelling(*answer).payload, receive_);
  }
  flow_.enqueue(Channel::kData, one(200, 1), Loudness::kQuiet);
  EXPECT_EQ(flow_.next_frame()->loudness, kQuiet);
}

TEST_F(FlowTest, DiesOfAFrameThatComesTwice) {
  flow_.enqueue(Channel::kControl, one(5, 2));
  const Travelling frame = travelling(*flow_.next_frame());
  peer_.on_frame(frame.header, frame.payload, receive_);
  EXPECT_DEATH(peer_.on_frame(frame.header, frame.payload, receive_),
               "a frame that cannot be came from node");
}

}  // namespace
}  // namespace weft
