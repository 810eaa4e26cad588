// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WEFT_CHECK=protocol: at barriers, what each node holds of a page is compared with what the page's
// home holds; the first difference ends the job with a sentence.
//
//   all nodes      leave a barrier, none of their threads goes on: at_rest()
//   node 0         asks all nodes until each is at rest and no message is on its way: as many
//                  messages of the protocol were received as sent, twice in a row
//                  asks each node for its copies' hashes, and their homes for theirs; compares
//                  lets all go
//
// What is compared of a copy is its twin, what the node and the home last agreed on: a copy may
// hold writes of its own that were not released yet. Nothing is compared while there are threads
// outside the team. Rejected: to compare within the engine. It would have to be quiet for that, and
// would be another engine then.
//
// The questions are no messages of the protocol, and are answered at once, by whoever drives the
// node. Node 0 alone asks, one question at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "runtime/checks/check_messages.hpp"
#include "runtime/checks/noted_memory.hpp"

namespace weft {

class ProtocolCheck {
 public:
  // What a check needs of its node. `send`, `state`, `home_of` and `memory` are used under the
  // node's lock, which `locked` takes.
  using State = check_messages::State;
  struct Host {
    NodeId self;
    unsigned node_count = 1;
    std::function<void(const std::function<void()>&)> locked;
    std::function<void(NodeId to, Bytes message)> send;
    std::function<void(const std::atomic<std::uint32_t>& word, std::uint32_t value)> wait_while;
    std::function<State()> state;
    std::function<NodeId(PageIndex)> home_of;
    std::function<std::string(PageIndex, std::size_t byte)> place_name;
    std::function<void(const std::string&)> fail;  // does not return
  };
  ProtocolCheck(Host host, NotedMemory& memory) : host_(std::move(host)), memory_(memory) {}

  // Every node calls it, at the same places. Returns when all nodes are found equal.
  void at_rest();
  // Under the lock.
  void on_message(NodeId from, ByteView message);

 private:
  enum class Question : std::uint8_t { kState, kCopies, kHashes, kDetail, kGo, kAnswer };
  using Copy = check_messages::Copy;
  using RoundState = check_messages::RoundState;
  using Copies = check_messages::Copies;
  using Detail = check_messages::Detail;
  static constexpr std::size_t kCopiesAtOnce = 1024;

  // --- node 0 ---
  [[nodiscard]] Bytes ask(NodeId node, Question question, Bytes body = {});
  // False: there are threads that are not at rest.
  [[nodiscard]] bool wait_until_quiet();
  void compare(NodeId node);
  void compare(NodeId node, const std::vector<Copy>& copies);
  [[noreturn]] void complain(NodeId node, const Copy& copy);
  // --- all nodes ---
  [[nodiscard]] Bytes answer(Question question, ByteView body);
  [[nodiscard]] Copies copies(PageIndex from) const;
  [[nodiscard]] std::vector<std::uint64_t> hashes(const std::vector<PageIndex>& pages) const;
  [[nodiscard]] Detail detail(PageIndex page) const;
  [[nodiscard]] ByteView agreed_contents(PageIndex page) const;

  Host host_;
  NotedMemory& memory_;
  std::atomic<std::uint32_t> round_{0};     // in which this node is, or was last
  std::atomic<std::uint32_t> released_{0};  // the last round that node 0 has ended
  std::atomic<std::uint32_t> answers_{0};
  Bytes answer_;  // the last
};

}  // namespace weft
