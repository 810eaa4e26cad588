// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/testing/transport_kinds.hpp"

#include <utility>

#include "transport/injected_delay.hpp"
#include "transport/routed/routed_transport.hpp"
#include "transport/stream/stream_transport.hpp"
#include "transport/testing/test_messages.hpp"
#include "transport/ucx/ucx_transport.hpp"

namespace weft {

const char* name_of(TransportKind kind) {
  switch (kind) {
    case TransportKind::kInMemory:
      return "InMemory";
    case TransportKind::kUcxSharedMemory:
      return "UcxSharedMemory";
    case TransportKind::kUcxTcp:
      return "UcxTcp";
    case TransportKind::kUcxDelayed:
      return "UcxDelayed";
    case TransportKind::kTls:
      return "Tls";
    case TransportKind::kPlainStream:
      return "PlainStream";
    case TransportKind::kRouted:
      return "Routed";
  }
  return "";
}

TransportNodes::TransportNodes(TransportKind kind, std::size_t count, const FlowOptions& options) {
  switch (kind) {
    case TransportKind::kInMemory:
      hub_ = std::make_unique<InMemoryHub>(count, options);
      return;
    case TransportKind::kTls:
    case TransportKind::kPlainStream:
      make_streams(kind == TransportKind::kTls, count, options);
      return;
    case TransportKind::kRouted: {
      make_ucx(TransportKind::kUcxSharedMemory, count, options);
      auto near = std::exchange(others_, {});
      make_streams(true, count, options);
      route(std::move(near));
      return;
    }
    default:
      make_ucx(kind, count, options);
  }
}

Transport& TransportNodes::operator[](std::size_t index) {
  if (hub_) return hub_->transport(node(index));
  return *others_[index];
}

void TransportNodes::make_ucx(TransportKind kind, std::size_t count, const FlowOptions& options) {
  std::vector<std::unique_ptr<UcxTransport>> made_transports;
  std::vector<Bytes> addresses;
  for (std::size_t each = 0; each < count; ++each) {
    UcxOptions ucx;
    ucx.library.network =
        kind == TransportKind::kUcxTcp ? UcxNetwork::kTcp : UcxNetwork::kSharedMemory;
    ucx.flow = options;
    ucx.self = node(each);
    auto made = UcxTransport::create(ucx);
    made_transports.push_back(std::move(made.value()));
    addresses.push_back(made_transports.back()->address());
  }
  for (const auto& each : made_transports) each->connect(addresses);
  for (auto& each : made_transports) {
    if (kind != TransportKind::kUcxDelayed) {
      others_.push_back(std::move(each));
      continue;
    }
    const InjectedDelayOptions delay{.latency_us = 300, .jitter_us = 100, .seed = others_.size()};
    others_.push_back(std::make_unique<InjectedDelay>(std::move(each), delay));
  }
}

void TransportNodes::make_streams(bool encrypted, std::size_t count, const FlowOptions& options) {
  const JobKey key{random_digest().value()};
  std::vector<std::unique_ptr<StreamTransport>> streams;
  std::vector<Bytes> addresses;
  for (std::size_t each = 0; each < count; ++each) {
    StreamOptions stream;
    stream.self = node(each);
    stream.flow = options;
    stream.address = StreamAddress::of_text("127.0.0.1").value();
    stream.encrypted = encrypted;
    streams.push_back(std::move(StreamTransport::create(std::move(stream)).value()));
    addresses.push_back(streams.back()->address());
  }
  for (auto& each : streams) {
    const Status connected = each->connect(addresses, key);
    WEFT_ASSERT(connected.ok(), "{}", connected.error());
    others_.push_back(std::move(each));
  }
}

void TransportNodes::route(std::vector<std::unique_ptr<Transport>> near) {
  // Nodes 0 and 1 are on one host, 2 and 3 on the next, and so on; but of two, each has its own.
  const std::size_t count = near.size();
  for (std::size_t each = 0; each < count; ++each) {
    std::vector<bool> is_near(count);
    for (std::size_t peer = 0; peer < count; ++peer) {
      is_near[peer] = count > 2 && peer / 2 == each / 2;
    }
    others_[each] = std::make_unique<RoutedTransport>(std::move(near[each]),
                                                      std::move(others_[each]), std::move(is_near));
  }
}

}  // namespace weft
