// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   caller                                       called
//     | -- magic, from, to, nonce of caller ---------> |
//     | <- nonce of called, HMAC("called", both) ----- |
//     | -- HMAC("caller", both nonces) --------------> |
//
// Each HMAC is over both numbers and both nonces: one that was recorded fits no other connection.
// The called node answers anyone, which costs it an HMAC, and tells nothing but that it is a node.
#include <algorithm>
#include <cstring>

#include "transport/stream/secure_link.hpp"

namespace weft {
namespace {

constexpr std::string_view kMagic = "weft-pl1";
constexpr std::size_t kGreetingBytes = kMagic.size() + 2 * sizeof(std::uint16_t) + sizeof(Digest);
constexpr std::size_t kAnswerBytes = 2 * sizeof(Digest);

Digest nonce() { return random_digest().value(); }

class PlainLink final : public SecureLink {
 public:
  PlainLink(NodeId self, const JobKey& key) : self_(self), key_(key) {}  // called
  PlainLink(NodeId self, const JobKey& key, NodeId peer) : PlainLink(self, key) {
    is_caller_ = true;
    peer_ = peer;
    nonces_[0] = nonce();
    ByteWriter writer(outgoing_);
    writer.raw(std::as_bytes(std::span(kMagic)));
    for (const NodeId each : {self, peer}) {
      const std::uint16_t number = each.value();
      writer.raw(std::as_bytes(std::span(&number, 1)));
    }
    writer.raw(nonces_[0]);
  }

  void receive(ByteView network, StreamFrameDecoder& decoder) override {
    while (state_ == State::kProving && !network.empty()) {
      const std::size_t here = std::min(network.size(), expected() - pending_.size());
      pending_.insert(pending_.end(), network.begin(), network.begin() + here);
      network = network.subspan(here);
      if (pending_.size() < expected()) return;
      if (!step()) state_ = State::kFailed;
      pending_.clear();
    }
    if (state_ == State::kOpen) decoder.append(network);
  }

  void send(Bytes& frames) override {
    if (outgoing_.empty()) return outgoing_.swap(frames);  // without a copy
    outgoing_.insert(outgoing_.end(), frames.begin(), frames.end());
  }

 private:
  [[nodiscard]] std::size_t expected() const {
    if (is_caller_) return kAnswerBytes;
    return is_greeted_ ? sizeof(Digest) : kGreetingBytes;
  }

  [[nodiscard]] Digest proof(bool of_caller) const {
    Bytes nonces(nonces_[0].begin(), nonces_[0].end());
    nonces.insert(nonces.end(), nonces_[1].begin(), nonces_[1].end());
    return derive(key_, of_caller ? "caller" : "called", is_caller_ ? self_ : peer_,
                  is_caller_ ? peer_ : self_, nonces);
  }

  // Takes the message in pending_; false if it proves nothing.
  bool step() {
    if (is_caller_) return take_answer();
    if (!is_greeted_) return take_greeting();
    if (!equal_secretly(pending_, proof(true))) return false;
    state_ = State::kOpen;
    return true;
  }

  bool take_greeting() {
    ByteReader reader(pending_);
    const ByteView magic = reader.raw(kMagic.size());
    if (std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) return false;
    std::uint16_t from = 0, to = 0;
    std::memcpy(&from, reader.raw(sizeof from).data(), sizeof from);
    std::memcpy(&to, reader.raw(sizeof to).data(), sizeof to);
    if (NodeId(to) != self_ || from == to) return false;
    peer_ = NodeId(from);
    std::ranges::copy(reader.raw(sizeof(Digest)), nonces_[0].begin());
    nonces_[1] = nonce();
    is_greeted_ = true;
    ByteWriter writer(outgoing_);
    writer.raw(nonces_[1]);
    writer.raw(proof(false));
    return true;
  }

  bool take_answer() {
    const ByteView answer(pending_);
    std::ranges::copy(answer.first(sizeof(Digest)), nonces_[1].begin());
    if (!equal_secretly(answer.subspan(sizeof(Digest)), proof(false))) return false;
    ByteWriter(outgoing_).raw(proof(true));
    state_ = State::kOpen;
    return true;
  }

  NodeId self_;
  JobKey key_;
  bool is_caller_ = false, is_greeted_ = false;
  Digest nonces_[2] = {};  // of the caller and of the called node
  Bytes pending_;          // of the message that is coming
};

class PlainLinks final : public LinkMaker {
 public:
  PlainLinks(NodeId self, const JobKey& key) : self_(self), key_(key) {}
  std::unique_ptr<SecureLink> call(NodeId peer) override {
    return std::make_unique<PlainLink>(self_, key_, peer);
  }
  std::unique_ptr<SecureLink> answer() override { return std::make_unique<PlainLink>(self_, key_); }

 private:
  NodeId self_;
  JobKey key_;
};

}  // namespace

std::unique_ptr<LinkMaker> make_plain_links(NodeId self, const JobKey& key) {
  return std::make_unique<PlainLinks>(self, key);
}

}  // namespace weft
