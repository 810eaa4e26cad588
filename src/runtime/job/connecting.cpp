// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/job/connecting.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include "libc/ownership/kept_descriptors.hpp"
#include "runtime/bootstrap/this_host.hpp"
#include "transport/routed/routed_transport.hpp"
#include "transport/ucx/interposed.hpp"
#include "transport/ucx/outlive_exit.hpp"

namespace weft {
namespace {

// The number of a namespace of this process.
std::uint64_t namespace_number(const char* kind) {
  struct stat status = {};
  return stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &status) == 0 ? status.st_ino : 0;
}

// Equal for processes that UCX can connect by shared memory: it opens the other's memory by its
// process number, and wakes it by a socket of the network namespace. Names of hosts may be equal by
// mistake, so the kernel's own identity is in it as well.
std::string identity_of_host() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return fmt::format("{} {} {} {}", host_name(), boot, namespace_number("pid"),
                     namespace_number("net"));
}

bool uses_ucx(const NodeOptions& options, bool one_host) {
  return one_host || options.transport != "tcp";
}
bool uses_streams(const NodeOptions& options, bool one_host) {
  return !one_host && (options.transport == "auto" || options.transport == "tcp");
}

// A year is as good as for ever, and can be counted in any unit.
std::chrono::seconds silence_limit(const NodeOptions& options) {
  constexpr std::uint64_t kYear = 31'536'000;
  return std::chrono::seconds(std::min(options.lost_after, kYear));
}

// What UCX may use.
UcxLibraryOptions library_for(const Bootstrap& bootstrap, const NodeOptions& options) {
  const bool one_host = bootstrap.is_on_one_host();
  UcxLibraryOptions library;
  library.network = UcxNetwork::kSharedMemory;
  library.silence_limit = silence_limit(options);
  if (one_host && options.transport == "tcp") {
    library.network = UcxNetwork::kTcp;
    library.net_devices = "lo";
  } else if (!one_host && options.transport == "ucx") {
    library.network = UcxNetwork::kAutomatic;
    library.net_devices = bootstrap.net_devices();
    library.by_version_six = bootstrap.net_address().find(':') != std::string::npos;
  }
  return library;
}

Result<StreamAddress> own_address(const Bootstrap& bootstrap) {
  const std::string chosen = bootstrap.net_address();
  return chosen.empty() ? StreamAddress::of_interfaces(bootstrap.net_devices())
                        : StreamAddress::of_text(chosen);
}

}  // namespace

Result<Connecting> Connecting::begin(const Bootstrap& bootstrap, const NodeOptions& options,
                                     const PeerFailureHandler& on_peer_failure) {
  const bool one_host = bootstrap.is_on_one_host();
  if (!one_host && options.transport == "shm") {
    return Failure{
        "--transport shm connects the nodes of one host alone, and this job has several"};
  }
  Connecting connecting;
  connecting.mine_.host = identity_of_host();
  if (uses_ucx(options, one_host)) {
    const Status made =
        connecting.make_ucx(library_for(bootstrap, options), bootstrap.self(), on_peer_failure);
    if (!made) return made.failure();
  }
  if (uses_streams(options, one_host)) {
    const Status made = connecting.make_stream(bootstrap, options, on_peer_failure);
    if (!made) return made.failure();
  }
  return connecting;
}

Status Connecting::make_ucx(const UcxLibraryOptions& library, NodeId self,
                            const PeerFailureHandler& on_peer_failure) {
  UcxOptions options;
  options.library = library;
  options.self = self;
  options.on_peer_failure = on_peer_failure;
  auto made = UcxTransport::create(std::move(options));
  if (!made) return Failure{made.error()};
  ucx_ = std::move(made.value());
  let_ucx_outlive_exit();
  keep_descriptors_of_ucx(libc::keep_descriptor);
  mine_.ucx_address = ucx_->address();
  return {};
}

Status Connecting::make_stream(const Bootstrap& bootstrap, const NodeOptions& chosen,
                               const PeerFailureHandler& on_peer_failure) {
  const auto address = own_address(bootstrap);
  if (!address) return Failure{address.error()};
  StreamOptions options;
  options.self = bootstrap.self();
  options.address = address.value();
  options.encrypted = chosen.encrypt == "on";
  options.silence_limit = silence_limit(chosen);
  options.on_peer_failure = on_peer_failure;
  options.on_new_socket = libc::keep_descriptor;
  auto made = StreamTransport::create(std::move(options));
  if (!made) return Failure{made.error()};
  stream_ = std::move(made.value());
  mine_.stream_address = stream_->address();
  if (bootstrap.self() != NodeId(0)) return {};
  const Result<Digest> key = random_digest();
  if (!key) return Failure{key.error()};
  mine_.key.assign(key.value().begin(), key.value().end());
  return {};
}

Result<std::unique_ptr<Transport>> Connecting::end(std::vector<Reach> all) && {
  std::vector<Bytes> by_ucx;
  for (const Reach& each : all) by_ucx.push_back(each.ucx_address);
  if (ucx_) ucx_->connect(std::move(by_ucx));
  if (!stream_) return std::unique_ptr<Transport>(std::move(ucx_));

  JobKey key;
  if (all.front().key.size() != key.bytes.size()) return Failure{"node 0 has made no key"};
  std::ranges::copy(all.front().key, key.bytes.begin());
  std::vector<bool> is_near;
  std::vector<Bytes> by_stream;
  for (const Reach& each : all) {
    is_near.push_back(ucx_ != nullptr && each.host == mine_.host);
    by_stream.push_back(is_near.back() ? Bytes() : each.stream_address);
  }
  const Status connected = stream_->connect(by_stream, key);
  if (!connected) return connected.failure();
  const bool is_alone = std::ranges::count(is_near, true) <= 1;  // itself
  if (is_alone) return std::unique_ptr<Transport>(std::move(stream_));
  return std::unique_ptr<Transport>(
      std::make_unique<RoutedTransport>(std::move(ucx_), std::move(stream_), std::move(is_near)));
}

}  // namespace weft
