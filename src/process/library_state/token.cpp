// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/library_state/token.hpp"

#include <array>
#include <cstddef>

namespace weft::process {
namespace {

std::array<Token*, 4> tokens = {};
std::size_t token_count = 0;

}  // namespace

void add_token(Token& token) {
  tokens[token_count++] = &token;
  perform(Call::kTakeToken, [](const Request& r) {
    const NodeId to(static_cast<NodeId::representation>(r.b));
    return Answer{0, 0, tokens[static_cast<std::size_t>(r.a)]->move_to(to)};
  });
  perform(Call::kGiveToken, [](const Request& r) {
    return Answer{0, 0, tokens[static_cast<std::size_t>(r.a)]->give_up()};
  });
  if (this_node()->self() == NodeId(0)) token.begin_here();
}

// It may still be on its way here: then it has been asked for by somebody who uses it once.
Bytes Token::give_up() {
  std::unique_lock guard(lock_);
  arrived_.wait(guard, [this] { return is_here_; });
  is_here_ = false;
  return state_.pack();
}

Bytes Token::move_to(NodeId to) {
  const std::lock_guard guard(moving_);
  const NodeId from = std::exchange(holder_, to);
  return ask_node(*this_node(), from, {.call = Call::kGiveToken, .a = number_}).bytes;
}

// Returns with the lock taken and the state here.
void Token::fetch(std::unique_lock<SignalSafeMutex>& guard) {
  while (!is_here_) {
    if (is_coming_) {
      arrived_.wait(guard);
      continue;
    }
    is_coming_ = true;
    guard.unlock();
    Node& node = *this_node();
    const Answer answer = ask_node(
        node, NodeId(0), {.call = Call::kTakeToken, .a = number_, .b = node.self().value()});
    guard.lock();
    state_.unpack(answer.bytes);
    is_coming_ = false;
    is_here_ = true;
    arrived_.notify_all();
  }
}

}  // namespace weft::process
