// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/checkers/describe.hpp"

#include <fmt/format.h>

#include "protocol/messages/message_codec.hpp"

namespace weft::sim {

std::string_view text_of(ByteView payload) {
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

namespace {

std::string describe_pages(const PageSet& pages) {
  std::string text;
  for (const PageRange& range : pages.ranges()) {
    text += fmt::format(" {}", range.first.value());
    if (range.count > 1) text += fmt::format("..{}", range.end().value() - 1);
  }
  return text;
}

std::string describe(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) {
    text += fmt::format(", record {}.{}:{}", record.writer.value(), record.number.value(),
                        describe_pages(record.pages));
  }
  return text;
}

std::string describe(const std::vector<Notice>& notices) {
  std::string text;
  for (const Notice& notice : notices) {
    const std::string who =
        notice.writer == kNoNode ? "homes" : fmt::format("node {}", notice.writer.value());
    text += fmt::format(", {} wrote{}", who, describe_pages(notice.pages));
  }
  return text;
}

std::string describe(const std::vector<SettledNotice>& notices) {
  std::string text;
  for (const SettledNotice& notice : notices) {
    text += fmt::format(", node {} wrote{} and tells", notice.writer.value(),
                        describe_pages(notice.pages));
    for (const NodeId holder : notice.holders) text += fmt::format(" {}", holder.value());
  }
  return text;
}

std::string describe(const Push& push) {
  std::string text = fmt::format(" in phase {}:", push.phase.value());
  for (const PageBytes& bytes : push.pages) text += fmt::format(" {}", bytes.page.value());
  for (const PagesInRhythm& some : push.rhythms) {
    text += fmt::format(", every {} times:{}", some.rhythm.period, describe_pages(some.pages));
  }
  return push.ended.empty() ? text : text + ", no more" + describe_pages(push.ended);
}

// What is pushed in one of the barrier's messages.
std::string describe_pushed(const Push& push) {
  return push.pages.empty() && push.ended.empty() ? "" : ", pushed" + describe(push);
}

// With one consumer, that is the receiver.
std::string describe(const std::vector<SharedPush>& pushes) {
  std::string text;
  for (const SharedPush& shared : pushes) {
    text += ", pushed" + describe(shared.push);
    if (shared.consumers.size() < 2) continue;
    text += fmt::format(" by {} for", shared.home.value());
    for (const NodeId consumer : shared.consumers) text += fmt::format(" {}", consumer.value());
  }
  return text;
}

std::string describe(const Update& update) {
  std::string text =
      fmt::format(", update {}{}:", update.sequence.value(), update.final ? ", final" : "");
  for (const PageBytes& diff : update.diffs) text += fmt::format(" {}", diff.page.value());
  return text;
}

std::string describe(const Updates& updates) {
  std::string text;
  for (const Update& update : updates.updates) text += describe(update);
  return text;
}

std::string describe(const Release& release) {
  std::string text = fmt::format(" {}:{}", release.number, describe_pages(release.pages));
  for (const Update& update : release.updates) text += describe(update);
  return text;
}

std::string describe(const std::vector<CarriedUpdate>& carried) {
  std::string text;
  for (const CarriedUpdate& update : carried) {
    text += fmt::format(", diffs of {}.{}:", update.writer.value(), update.interval.value());
    for (const PageBytes& diff : update.diffs) text += fmt::format(" {}", diff.page.value());
  }
  return text;
}

// Of messages that an acquire comes with.
template <typename Message>
std::string describe_with_diffs(const Message& message) {
  return describe(message.records) + describe(message.carried);
}

std::string describe(const AtomicStore& store) {
  return fmt::format(", update {}{}", store.update.sequence.value(), describe_with_diffs(store));
}

std::string describe(const LockGrant& grant) {
  std::string text = describe_with_diffs(grant);
  if (!grant.pages.empty()) text += ", pages";
  for (const PageBytes& page : grant.pages) text += fmt::format(" {}", page.page.value());
  return text;
}

std::string describe(const BarrierArrive& arrival) {
  std::string text = describe(arrival.notices) + describe(arrival.settled);
  if (!arrival.contribution.empty()) text += fmt::format(", \"{}\"", text_of(arrival.contribution));
  for (const Update& update : arrival.updates) text += describe(update);
  if (!arrival.replaced.empty()) text += ", replaced" + describe_pages(arrival.replaced);
  return text + describe(arrival.records) + describe(arrival.pushed);
}

std::string describe(const BarrierDepart& departure) {
  std::string text = describe(departure.notices) + describe(departure.settled);
  for (const Update& update : departure.updates) text += describe(update);
  if (!departure.tree.empty()) text += ", parents";
  for (const NodeId parent : departure.tree) text += fmt::format(" {}", parent.value());
  for (const Notice& move : departure.moves) {
    text += fmt::format(", node {} takes over{}", move.writer.value(), describe_pages(move.pages));
  }
  if (!departure.replaced.empty()) text += ", replaced" + describe_pages(departure.replaced);
  if (departure.exchanges != 0) text += fmt::format(", exchanges {}", departure.exchanges);
  return text + describe_pushed(departure.pushed) + describe(departure.shared);
}

std::string describe(const Publish& publication) {
  std::string text = describe(publication.notices);
  if (publication.exchanges != 0) text += fmt::format(", exchanges {}", publication.exchanges);
  return text + describe_pushed(publication.pushed);
}

std::string describe(const VectorClock& clock) {
  std::string text = ", heard";
  for (std::size_t node = 0; node < clock.size(); ++node) {
    if (clock[node].value() > 0) text += fmt::format(" {}.{}", node, clock[node].value());
  }
  return text;
}

// Nothing of other messages.
std::string describe_collection(MessageType type, WireReader& wire) {
  if (type == MessageType::kCollectAsk) return describe(decode<CollectAsk>(wire).clock);
  if (type == MessageType::kCollectReply) {
    const auto reply = decode<CollectReply>(wire);
    return describe(reply.clock) + describe(reply.records);
  }
  if (type != MessageType::kCollect) return "";
  const auto collect = decode<Collect>(wire);
  return describe(collect.heard) + describe(collect.records);
}

std::string describe(const HomeReply& reply) {
  std::string text;
  for (const HomeRun& run : reply.homes) {
    text +=
        fmt::format(":{} at node {}", describe_pages(PageSet{run.pages}), run.facts.home.value());
  }
  return text;
}

std::string describe(const FetchRequest& request) {
  std::string text = describe_pages(request.pages);
  for (const StreamPosition& position : request.requirement) {
    text += fmt::format(", after update {} of node {}", position.sequence.value(),
                        position.node.value());
  }
  return text;
}

std::string describe(const ExchangeRound& round) {
  std::string text = fmt::format(", round {}", round.round);
  for (const Envelope& each : round.envelopes) {
    text += fmt::format("; of {} for", each.from.value());
    for (const NodeId node : each.to) text += fmt::format(" {}", node.value());
    text += ": " + sim::describe(each.message);
  }
  return text;
}

std::string describe(const Together& together) {
  std::string text = ":";
  for (const ByteView message : together.messages) text += " " + sim::describe(message) + ";";
  text.pop_back();
  return text;
}

}  // namespace

std::string describe(ByteView message) {
  WireReader wire(message);
  const MessageHeader header = read_header(wire);
  const std::string name =
      fmt::format("{} of epoch {}", message_name(header.type), header.epoch.value());
  switch (header.type) {
    case MessageType::kBarrierArrive:
      return name + describe(decode<BarrierArrive>(wire));
    case MessageType::kBarrierDepart:
      return name + describe(decode<BarrierDepart>(wire));
    case MessageType::kPublish:
      return name + describe(decode<Publish>(wire));
    case MessageType::kTogether:
      return name + describe(decode<Together>(wire));
    case MessageType::kUpdate:
      return name + describe(decode<Update>(wire));
    case MessageType::kUpdatePart:
      return name + describe(whole_update(decode<UpdatePart>(wire)));
    case MessageType::kUpdates:
      return name + describe(decode<Updates>(wire));
    case MessageType::kRelease:
      return name + describe(decode<Release>(wire));
    case MessageType::kRecall:
      return name + ":" + describe_pages(decode<Recall>(wire).pages);
    case MessageType::kFetchRequest:
      return name + ":" + describe(decode<FetchRequest>(wire));
    case MessageType::kHomeReply:
      return name + describe(decode<HomeReply>(wire));
    case MessageType::kPush:
      return name + describe(decode<Push>(wire));
    case MessageType::kExchangeRound:
      return name + describe(decode<ExchangeRound>(wire));
    case MessageType::kUnsubscribe:
      return name + describe_pages(decode<Unsubscribe>(wire).pages);
    case MessageType::kLockGrant:
      return name + describe(decode<LockGrant>(wire));
    case MessageType::kAdvance:
      return name + describe(decode<Advance>(wire).records);
    case MessageType::kAwaitReply:
      return name + describe(decode<AwaitReply>(wire).records);
    case MessageType::kFenceAsk:
      return name + (decode<FenceAsk>(wire).insistent ? ", insistent" : "");
    case MessageType::kFenceReply:
      return name + describe_with_diffs(decode<FenceReply>(wire));
    case MessageType::kAtomicTold:
      return name + describe_with_diffs(decode<AtomicTold>(wire));
    case MessageType::kPost:
      return name + describe(decode<Post>(wire).records);
    case MessageType::kAtomicAsk:
      return name + describe_with_diffs(decode<AtomicAsk>(wire));
    case MessageType::kAtomicReply:
      return name + describe_with_diffs(decode<AtomicReply>(wire));
    case MessageType::kAtomicStore:
      return name + describe(decode<AtomicStore>(wire));
    default:
      return name + describe_collection(header.type, wire);
  }
}

}  // namespace weft::sim
