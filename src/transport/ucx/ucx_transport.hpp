// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport of real jobs: frames (transport/flow.hpp) as UCX active messages. Connections are
// made at the first send to a peer. Messages to oneself are not carried.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "transport/flow.hpp"
#include "transport/transport.hpp"
#include "transport/ucx/ucx_library.hpp"

namespace weft {

struct UcxOptions {
  UcxLibraryOptions library;
  FlowOptions flow;
  NodeId self;
  PeerFailureHandler on_peer_failure;  // may be empty: failures are then only counted
};

class UcxTransport final : public Transport {
 public:
  static Result<std::unique_ptr<UcxTransport>> create(UcxOptions options);
  ~UcxTransport() override;

  // What the other nodes need to reach this one.
  [[nodiscard]] Bytes address() const;
  // Gives every node's address, by node number; once, before the first send or poll.
  void connect(std::vector<Bytes> addresses);
  // Sends what is queued (for at most the given time), then takes all connections down. Called by
  // the destructor, with a short time, if not before.
  void close(unsigned timeout_ms = 1000);

  void send(NodeId to, Channel channel, MessageSegments segments) override;
  std::size_t poll(const Receiver& receiver) override;
  [[nodiscard]] int event_descriptor() const override { return library_->event_descriptor(); }
  [[nodiscard]] bool arm() override;
  [[nodiscard]] bool needs_polling() const override { return in_flight_ != 0; }
  [[nodiscard]] bool drained() const override;
  [[nodiscard]] const TransportCounters& counters() const override { return counters_; }

 private:
  struct Peer;
  struct Sending;

  UcxTransport(std::unique_ptr<UcxLibrary> library, UcxOptions options);
  Result<ucp_address_t*> own_address(std::size_t& bytes) const;
  [[nodiscard]] bool install_handler();
  Peer& peer(NodeId node);
  // Hands every frame that may go to UCX.
  void pump(Peer& peer);
  void mark_ready(Peer& peer);
  void pump_ready();
  bool ensure_endpoint(Peer& peer);
  void hand_over(Peer& peer, Frame frame);
  [[nodiscard]] Sending* take_record();
  void recycle(Sending* sending);
  void fail(Peer& peer, const std::string& reason);
  void flush(std::chrono::steady_clock::time_point deadline);
  void close_endpoint(Peer& peer);

  static ucs_status_t on_active_message(void* self, const void* header, std::size_t header_bytes,
                                        void* data, std::size_t bytes,
                                        const ucp_am_recv_param_t* parameters);
  static void on_sent(void* request, ucs_status_t status, void* sending);
  static void on_endpoint_error(void* peer, ucp_ep_h endpoint, ucs_status_t status);

  std::unique_ptr<UcxLibrary> library_;
  UcxOptions options_;
  TransportCounters counters_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by node; null for this one
  std::vector<Peer*> ready_;                  // those whose flow may have frames to go
  std::vector<std::unique_ptr<Sending>> records_;
  std::vector<Sending*> free_records_;
  std::size_t in_flight_ = 0;  // frames that UCX still reads from
  const Receiver* receiver_ = nullptr;
  std::size_t handed_over_ = 0;
  bool closed_ = false;
};

}  // namespace weft
