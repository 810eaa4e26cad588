// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checks/protocol_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/futex.hpp"

namespace weft {
namespace {

NodeId node_at(unsigned number) { return NodeId(static_cast<std::uint16_t>(number)); }

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
    for (unsigned node = 0; node < host_.node_count; ++node) compare(node_at(node));
  }
  for (unsigned node = 1; node < host_.node_count; ++node) {
    (void)ask(node_at(node), Question::kGo);
  }
}

Bytes ProtocolCheck::ask(NodeId node, Question question, Bytes body) {
  const std::uint32_t before = answers_.load();
  Bytes message(1, static_cast<std::byte>(question));
  message.insert(message.end(), body.begin(), body.end());
  if (node == host_.self) {
    Bytes reply;
    host_.locked([&] {
      ByteReader reader(body);
      reply = answer(question, reader);
    });
    return reply;
  }
  host_.locked([&] { host_.send(node, std::move(message)); });
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
    for (unsigned node = 0; node < host_.node_count; ++node) {
      const Bytes reply = ask(node_at(node), Question::kState);
      ByteReader reader(reply);
      is_quiet &= reader.u64() == round_.load();
      all.sent += reader.u64();
      all.received += reader.u64();
      all.others_here |= reader.u64() != 0;
    }
    if (is_quiet && all.others_here) return false;
    is_quiet &= all.sent == all.received;
    if (is_quiet && all.sent == before.sent && all.received == before.received) return true;
    before = is_quiet ? all : State{.sent = 1};
  }
}

// --- comparing ---

void ProtocolCheck::compare(NodeId node) {
  for (PageIndex from(0);;) {
    Bytes question;
    ByteWriter(question).u64(from.value());
    const Bytes reply = ask(node, Question::kCopies, std::move(question));
    ByteReader reader(reply);
    std::vector<Copy> copies;
    const bool ends = reader.u64() == 0;
    from = PageIndex(reader.u64());
    while (reader.remaining() > 0) {
      const PageIndex page(reader.u64());
      const NodeId home = node_at(static_cast<unsigned>(reader.u64()));
      copies.push_back({page, home, reader.u64()});
    }
    compare(node, copies);
    if (ends) return;
  }
}

void ProtocolCheck::compare(NodeId node, const std::vector<Copy>& copies) {
  std::map<NodeId, std::vector<Copy>> by_home;
  for (const Copy& copy : copies) by_home[copy.home].push_back(copy);
  for (const auto& [home, held] : by_home) {
    Bytes question;
    ByteWriter writer(question);
    for (const Copy& copy : held) writer.u64(copy.page.value());
    const Bytes reply = ask(home, Question::kHashes, std::move(question));
    ByteReader reader(reply);
    for (const Copy& copy : held) {
      if (reader.u64() != copy.hash) complain(node, copy);
    }
  }
}

void ProtocolCheck::complain(NodeId node, const Copy& copy) {
  Bytes question;
  ByteWriter(question).u64(copy.page.value());
  const Bytes theirs = ask(node, Question::kDetail, question);
  const Bytes at_home = ask(copy.home, Question::kDetail, question);
  const ByteView held = ByteView(theirs).first(kPageBytes);
  const ByteView kept = ByteView(at_home).first(kPageBytes);
  const auto text = [](const Bytes& detail) {
    return std::string(reinterpret_cast<const char*>(detail.data()) + kPageBytes,
                       detail.size() - kPageBytes);
  };
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
      std::to_integer<unsigned>(kept[byte]), node.value(), text(theirs), copy.home.value(),
      text(at_home)));
  std::abort();
}

// --- answers ---

void ProtocolCheck::on_message(NodeId from, ByteView message) {
  ByteReader reader(message);
  const auto question = static_cast<Question>(reader.u8());
  if (question == Question::kAnswer) {
    const ByteView body = reader.raw(reader.remaining());
    answer_.assign(body.begin(), body.end());
    answers_.fetch_add(1);
    return futex_wake_all(answers_);
  }
  Bytes out(1, static_cast<std::byte>(Question::kAnswer));
  const Bytes body = answer(question, reader);
  out.insert(out.end(), body.begin(), body.end());
  host_.send(from, std::move(out));
}

Bytes ProtocolCheck::answer(Question question, ByteReader& body) {
  switch (question) {
    case Question::kState:
      return state();
    case Question::kCopies:
      return copies(PageIndex(body.u64()));
    case Question::kHashes:
      return hashes(body);
    case Question::kDetail:
      return detail(PageIndex(body.u64()));
    case Question::kAnswer:
      break;
    case Question::kGo:
      released_.store(round_.load());
      futex_wake_all(released_);
      break;
  }
  return {};
}

Bytes ProtocolCheck::state() const {
  const State state = host_.state();
  Bytes out;
  ByteWriter writer(out);
  writer.u64(round_.load());
  writer.u64(state.sent);
  writer.u64(state.received);
  writer.u64(state.others_here ? 1 : 0);
  return out;
}

// Whether there are more, from which page on, and these.
Bytes ProtocolCheck::copies(PageIndex from) const {
  const std::vector<PageIndex> pages = memory_.copies(from, kCopiesAtOnce);
  Bytes out;
  ByteWriter writer(out);
  writer.u64(pages.size() == kCopiesAtOnce ? 1 : 0);
  writer.u64(pages.empty() ? 0 : pages.back().value() + 1);
  for (const PageIndex page : pages) {
    const NodeId home = host_.home_of(page);
    if (home == host_.self || home.value() >= host_.node_count) continue;
    writer.u64(page.value());
    writer.u64(home.value());
    writer.u64(hash_of(memory_.twin(page)));
  }
  return out;
}

Bytes ProtocolCheck::hashes(ByteReader& pages) const {
  Bytes out;
  ByteWriter writer(out);
  while (pages.remaining() > 0) {
    writer.u64(hash_of(memory_.contents(PageIndex(pages.u64()))));
  }
  return out;
}

ByteView ProtocolCheck::agreed_contents(PageIndex page) const {
  const bool is_copy = memory_.copies(page, 1) == std::vector{page};
  return is_copy && host_.home_of(page) != host_.self ? memory_.twin(page) : memory_.contents(page);
}

Bytes ProtocolCheck::detail(PageIndex page) const {
  const ByteView contents = agreed_contents(page);
  Bytes out(contents.begin(), contents.end());
  const std::string history = memory_.history(page);
  ByteWriter(out).raw(std::as_bytes(std::span(history)));
  return out;
}

}  // namespace weft
