// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/ucx/ucx_transport.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/assert.hpp"
#include "base/codec.hpp"
#include "base/threads/own_calls.hpp"

namespace weft {
namespace {

constexpr unsigned kActiveMessageId = 1;
// Frames up to this size are copied into one piece: UCX has a faster way for those.
constexpr std::size_t kCopyBytes = 1024;
// Progress is made at most so often in one poll(), so that a flood of messages cannot hold it.
constexpr int kProgressPerPoll = 64;

void watch(int epoll, int operation, int descriptor, std::uint32_t events) {
  epoll_event event = {};
  event.events = events;
  WEFT_ASSERT(epoll_ctl(epoll, operation, descriptor, &event) == 0, "errno {}", errno);
}

// A node's address is its workers' addresses.
using WorkerAddresses = std::vector<Bytes>;

}  // namespace

// One frame in UCX's hands: everything that it reads stays here until it is done.
struct UcxTransport::Sending {
  UcxTransport* owner = nullptr;
  FrameHeader header;
  std::vector<ucp_dt_iov_t> pieces;
  std::shared_ptr<const OutgoingMessage> message;
  std::byte copy[kCopyBytes];
};

struct UcxTransport::Peer {
  Peer(UcxTransport& transport, NodeId peer_node)
      : owner(transport),
        node(peer_node),
        flow(transport.options_.self, peer_node, transport.options_.flow, transport.counters_) {}

  UcxTransport& owner;
  NodeId node;
  Flow flow;
  Bytes addresses[kWays];
  ucp_ep_h endpoints[kWays] = {};
  bool failed = false;
  bool ready = false;  // is in ready_
};

Result<std::unique_ptr<UcxTransport>> UcxTransport::create(UcxOptions options) {
  auto loud = UcxLibrary::create(options.library);
  if (!loud) return Failure{loud.error()};
  UcxLibraryOptions small = options.library;
  small.small = true;
  auto quiet = UcxLibrary::create(small);
  if (!quiet) return Failure{quiet.error()};
  std::unique_ptr<UcxTransport> transport(
      new UcxTransport(std::move(loud.value()), std::move(quiet.value()), std::move(options)));
  for (std::size_t way = 0; way < kWays; ++way) {
    if (!transport->install_handler(way)) return Failure{"UCX cannot receive active messages"};
  }
  return transport;
}

UcxTransport::UcxTransport(std::unique_ptr<UcxLibrary> loud, std::unique_ptr<UcxLibrary> quiet,
                           UcxOptions options)
    : libraries_{std::move(loud), std::move(quiet)},
      options_(std::move(options)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  WEFT_ASSERT(epoll_ >= 0, "errno {}", errno);
  watch(epoll_, EPOLL_CTL_ADD, libraries_[kLoud]->event_descriptor(), EPOLLIN);
  watch(epoll_, EPOLL_CTL_ADD, libraries_[kQuiet]->event_descriptor(), 0);
}

UcxTransport::~UcxTransport() {
  close(100);
  ::close(epoll_);
}

bool UcxTransport::install_handler(std::size_t way) {
  ucp_am_handler_param_t parameters = {};
  parameters.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                          UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  parameters.id = kActiveMessageId;
  parameters.flags = UCP_AM_FLAG_WHOLE_MSG;
  parameters.cb = &UcxTransport::on_active_message;
  parameters.arg = this;
  return ucp_worker_set_am_recv_handler(worker(way), &parameters) == UCS_OK;
}

Bytes UcxTransport::address() const {
  WorkerAddresses all;
  for (std::size_t way = 0; way < kWays; ++way) {
    ucp_address_t* raw = nullptr;
    std::size_t bytes = 0;
    const ucs_status_t status = ucp_worker_get_address(worker(way), &raw, &bytes);
    WEFT_ASSERT(status == UCS_OK, "{}", ucs_status_string(status));
    const auto* first = reinterpret_cast<const std::byte*>(raw);
    all.emplace_back(first, first + bytes);
    ucp_worker_release_address(worker(way), raw);
  }
  return to_bytes(all);
}

void UcxTransport::connect(std::vector<Bytes> addresses) {
  WEFT_ASSERT(peers_.empty() && addresses.size() <= kMaxNodes);
  peers_.resize(addresses.size());
  for (NodeId node; node.value() < addresses.size(); ++node) {
    if (node == options_.self) continue;
    peers_[node.value()] = std::make_unique<Peer>(*this, node);
    WorkerAddresses all;
    const bool is_good = from_bytes(addresses[node.value()], all) && all.size() == kWays;
    WEFT_ASSERT(is_good, "node {} has an address of {} bytes", node.value(),
                addresses[node.value()].size());
    std::ranges::move(all, peers_[node.value()]->addresses);
  }
}

UcxTransport::Peer& UcxTransport::peer(NodeId node) {
  WEFT_ASSERT(node.value() < peers_.size() && peers_[node.value()] != nullptr,
              "node {} is no peer of node {}", node.value(), options_.self.value());
  return *peers_[node.value()];
}

void UcxTransport::send(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) {
  Peer& target = peer(to);
  if (target.failed || closed_) return;
  target.flow.enqueue(channel, std::move(segments), loudness);
  pump(target);
}

void UcxTransport::pump(Peer& target) {
  while (!target.failed) {
    std::optional<Frame> frame = target.flow.next_frame();
    if (!frame) return;
    hand_over(target, *std::move(frame));
  }
}

void UcxTransport::mark_ready(Peer& target) {
  if (std::exchange(target.ready, true)) return;
  ready_.push_back(&target);
}

void UcxTransport::pump_ready() {
  while (!ready_.empty()) {
    Peer* const next = ready_.back();
    ready_.pop_back();
    next->ready = false;
    pump(*next);
  }
}

bool UcxTransport::ensure_endpoint(Peer& target, std::size_t way) {
  ucp_ep_h& endpoint = target.endpoints[way];
  if (endpoint != nullptr) return true;
  ucp_ep_params_t parameters = {};
  parameters.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                          UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.address = reinterpret_cast<const ucp_address_t*>(target.addresses[way].data());
  parameters.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  parameters.err_handler.cb = &UcxTransport::on_endpoint_error;
  parameters.err_handler.arg = &target;
  const ucs_status_t status = ucp_ep_create(worker(way), &parameters, &endpoint);
  if (status == UCS_OK) return true;
  endpoint = nullptr;
  fail(target, ucs_status_string(status));
  return false;
}

UcxTransport::Sending* UcxTransport::take_record() {
  if (free_records_.empty()) {
    records_.push_back(std::make_unique<Sending>());
    records_.back()->owner = this;
    free_records_.push_back(records_.back().get());
  }
  Sending* const record = free_records_.back();
  free_records_.pop_back();
  ++in_flight_;
  return record;
}

void UcxTransport::recycle(Sending* sending) {
  sending->message.reset();
  --in_flight_;
  free_records_.push_back(sending);
}

void UcxTransport::hand_over(Peer& target, Frame frame) {
  const std::size_t way = frame.loudness == Loudness::kQuiet ? kQuiet : kLoud;
  const OwnCalls open_files;
  if (!ensure_endpoint(target, way)) return;
  Sending* const sending = take_record();
  sending->header = frame.header;
  sending->message = std::move(frame.message);

  ucp_request_param_t parameters = {};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                            UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_DATATYPE;
  parameters.cb.send = &UcxTransport::on_sent;
  parameters.user_data = sending;
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  parameters.datatype = ucp_dt_make_contig(1);
  const void* buffer = nullptr;
  std::size_t count = frame.bytes;
  if (frame.pieces.size() == 1) {
    buffer = frame.pieces[0].data();
  } else if (frame.bytes <= kCopyBytes) {
    std::byte* next = sending->copy;
    for (const ByteView piece : frame.pieces) next = std::copy(piece.begin(), piece.end(), next);
    buffer = sending->copy;
  } else {
    sending->pieces.clear();
    for (const ByteView piece : frame.pieces) {
      sending->pieces.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
    }
    buffer = sending->pieces.data();
    count = sending->pieces.size();
    parameters.datatype = ucp_dt_make_iov();
  }
  const ucs_status_ptr_t request =
      ucp_am_send_nbx(target.endpoints[way], kActiveMessageId, &sending->header,
                      sizeof sending->header, buffer, count, &parameters);
  if (UCS_PTR_IS_PTR(request)) return;
  recycle(sending);
  if (UCS_PTR_IS_ERR(request)) fail(target, ucs_status_string(UCS_PTR_STATUS(request)));
}

// A failed send is not reported here: the endpoint's error handler says so once for all of them.
void UcxTransport::on_sent(void* request, ucs_status_t, void* sending) {
  auto* const record = static_cast<Sending*>(sending);
  record->owner->recycle(record);
  ucp_request_free(request);
}

ucs_status_t UcxTransport::on_active_message(void* self, const void* header,
                                             std::size_t header_bytes, void* data,
                                             std::size_t bytes,
                                             const ucp_am_recv_param_t* parameters) {
  auto* const transport = static_cast<UcxTransport*>(self);
  WEFT_ASSERT(header_bytes == sizeof(FrameHeader), "{} bytes", header_bytes);
  WEFT_ASSERT((parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0,
              "a frame of {} bytes came by rendezvous", bytes);
  FrameHeader frame;
  std::memcpy(&frame, header, sizeof frame);
  // Progress is made elsewhere than in poll() only while closing, when nobody listens any more.
  if (transport->receiver_ == nullptr) return UCS_OK;
  Peer& from = transport->peer(frame.from);
  const ByteView payload(static_cast<const std::byte*>(data), bytes);
  transport->handed_over_ += from.flow.on_frame(frame, payload, *transport->receiver_);
  if (transport->has_early_ || from.flow.has_early())
    transport->has_early_ = transport->any_early();
  if (from.flow.has_frame()) transport->mark_ready(from);
  return UCS_OK;
}

// A look at a network costs a system call. Who waits for a message that is here is not to wait for
// a look that finds nothing more.
std::size_t UcxTransport::poll(const Receiver& receiver, ArmedFor what) {
  WEFT_ASSERT(receiver_ == nullptr, "poll() was called by a receiver");
  receiver_ = &receiver;
  handed_over_ = 0;
  const bool is_due = quiet_looks_.next(what, has_early_);
  for (int turn = 0; turn < kProgressPerPoll && handed_over_ == 0; ++turn) {
    if (!progress(is_due || has_early_ || in_flight_ > 0)) break;
    pump_ready();
  }
  receiver_ = nullptr;
  return handed_over_;
}

// Quiet frames first: they were sent before loud ones that are here.
bool UcxTransport::progress(bool of_both) {
  const OwnCalls open_files;
  const unsigned of_quiet = of_both ? progress_of(kQuiet) : 0;
  return progress_of(kLoud) + of_quiet > 0;
}

unsigned UcxTransport::progress_of(std::size_t way) {
  ++counters_.looks[way];
  return ucp_worker_progress(worker(way));
}

bool UcxTransport::any_early() const {
  return std::ranges::any_of(peers_, [](const std::unique_ptr<Peer>& each) {
    return each != nullptr && each->flow.has_early();
  });
}

bool UcxTransport::arm(ArmedFor what) {
  if (!ready_.empty()) return false;
  const bool for_all = what == ArmedFor::kAll || has_early_;
  if (for_all && ucp_worker_arm(worker(kQuiet)) != UCS_OK) return false;
  watch_quiet(for_all);
  return ucp_worker_arm(worker(kLoud)) == UCS_OK;
}

// What has come while it was armed stays in its descriptor until it is armed again.
void UcxTransport::watch_quiet(bool watched) {
  if (std::exchange(watches_quiet_, watched) == watched) return;
  watch(epoll_, EPOLL_CTL_MOD, libraries_[kQuiet]->event_descriptor(), watched ? EPOLLIN : 0);
}

bool UcxTransport::drained() const {
  if (in_flight_ != 0) return false;
  return std::all_of(peers_.begin(), peers_.end(), [](const std::unique_ptr<Peer>& each) {
    return each == nullptr || each->failed || each->flow.drained();
  });
}

void UcxTransport::on_endpoint_error(void* peer, ucp_ep_h, ucs_status_t status) {
  auto* const target = static_cast<Peer*>(peer);
  target->owner.fail(*target, ucs_status_string(status));
}

void UcxTransport::fail(Peer& target, const std::string& reason) {
  if (std::exchange(target.failed, true)) return;
  if (!closed_ && options_.on_peer_failure) options_.on_peer_failure(target.node, reason);
}

void UcxTransport::flush(std::chrono::steady_clock::time_point deadline) {
  const Receiver nobody = [](NodeId, ByteView) {};
  while (!drained() && std::chrono::steady_clock::now() < deadline) poll(nobody);
  for (std::size_t way = 0; way < kWays; ++way) flush_worker(way, deadline);
}

// Frames may still be in buffers of UCX's own, which closing by force would drop.
void UcxTransport::flush_worker(std::size_t way, std::chrono::steady_clock::time_point deadline) {
  const ucp_request_param_t parameters = {};
  const ucs_status_ptr_t request = ucp_worker_flush_nbx(worker(way), &parameters);
  if (!UCS_PTR_IS_PTR(request)) return;
  while (ucp_request_check_status(request) == UCS_INPROGRESS &&
         std::chrono::steady_clock::now() < deadline) {
    progress(true);
  }
  ucp_request_free(request);
}

void UcxTransport::close_endpoint(Peer& target, std::size_t way) {
  ucp_ep_h const endpoint = std::exchange(target.endpoints[way], nullptr);
  if (endpoint == nullptr) return;
  ucp_request_param_t parameters = {};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  parameters.flags = UCP_EP_CLOSE_FLAG_FORCE;
  const ucs_status_ptr_t request = ucp_ep_close_nbx(endpoint, &parameters);
  if (!UCS_PTR_IS_PTR(request)) return;
  // Closing by force completes by the worker's own progress, without the peer's help.
  while (ucp_request_check_status(request) == UCS_INPROGRESS) progress(true);
  ucp_request_free(request);
}

void UcxTransport::close(unsigned timeout_ms) {
  if (closed_) return;
  flush(std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms));
  closed_ = true;
  for (const std::unique_ptr<Peer>& each : peers_) {
    for (std::size_t way = 0; each != nullptr && way < kWays; ++way) close_endpoint(*each, way);
  }
}

}  // namespace weft
