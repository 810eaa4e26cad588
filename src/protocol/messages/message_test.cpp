// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/messages/message_codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/numbers/random.hpp"

namespace weft {
namespace {

PageSet some_pages(Random& random) {
  PageSet pages;
  for (std::uint64_t left = random.below(5); left > 0; --left) {
    pages.insert(PageRange{PageIndex(random.below(1U << 24)), 1 + random.below(100)});
  }
  return pages;
}

VectorClock some_clock(Random& random) {
  VectorClock clock(random.below(70));
  for (IntervalNumber& number : clock) number = IntervalNumber(random.below(300));
  return clock;
}

std::vector<StreamPosition> some_positions(Random& random) {
  std::vector<StreamPosition> positions(random.below(4));
  for (StreamPosition& position : positions) {
    position = {NodeId(random.below(64)), UpdateSequence(random.next())};
  }
  return positions;
}

std::vector<StoreUnderWay> some_stores(Random& random) {
  std::vector<StoreUnderWay> stores(random.below(3));
  for (StoreUnderWay& store : stores) {
    store = {NodeId(random.below(64)), GlobalOffset(random.below(1000) * 8), std::uint8_t{8}};
  }
  return stores;
}

std::vector<Record> some_records(Random& random) {
  std::vector<Record> records(random.below(4));
  for (Record& record : records) {
    record = {.writer = NodeId(random.below(64)),
              .number = IntervalNumber(random.below(1000)),
              .late = random.chance(50),
              .deferred = random.chance(50),
              .current = random.chance(50),
              .looked = random.chance(50),
              .pages = some_pages(random),
              .updates = some_positions(random),
              .stores = some_stores(random)};
  }
  return records;
}

std::vector<Notice> some_notices(Random& random) {
  std::vector<Notice> notices(random.below(4));
  for (Notice& notice : notices) notice = {NodeId(random.below(64)), some_pages(random)};
  return notices;
}

Push some_push(Random& random) {
  static const Bytes contents(100, std::byte{5});
  Push push{.phase = PhaseKey(random.next()), .ended = some_pages(random)};
  for (std::uint64_t left = random.below(3); left > 0; --left) {
    push.pages.push_back({PageIndex(random.below(1000)), contents});
  }
  return push;
}

std::vector<SharedPush> some_shared(Random& random) {
  std::vector<SharedPush> pushes(random.below(3));
  for (SharedPush& shared : pushes) shared = {NodeId(3), {NodeId(1), NodeId(2)}, some_push(random)};
  return pushes;
}

std::vector<SettledNotice> some_settled(Random& random) {
  std::vector<SettledNotice> notices(random.below(4));
  for (SettledNotice& notice : notices) {
    notice = {NodeId(random.below(64)), {}, some_pages(random)};
    for (std::uint64_t left = random.below(5); left > 0; --left) {
      notice.holders.push_back(NodeId(static_cast<std::uint16_t>(random.below(64))));
    }
  }
  return notices;
}

CarriedUpdate some_carried(Random& random, ByteView contents) {
  return {.writer = NodeId(2),
          .interval = IntervalNumber(3),
          .home = NodeId(4),
          .sequence = UpdateSequence(70),
          .complete = random.chance(50),
          .after = some_positions(random),
          .diffs = {{PageIndex(4), contents}}};
}

// Encodes, decodes and encodes again: the bytes, and so every field, are the same.
template <typename Message>
void round_trip(const Message& message, Random& random) {
  const Epoch epoch(static_cast<std::uint32_t>(random.next()));
  const Bytes bytes = encode(epoch, message);
  WireReader wire(bytes);
  const MessageHeader header = read_header(wire);
  EXPECT_EQ(header.type, Message::kType);
  EXPECT_EQ(header.epoch, epoch);
  EXPECT_EQ(encode(epoch, decode<Message>(wire)), bytes) << message_name(Message::kType);
  EXPECT_GT(bytes.size(), encode(epoch, DepartureWish{}).size()) << "no field is in it";
}

AtomicRequest some_atomic(Random& random) {
  AtomicRequest request;
  request.size = static_cast<std::uint8_t>(1U << random.below(5));
  request.where = GlobalOffset(random.next() >> 12);
  request.operation = static_cast<AtomicOperation>(random.below(22));
  request.type = static_cast<AtomicType>(random.below(7));
  for (std::byte& byte : request.operand) byte = static_cast<std::byte>(random.next());
  for (std::byte& byte : request.expected) byte = static_cast<std::byte>(random.next());
  return request;
}

void round_trip_pages(Random& random) {
  const Bytes contents(random.below(200), std::byte{7});
  const PageIndex page(random.next() >> 20);
  round_trip(Update{.sequence = UpdateSequence(random.next()),
                    .final = random.chance(50),
                    .after = some_positions(random),
                    .merged = {some_atomic(random)},
                    .diffs = {{page, contents}}},
             random);
  const PhaseKey phase(random.next());
  round_trip(FetchRequest{.request = 9,
                          .pages = some_pages(random),
                          .descending = random.chance(50),
                          .requirement = some_positions(random),
                          .phase = phase,
                          .versions = {{PageIndex(4), random.next()}}},
             random);
  round_trip(
      FetchReply{
          .request = 1U << 31,
          .phase = phase,
          .rhythm = {16, 5},
          .pages = {page, PageIndex(7)},
          .parts = {{.page = page, .version = 3, .blocks = random.next(), .bytes = Bytes(64)}},
          .lent = true,
          .contents = {}},
      random);
  round_trip(Push{.phase = phase,
                  .pages = {{page, contents}},
                  .ended = some_pages(random),
                  .rhythms = {{{16, 5}, some_pages(random)}}},
             random);
  round_trip(ExchangeRound{.kind = ExchangeKind::kPushes,
                           .round = 9,
                           .envelopes = {{NodeId(3), {NodeId(1), NodeId(1023)}, contents}}},
             random);
  round_trip(Unsubscribe{phase, some_pages(random)}, random);
  round_trip(HomeAsk{page}, random);
  round_trip(HomeReply{page, {{{page, 7}, {NodeId(1), kNoNode, NodeId(1023)}}}}, random);
}

AddingTargets some_targets(Random& random) {
  AddingTargets targets;
  for (std::uint64_t left = random.below(4); left > 0; --left) {
    targets.push_back(
        {GlobalOffset(random.below(1 << 20)), 8, AtomicOperation::kFloatAdd, AtomicType::kDouble});
  }
  return targets;
}

void round_trip_updates(Random& random) {
  const Bytes contents(100, std::byte{5});
  round_trip(UpdatePart{.sequence = UpdateSequence(random.next()),
                        .final = random.chance(50),
                        .after = some_positions(random),
                        .merged = {some_atomic(random)},
                        .sizes = {{PageIndex(random.below(1000)), 0}},
                        .diffs = {}},
             random);
  round_trip(Updates{{Update{.sequence = UpdateSequence(random.next()),
                             .final = false,
                             .after = {},
                             .merged = {},
                             .diffs = {{PageIndex(4), contents}}}}},
             random);
  round_trip(UpdateDemand{NodeId(9)}, random);
}

void round_trip_synchronisation(Random& random) {
  const LockId lock(random.next());
  const Epoch epoch(5);
  round_trip(LockRequest{.lock = lock,
                         .try_only = random.chance(50),
                         .clock = some_clock(random),
                         .wanted = some_pages(random),
                         .absent = some_pages(random),
                         .adding = some_targets(random)},
             random);
  round_trip(LockForward{.lock = lock,
                         .try_only = random.chance(50),
                         .asker = NodeId(63),
                         .asker_epoch = epoch,
                         .clock = some_clock(random),
                         .wanted = some_pages(random),
                         .absent = some_pages(random),
                         .adding = some_targets(random)},
             random);
  const Bytes contents(100, std::byte{5});
  const CarriedUpdate carried = some_carried(random, contents);
  round_trip(LockGrant{.lock = lock,
                       .records = some_records(random),
                       .carried = {carried},
                       .pages = {{PageIndex(4), contents}},
                       .lent = some_pages(random),
                       .clock = some_clock(random),
                       .returned = random.chance(50),
                       .home = NodeId(7),
                       .bound = some_pages(random),
                       .is_right = random.chance(50),
                       .targets = some_targets(random),
                       .ahead = {{lock, some_targets(random)}}},
             random);
  round_trip(PageClaim{lock, some_pages(random)}, random);
  round_trip(PageClaimReply{lock, some_pages(random), some_notices(random)}, random);
  round_trip(Advance{SequencerId(3), random.next(), some_records(random)}, random);
  round_trip(Await{.sequencer = SequencerId(3),
                   .value = random.next(),
                   .wait = WaitId(4),
                   .clock = some_clock(random)},
             random);
  const Bytes payload(random.below(50), std::byte{5});
  round_trip(Post{some_records(random), payload}, random);
  round_trip(
      FenceAsk{WaitId(random.next()), random.chance(50), some_clock(random), some_pages(random)},
      random);
  round_trip(FenceReply{WaitId(random.next()), some_records(random), {carried}}, random);
  round_trip(AwaitReply{WaitId(random.next()), random.next(), some_records(random)}, random);
  round_trip(CollectAsk{random.next(), some_clock(random)}, random);
  round_trip(CollectReply{random.next(), some_clock(random), some_records(random)}, random);
  round_trip(Collect{some_clock(random), some_records(random)}, random);
}

void round_trip_rights(Random& random) {
  const LockId lock(random.next());
  round_trip(LockBusy{lock}, random);
  round_trip(LockTryResult{lock, random.chance(50), NodeId(1)}, random);
  round_trip(RightRecall{lock, some_clock(random)}, random);
  round_trip(RightReturn{{lock, LockId(lock.value() + 8)}, some_records(random)}, random);
}

void round_trip_atomics(Random& random) {
  const WaitId wait(random.next());
  const Bytes contents(100, std::byte{5});
  const std::vector carried = {some_carried(random, contents)};
  round_trip(AtomicAsk{.wait = wait,
                       .ordering = Ordering::kAcquire,
                       .request = some_atomic(random),
                       .requirement = some_positions(random),
                       .records = some_records(random),
                       .carried = carried,
                       .clock = some_clock(random),
                       .late = random.chance(50),
                       .wanted = some_pages(random)},
             random);
  round_trip(AtomicReply{.wait = wait,
                         .result = {},
                         .records = some_records(random),
                         .carried = carried,
                         .wanted = some_pages(random)},
             random);
  round_trip(AtomicRetry{wait}, random);
  round_trip(AtomicHurry{wait}, random);
  round_trip(AtomicStore{.update = {.sequence = UpdateSequence(random.next()),
                                    .final = false,
                                    .after = some_positions(random),
                                    .merged = {some_atomic(random)},
                                    .diffs = {}},
                         .records = some_records(random),
                         .carried = carried,
                         .current = random.chance(50),
                         .wanted = some_pages(random)},
             random);
  round_trip(AtomicTold{.where = random.next(),
                        .size = 4,
                        .records = some_records(random),
                        .carried = carried,
                        .wanted = some_pages(random)},
             random);
}

Update some_final(Random& random) {
  return {.sequence = UpdateSequence(random.next()),
          .final = true,
          .after = {},
          .merged = {some_atomic(random)},
          .diffs = some_push(random).pages};
}

TEST(Message, RoundTrips) {
  Random random(1);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const Bytes contribution(random.below(50), std::byte{6});
    const auto votes = static_cast<std::uint8_t>(random.below(256));
    round_trip(BarrierArrive{.notices = some_notices(random),
                             .others = {NodeId(1), NodeId(7)},
                             .votes = votes,
                             .contribution_bytes = random.next(),
                             .contribution = contribution,
                             .records = some_records(random),
                             .settled = some_settled(random),
                             .pushed = some_shared(random),
                             .updates = {some_final(random)},
                             .links = {{NodeId(1), NodeId(2), 300}},
                             .offers = some_notices(random),
                             .next = PhaseKey(random.next()),
                             .whole = PageSet{{PageIndex(3), 2}, {PageIndex(9), 1}},
                             .replaced = PageSet{{PageIndex(4), 7}},
                             .traffic = {{PhaseKey(random.next()), {300, 20}, {0, 1}}}},
               random);
    round_trip(BarrierPart{contribution}, random);
    round_trip(BarrierDepart{.next = PhaseKey(7),
                             .notices = some_notices(random),
                             .others = {},
                             .votes = votes,
                             .settled = some_settled(random),
                             .pushed = some_push(random),
                             .shared = some_shared(random),
                             .updates = {some_final(random)},
                             .tree = {NodeId(0), NodeId(1)},
                             .moves = some_notices(random),
                             .replaced = PageSet{{PageIndex(8), 2}},
                             .exchanges = 3},
               random);
    const Bytes payload(random.below(300), std::byte{3});
    round_trip(Publish{.next = PhaseKey(7),
                       .notices = some_notices(random),
                       .others = {NodeId(3)},
                       .payload = payload,
                       .pushed = some_push(random),
                       .updates = {},
                       .exchanges = 1},
               random);
    round_trip_pages(random);
    round_trip_updates(random);
    round_trip_synchronisation(random);
    round_trip_rights(random);
    round_trip_atomics(random);
  }
}

TEST(Message, KeepsEveryFieldOfAnAtomicRequest) {
  Random random(2);
  AtomicAsk ask;
  ask.request = some_atomic(random);
  ask.request.operation = AtomicOperation::kCompareExchange;
  ask.request.size = 16;
  const Bytes bytes = encode(Epoch(1), ask);
  WireReader wire(bytes);
  read_header(wire);
  const AtomicRequest read = decode<AtomicAsk>(wire).request;
  EXPECT_EQ(read.where, ask.request.where);
  EXPECT_EQ(read.operation, ask.request.operation);
  EXPECT_EQ(read.type, ask.request.type);
  EXPECT_TRUE(std::ranges::equal(read.operand, ask.request.operand));
  EXPECT_TRUE(std::ranges::equal(read.expected, ask.request.expected));
}

TEST(Message, HasANameForEachTypeAndNoMore) {
  const auto last = static_cast<std::uint8_t>(kLastMessageType);
  EXPECT_STREQ(message_name(kLastMessageType), "Collect");
  EXPECT_STREQ(message_name(static_cast<MessageType>(last + 1)), "unknown message");
}

}  // namespace
}  // namespace weft
