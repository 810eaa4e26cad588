// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport of real jobs: frames (transport/flow.hpp) as UCX active messages. Connections are
// made at the first send to a peer. Messages to oneself are not carried.
//
// A worker is armed for all that it receives. So quiet frames go to a worker of their own, which is
// armed, and whose descriptor is watched, only when the node arms for all:
//
//   loud frames ───► worker ─────── descriptor ──┐
//   quiet frames ──► second worker ─ descriptor ─┴► event_descriptor()
//
// An armed worker cannot be disarmed: the first quiet frame after that costs its sender a system
// call in vain, and wakes nobody.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "transport/flow.hpp"
#include "transport/quiet_looks.hpp"
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

  using Transport::send;
  void send(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) override;
  using Transport::poll;
  std::size_t poll(const Receiver& receiver, ArmedFor what) override;
  [[nodiscard]] int event_descriptor() const override { return epoll_; }
  [[nodiscard]] bool arm(ArmedFor what) override;
  [[nodiscard]] bool needs_polling() const override { return in_flight_ != 0; }
  [[nodiscard]] bool drained() const override;
  [[nodiscard]] const TransportCounters& counters() const override { return counters_; }

 private:
  struct Peer;
  struct Sending;

  // By loudness: of each, a worker here and an endpoint for each peer.
  static constexpr std::size_t kWays = 2;
  static constexpr std::size_t kLoud = 0, kQuiet = 1;

  UcxTransport(std::unique_ptr<UcxLibrary> loud, std::unique_ptr<UcxLibrary> quiet,
               UcxOptions options);
  [[nodiscard]] bool install_handler(std::size_t way);
  [[nodiscard]] ucp_worker_h worker(std::size_t way) const { return libraries_[way]->worker(); }
  Peer& peer(NodeId node);
  // Hands every frame that may go to UCX.
  void pump(Peer& peer);
  void mark_ready(Peer& peer);
  void pump_ready();
  bool ensure_endpoint(Peer& peer, std::size_t way);
  // Progress of the loud worker, or of both; false: there was none.
  bool progress(bool of_both);
  unsigned progress_of(std::size_t way);
  [[nodiscard]] bool any_early() const;
  void watch_quiet(bool watched);
  void hand_over(Peer& peer, Frame frame);
  [[nodiscard]] Sending* take_record();
  void recycle(Sending* sending);
  void fail(Peer& peer, const std::string& reason);
  void flush(std::chrono::steady_clock::time_point deadline);
  void flush_worker(std::size_t way, std::chrono::steady_clock::time_point deadline);
  void close_endpoint(Peer& peer, std::size_t way);

  static ucs_status_t on_active_message(void* self, const void* header, std::size_t header_bytes,
                                        void* data, std::size_t bytes,
                                        const ucp_am_recv_param_t* parameters);
  static void on_sent(void* request, ucs_status_t status, void* sending);
  static void on_endpoint_error(void* peer, ucp_ep_h endpoint, ucs_status_t status);

  std::unique_ptr<UcxLibrary> libraries_[kWays];
  UcxOptions options_;
  int epoll_ = -1;  // watches the workers' descriptors
  bool watches_quiet_ = false;
  TransportCounters counters_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by node; null for this one
  std::vector<Peer*> ready_;                  // those whose flow may have frames to go
  std::vector<std::unique_ptr<Sending>> records_;
  std::vector<Sending*> free_records_;
  std::size_t in_flight_ = 0;  // frames that UCX still reads from
  const Receiver* receiver_ = nullptr;
  std::size_t handed_over_ = 0;
  QuietLooks quiet_looks_;
  bool has_early_ = false;  // frames are here that others before them are not
  bool closed_ = false;
};

}  // namespace weft
