// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other nodes ask of this one beside the protocol: the handlers, requests that came before
// their handler, and posts that wait until the engine is done with what it is at.
//
// All but is_handler_thread is called under the driver's lock.
#pragma once

#include <atomic>
#include <deque>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

class Services {
 public:
  using FromNode = std::pair<NodeId, Bytes>;

  // Returns the requests that came before any handler: the caller is to handle them again.
  [[nodiscard]] std::vector<FromNode> serve(Service service, Node::ServiceHandler handler);
  // Runs the handler of a request (ServiceRequest), or keeps the request for it. Returns the
  // message that answers the request, if its sender waits for one.
  [[nodiscard]] std::optional<Bytes> handle(NodeId from, ByteView request);

  // A post is handled later: its handler may post, and so enter the engine again.
  void add_post(NodeId from, ByteView post) {
    posts_.emplace_back(from, Bytes(post.begin(), post.end()));
  }
  [[nodiscard]] bool has_posts() const { return !posts_.empty(); }
  // The oldest one; there must be one.
  [[nodiscard]] FromNode take_post();

  // Whether the calling thread runs a handler, and so has the driver's lock.
  [[nodiscard]] bool is_handler_thread() const {
    return handler_thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

 private:
  Node::ServiceHandler handlers_[static_cast<int>(Service::kCount)];
  std::vector<FromNode> early_requests_;  // nodes do not start at the same moment
  std::deque<FromNode> posts_;            // delivered, not handled yet
  std::atomic<std::thread::id> handler_thread_;
};

}  // namespace weft
