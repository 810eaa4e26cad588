// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reads bytes of strangers: whatever they send, it ends in kFailed, or waits for more.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/numbers/random.hpp"
#include "transport/stream/secure_link.hpp"
#include "transport/stream/stream_address.hpp"

namespace weft {
namespace {

using State = SecureLink::State;

constexpr int kInputs = 100'000;

JobKey some_key(std::byte first) {
  JobKey key;
  key.bytes.fill(first);
  return key;
}

Bytes random_bytes(Random& random, std::size_t most) {
  Bytes bytes(random.below(most) + 1);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random.next());
  return bytes;
}

bool begins_with(const Bytes& bytes, const Bytes& beginning) {
  return bytes.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), bytes.begin());
}

// Changes, cuts or repeats a piece.
void damage(Bytes& bytes, Random& random) {
  if (bytes.empty()) return;
  const std::size_t place = random.below(bytes.size());
  switch (random.below(4)) {
    case 0:
      bytes.resize(place);
      break;
    case 1:
      bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + static_cast<long>(place));
      break;
    default:
      bytes[place] ^= static_cast<std::byte>(1U << random.below(8));
  }
}

class LinkTest : public testing::TestWithParam<bool> {
 protected:
  static std::unique_ptr<LinkMaker> links(std::uint16_t self, const JobKey& key) {
    return GetParam() ? make_tls_links(NodeId(self), key, 100)
                      : make_plain_links(NodeId(self), key);
  }
  // What the link wants to send, which goes.
  static Bytes taken(SecureLink& link) { return std::exchange(link.outgoing(), {}); }

  // Until nothing is left to say.
  void talk(SecureLink& one, SecureLink& other) {
    while (!one.outgoing().empty() || !other.outgoing().empty()) {
      other.receive(taken(one), decoder_);
      one.receive(taken(other), decoder_);
    }
  }

  JobKey key_ = some_key(std::byte{1});
  std::unique_ptr<LinkMaker> of_3_ = links(3, key_), of_5_ = links(5, key_);
  StreamFrameDecoder decoder_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, LinkTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Tls" : "Plain"; });

TEST_P(LinkTest, TwoOfOneJobFindEachOther) {
  const auto caller = of_3_->call(NodeId(5)), called = of_5_->answer();
  talk(*caller, *called);
  EXPECT_EQ(caller->state(), State::kOpen);
  EXPECT_EQ(called->state(), State::kOpen);
  EXPECT_EQ(called->peer(), NodeId(3));
}

TEST_P(LinkTest, CarriesFramesHoweverTheNetworkCutsThem) {
  const auto caller = of_3_->call(NodeId(5)), called = of_5_->answer();
  talk(*caller, *called);
  Random random(1);
  for (int round = 0; round < 1000; ++round) {  // TLS changes its key meanwhile
    Bytes frame;
    const Bytes payload = random_bytes(random, 5000);
    append_header(frame, {.payload_bytes = static_cast<std::uint32_t>(payload.size()),
                          .kind = StreamFrameKind::kFrame,
                          .frame = {}});
    frame.insert(frame.end(), payload.begin(), payload.end());
    caller->send(frame);
    const Bytes sent = taken(*caller);
    for (std::size_t begin = 0; begin < sent.size();) {
      const std::size_t here = std::min<std::size_t>(sent.size() - begin, random.below(2000) + 1);
      called->receive(ByteView(sent).subspan(begin, here), decoder_);
      begin += here;
    }
    const auto received = decoder_.next();
    ASSERT_TRUE(received.has_value());
    ASSERT_TRUE(std::ranges::equal(received->payload, payload));
  }
}

TEST_P(LinkTest, AnotherKeyOrAnotherNodeIsRefused) {
  const auto others = links(3, some_key(std::byte{2}));
  const auto stranger = others->call(NodeId(5)), called = of_5_->answer();
  talk(*stranger, *called);
  EXPECT_NE(called->state(), State::kOpen);
  EXPECT_NE(stranger->state(), State::kOpen);

  const auto astray = of_3_->call(NodeId(4)), other = of_5_->answer();
  talk(*astray, *other);
  EXPECT_NE(other->state(), State::kOpen);
  EXPECT_NE(astray->state(), State::kOpen);
}

TEST_P(LinkTest, WhatWasRecordedProvesNothing) {
  const auto caller = of_3_->call(NodeId(5)), called = of_5_->answer();
  std::vector<Bytes> recorded;
  while (!caller->outgoing().empty()) {
    recorded.push_back(taken(*caller));
    called->receive(recorded.back(), decoder_);
    caller->receive(taken(*called), decoder_);
  }
  ASSERT_EQ(called->state(), State::kOpen);
  const auto again = of_5_->answer();
  for (const Bytes& each : recorded) again->receive(each, decoder_);
  EXPECT_NE(again->state(), State::kOpen);

  // Nor does it help to send back to a node what it says itself.
  const auto mirrored = of_3_->call(NodeId(5));
  for (int turn = 0; turn < 4; ++turn) mirrored->receive(taken(*mirrored), decoder_);
  EXPECT_NE(mirrored->state(), State::kOpen);
}

// Garbage, and real handshakes with damages, to both ends.
TEST_P(LinkTest, NothingElseOpensIt) {
  const int inputs = GetParam() ? kInputs / 20 : kInputs;
  Random random(7);
  for (int input = 0; input < inputs; ++input) {
    const auto caller = of_3_->call(NodeId(5)), called = of_5_->answer();
    StreamFrameDecoder decoder;
    if (random.chance(30)) {
      called->receive(random_bytes(random, 300), decoder);
      caller->receive(random_bytes(random, 300), decoder);
      ASSERT_NE(called->state(), State::kOpen) << input;
      ASSERT_NE(caller->state(), State::kOpen) << input;
      continue;
    }
    Bytes greeting = taken(*caller);
    const Bytes honest = greeting;
    if (random.chance(50)) damage(greeting, random);
    called->receive(greeting, decoder);
    Bytes answer = taken(*called);
    const Bytes honest_answer = answer;
    if (random.chance(50)) damage(answer, random);
    caller->receive(answer, decoder);
    Bytes proof = taken(*caller);
    damage(proof, random);
    called->receive(proof, decoder);
    if (GetParam()) continue;  // TLS does not mind a few bits, such as the version before a record
    if (caller->state() == State::kOpen) {
      ASSERT_TRUE(begins_with(greeting, honest) && begins_with(answer, honest_answer)) << input;
    }
    if (called->state() == State::kOpen) {
      ASSERT_EQ(caller->state(), State::kOpen) << input;
    }
  }
}

TEST(StreamFrames, OnlyFramesAreTaken) {
  Random random(11);
  for (int input = 0; input < kInputs; ++input) {
    StreamFrameDecoder decoder;
    for (int part = 0; part < 3; ++part) {
      Bytes bytes;
      if (random.chance(70)) {
        const Bytes payload = random_bytes(random, 100);
        append_header(bytes, {.payload_bytes = static_cast<std::uint32_t>(payload.size()),
                              .kind = static_cast<StreamFrameKind>(random.below(4)),
                              .frame = {}});
        bytes.insert(bytes.end(), payload.begin(), payload.end());
      } else {
        bytes = random_bytes(random, 200);
      }
      if (random.chance(30)) damage(bytes, random);
      decoder.append(bytes);
      while (const auto frame = decoder.next()) {
        ASSERT_LE(frame->header.payload_bytes, kMaxStreamPayload);
        ASSERT_EQ(frame->payload.size(), frame->header.payload_bytes);
        const Bytes copy(frame->payload.begin(), frame->payload.end());  // all of it can be read
        ASSERT_EQ(copy.size(), frame->payload.size());
      }
    }
  }
}

TEST(StreamAddress, IsReadFromItsOwnBytesAlone) {
  for (const char* const text : {"10.1.0.7", "fd00::7"}) {
    const Bytes bytes = StreamAddress::of_text(text).value().to_bytes();
    EXPECT_EQ(StreamAddress::of_bytes(bytes).value().to_bytes(), bytes);
  }
  EXPECT_FALSE(StreamAddress::of_text("h0").ok());
  Random random(13);
  for (int input = 0; input < kInputs; ++input) {
    const Bytes bytes = random_bytes(random, 24);
    const auto address = StreamAddress::of_bytes(bytes);
    if (address) {
      ASSERT_EQ(address.value().to_bytes(), bytes);
    }
  }
}

}  // namespace
}  // namespace weft
