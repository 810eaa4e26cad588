// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checks/protocol_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/assert.hpp"
#include "base/futex.hpp"

namespace weft {
namespace {

// FNV-1a, by words.
std::uint64_t hash_of(ByteView contents) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t at = 0; at < contents.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, contents.data() + at, sizeof word);
    hash = (hash ^ word) * 0x100000001b3U;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

// --- a round ---

void ProtocolCheck::at_rest() {
  const std::uint32_t round = round_.fetch_add(1) + 1;
  if (host_.self != NodeId(0)) return host_.wait_while(released_, round - 1);
  if (wait_until_quiet()) {
    for (NodeId node; node.value() < host_.node_count; ++node) compare(node);
  }
  for (NodeId node(1); node.value() < host_.node_count; ++node) {
    (void)ask(node, Question::kGo);
  }
}

Bytes ProtocolCheck::ask(NodeId node, Question question, Bytes body) {
  const std::uint32_t before = answers_.load();
  if (node == host_.self) {
    Bytes reply;
    host_.locked([&] { reply = answer(question, body); });
    return reply;
  }
  host_.locked([&] { host_.send(node, to_bytes(question, rest(body))); });
  host_.wait_while(answers_, before);
  Bytes reply;
  host_.locked([&] { reply.swap(answer_); });
  return reply;
}

bool ProtocolCheck::wait_until_quiet() {
  State before;
  for (;;) {
    State all;
    bool is_quiet = true;
    for (NodeId node; node.value() < host_.node_count; ++node) {
      const auto [round, state] = value_of<RoundState>(ask(node, Question::kState));
      is_quiet &= round == round_.load();
      all.sent += state.sent;
      all.received += state.received;
      all.others_here |= state.others_here;
    }
    if (is_quiet && all.others_here) return false;
    is_quiet &= all.sent == all.received;
    if (is_quiet && all.sent == before.sent && all.received == before.received) return true;
    before = is_quiet ? all : State{.sent = 1};
  }
}

// --- comparing ---

void ProtocolCheck::compare(NodeId node) {
  for (std::optional<PageIndex> from(0); from;) {
    const auto some = value_of<Copies>(ask(node, Question::kCopies, to_bytes(*from)));
    compare(node, some.copies);
    from = some.next;
  }
}

void ProtocolCheck::compare(NodeId node, const std::vector<Copy>& copies) {
  std::map<NodeId, std::vector<Copy>> by_home;
  for (const Copy& copy : copies) by_home[copy.home].push_back(copy);
  for (const auto& [home, held] : by_home) {
    std::vector<PageIndex> pages;
    for (const Copy& copy : held) pages.push_back(copy.page);
    const auto hashes =
        value_of<std::vector<std::uint64_t>>(ask(home, Question::kHashes, to_bytes(pages)));
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (hashes.at(i) != held[i].hash) complain(node, held[i]);
    }
  }
}

void ProtocolCheck::complain(NodeId node, const Copy& copy) {
  const Bytes question = to_bytes(copy.page);
  const auto theirs = value_of<Detail>(ask(node, Question::kDetail, question));
  const auto at_home = value_of<Detail>(ask(copy.home, Question::kDetail, question));
  const Bytes& held = theirs.contents;
  const Bytes& kept = at_home.contents;
  const auto first = std::ranges::mismatch(held, kept).in1 - held.begin();
  std::size_t different = 0;
  for (std::size_t at = 0; at < kPageBytes; ++at) different += held[at] != kept[at] ? 1 : 0;
  const auto byte = static_cast<std::size_t>(std::min<std::ptrdiff_t>(first, kPageBytes - 1));
  host_.fail(fmt::format(
      "WEFT_CHECK=protocol: in epoch {}, node {} and node {}, the home of page {}, differ in {} "
      "bytes of it; the first is in {}: {:#04x} at node {}, {:#04x} at its home. At node {}: {}. "
      "At node {}: {}. This is a mistake of Weft's, or a race between threads of the program",
      host_.state().epoch, node.value(), copy.home.value(), copy.page.value(), different,
      host_.place_name(copy.page, byte), std::to_integer<unsigned>(held[byte]), node.value(),
      std::to_integer<unsigned>(kept[byte]), node.value(), theirs.history, copy.home.value(),
      at_home.history));
  std::abort();
}

// --- answers ---

void ProtocolCheck::on_message(NodeId from, ByteView message) {
  Question question = {};
  ByteView body;
  if (!from_bytes(message, question, rest(body))) fail_unreadable("a question", message.size());
  if (question == Question::kAnswer) {
    answer_.assign(body.begin(), body.end());
    answers_.fetch_add(1);
    return futex_wake_all(answers_);
  }
  const Bytes reply = answer(question, body);
  host_.send(from, to_bytes(Question::kAnswer, rest(reply)));
}

Bytes ProtocolCheck::answer(Question question, ByteView body) {
  switch (question) {
    case Question::kState:
      return to_bytes(RoundState{round_.load(), host_.state()});
    case Question::kCopies:
      return to_bytes(copies(value_of<PageIndex>(body)));
    case Question::kHashes:
      return to_bytes(hashes(value_of<std::vector<PageIndex>>(body)));
    case Question::kDetail:
      return to_bytes(detail(value_of<PageIndex>(body)));
    case Question::kAnswer:
      break;
    case Question::kGo:
      released_.store(round_.load());
      futex_wake_all(released_);
      break;
  }
  return {};
}

ProtocolCheck::Copies ProtocolCheck::copies(PageIndex from) const {
  const std::vector<PageIndex> pages = memory_.copies(from, kCopiesAtOnce);
  Copies some;
  if (pages.size() == kCopiesAtOnce) some.next = pages.back().plus(1);
  for (const PageIndex page : pages) {
    const NodeId home = host_.home_of(page);
    if (home == host_.self || home.value() >= host_.node_count) continue;
    some.copies.push_back({page, home, hash_of(memory_.twin(page))});
  }
  return some;
}

std::vector<std::uint64_t> ProtocolCheck::hashes(const std::vector<PageIndex>& pages) const {
  std::vector<std::uint64_t> all;
  for (const PageIndex page : pages) all.push_back(hash_of(memory_.contents(page)));
  return all;
}

ByteView ProtocolCheck::agreed_contents(PageIndex page) const {
  const bool is_copy = memory_.copies(page, 1) == std::vector{page};
  return is_copy && host_.home_of(page) != host_.self ? memory_.twin(page) : memory_.contents(page);
}

ProtocolCheck::Detail ProtocolCheck::detail(PageIndex page) const {
  const ByteView contents = agreed_contents(page);
  return {.contents = Bytes(contents.begin(), contents.end()), .history = memory_.history(page)};
}

}  // namespace weft
