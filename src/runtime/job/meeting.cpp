// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/job/meeting.hpp"

#include <fmt/format.h>

#include "base/codec.hpp"
#include "runtime/libraries/executable.hpp"
#include "transport/injected_delay.hpp"
#include "transport/ucx/outlive_exit.hpp"

namespace weft {
namespace {

// What each node tells the others.
struct Introduction {
  std::vector<std::string> fingerprint;
  Bytes address;
  WEFT_FIELDS(self.fingerprint, self.address)
};

// One of the option's choices (runtime/options/options.cpp).
UcxNetwork network_named(const std::string& name) {
  if (name == "shm") return UcxNetwork::kSharedMemory;
  return name == "tcp" ? UcxNetwork::kTcp : UcxNetwork::kAutomatic;
}

}  // namespace

Result<std::unique_ptr<Transport>> meet_other_nodes(Bootstrap& bootstrap,
                                                    const NodeOptions& options,
                                                    const std::vector<std::string>& foreign_data,
                                                    PeerFailureHandler on_peer_failure) {
  // Before UCX loads its own libraries: these are the program's.
  Introduction mine{.fingerprint = program_fingerprint(), .address = {}};
  mine.fingerprint.insert(mine.fingerprint.end(), foreign_data.begin(), foreign_data.end());
  UcxOptions ucx;
  ucx.library.network = network_named(options.transport);
  ucx.self = bootstrap.self();
  ucx.on_peer_failure = std::move(on_peer_failure);
  Result<std::unique_ptr<UcxTransport>> transport = UcxTransport::create(std::move(ucx));
  if (!transport) return Failure{transport.error()};
  let_ucx_outlive_exit();
  mine.address = transport.value()->address();

  const Result<std::vector<Bytes>> all = bootstrap.exchange(to_bytes(mine));
  if (!all) return Failure{all.error()};
  std::vector<Bytes> addresses;
  for (std::size_t node = 0; node < all.value().size(); ++node) {
    auto theirs = value_of<Introduction>(all.value()[node]);
    const std::string difference = fingerprint_difference(mine.fingerprint, theirs.fingerprint);
    if (!difference.empty()) {
      return Failure{fmt::format(
          "nodes {} and {} do not run the same program at the same addresses: {}. Every node needs "
          "the same executable and libraries",
          bootstrap.self().value(), node, difference)};
    }
    addresses.push_back(std::move(theirs.address));
  }
  transport.value()->connect(std::move(addresses));
  std::unique_ptr<Transport> connected = std::move(transport.value());
  if (options.latency_us == 0 && options.bandwidth == 0 && options.jitter_us == 0) return connected;
  const InjectedDelayOptions delay{.latency_us = options.latency_us,
                                   .bytes_per_second = options.bandwidth,
                                   .jitter_us = options.jitter_us,
                                   .seed = options.jitter_seed * 1024 + bootstrap.self().value()};
  return std::unique_ptr<Transport>(std::make_unique<InjectedDelay>(std::move(connected), delay));
}

}  // namespace weft
