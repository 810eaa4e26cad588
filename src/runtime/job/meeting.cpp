// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/job/meeting.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/codec.hpp"
#include "runtime/bootstrap/this_host.hpp"
#include "runtime/job/connecting.hpp"
#include "runtime/job/introduction.hpp"
#include "runtime/libraries/executable.hpp"
#include "transport/injected_delay.hpp"

namespace weft {
namespace {

bool is_delayed(const NodeOptions& options) {
  return options.latency_us != 0 || options.bandwidth != 0 || options.jitter_us != 0;
}

// Where the user wants another network than the host's memory, or a slower one, pages go that way.
bool shares_memory(const NodeOptions& options) {
  return options.transport != "tcp" && !is_delayed(options);
}

}  // namespace

Result<std::unique_ptr<Transport>> meet_other_nodes(Bootstrap& bootstrap,
                                                    const NodeOptions& options,
                                                    std::vector<std::string> fingerprint,
                                                    HostMemory& exposed,
                                                    const PeerFailureHandler& on_peer_failure) {
  Introduction mine{.fingerprint = std::move(fingerprint),
                    .host = host_name(),
                    .reach = {},
                    .memory = exposed.place()};
  Result<Connecting> connecting = Connecting::begin(bootstrap, options, on_peer_failure);
  if (!connecting) return Failure{connecting.error()};
  mine.reach = connecting.value().mine();

  const Result<std::vector<Bytes>> all = bootstrap.exchange(to_bytes(mine));
  if (!all) return Failure{all.error()};
  std::vector<Reach> reaches;
  std::vector<HostMemoryPlace> memories;
  for (NodeId node; node.value() < all.value().size(); ++node) {
    Introduction theirs;
    if (!from_bytes(all.value()[node.value()], theirs)) {
      return Failure{fmt::format("it cannot read how node {} introduces itself", node.value())};
    }
    const std::string difference = fingerprint_difference(mine.fingerprint, theirs.fingerprint);
    if (!difference.empty()) {
      const std::string hosts =
          mine.host == theirs.host ? "" : fmt::format(" (hosts {} and {})", mine.host, theirs.host);
      return Failure{
          fmt::format("nodes {} and {} do not run the same program at the same addresses{}: {}. "
                      "Every node needs "
                      "the same executable and libraries",
                      bootstrap.self().value(), node.value(), hosts, difference)};
    }
    reaches.push_back(std::move(theirs.reach));
    memories.push_back(std::move(theirs.memory));
  }
  if (shares_memory(options)) exposed.meet(memories);
  auto transport = std::move(connecting.value()).end(std::move(reaches));
  if (!transport) return transport;
  std::unique_ptr<Transport> connected = std::move(transport.value());
  if (!is_delayed(options)) return connected;
  const InjectedDelayOptions delay{.latency_us = options.latency_us,
                                   .bytes_per_second = options.bandwidth,
                                   .jitter_us = options.jitter_us,
                                   .seed = options.jitter_seed * 1024 + bootstrap.self().value()};
  return std::unique_ptr<Transport>(std::make_unique<InjectedDelay>(std::move(connected), delay));
}

}  // namespace weft
