// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/services.hpp"

#include "base/peers/sender.hpp"
#include "runtime/driver/service_messages.hpp"

namespace weft {

std::vector<Services::FromNode> Services::serve(Service service, Node::ServiceHandler handler) {
  handlers_[static_cast<int>(service)] = std::move(handler);
  return std::exchange(early_requests_, {});
}

std::optional<Bytes> Services::handle(NodeId from, ByteView request) {
  const auto [service, wait, body] = value_of<ServiceRequest>(request);
  if (service >= Service::kCount) fail_unreadable("a request for no service", request.size());
  const Node::ServiceHandler& handler = handlers_[static_cast<int>(service)];
  if (!handler) {
    early_requests_.emplace_back(from, Bytes(request.begin(), request.end()));
    return std::nullopt;
  }
  handler_thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  const Bytes reply = handler(from, body);
  handler_thread_.store({}, std::memory_order_relaxed);
  if (wait == 0) return std::nullopt;
  return service_message(ServiceKind::kReply, ServiceReply{wait, reply});
}

Services::FromNode Services::take_post() {
  FromNode post = std::move(posts_.front());
  posts_.pop_front();
  return post;
}

}  // namespace weft
