// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/ucx/raw_ping_pong.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <thread>

#include "transport/ucx/pinned.hpp"

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kWarmUpRounds = 200;
constexpr std::size_t kMostInFlight = 64;
// With fewer processors than threads, spinning alone would measure the scheduler's time slice.
constexpr unsigned kSpinsBeforeYield = 1000;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One of the two workers, with its connection to the other.
class RawPeer {
 public:
  static Result<std::unique_ptr<RawPeer>> create(const UcxLibraryOptions& options) {
    auto library = UcxLibrary::create(options);
    if (!library) return Failure{library.error()};
    std::unique_ptr<RawPeer> peer(new RawPeer(std::move(library.value())));
    ucp_am_handler_param_t handler = {};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
    handler.id = 0;
    handler.flags = UCP_AM_FLAG_WHOLE_MSG;
    handler.cb = [](void* self, const void*, std::size_t, void* data, std::size_t bytes,
                    const ucp_am_recv_param_t*) {
      auto* const here = static_cast<RawPeer*>(self);
      if (!here->sink_.empty()) std::memcpy(here->sink_.data() + here->sunk_, data, bytes);
      here->sunk_ += bytes;
      ++here->received_;
      return UCS_OK;
    };
    handler.arg = peer.get();
    if (ucp_worker_set_am_recv_handler(peer->worker(), &handler) != UCS_OK) {
      return Failure{"UCX cannot receive active messages"};
    }
    return peer;
  }

  // Connections must be closed while both workers live: close() first at both, then destroy.
  void close() {
    if (endpoint_ == nullptr) return;
    ucp_request_param_t parameters = {};
    parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    parameters.flags = UCP_EP_CLOSE_FLAG_FORCE;
    finish(ucp_ep_close_nbx(endpoint_, &parameters));
    endpoint_ = nullptr;
  }

  [[nodiscard]] std::string connect(const RawPeer& other) {
    ucp_address_t* address = nullptr;
    std::size_t bytes = 0;
    ucs_status_t status = ucp_worker_get_address(other.worker(), &address, &bytes);
    if (status != UCS_OK) return ucs_status_string(status);
    ucp_ep_params_t parameters = {};
    parameters.field_mask =
        UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    parameters.address = address;
    parameters.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    status = ucp_ep_create(worker(), &parameters, &endpoint_);
    ucp_worker_release_address(other.worker(), address);
    return status == UCS_OK ? "" : ucs_status_string(status);
  }

  // Returns at once; finish() waits for what it returns.
  ucs_status_ptr_t send(std::span<const char> message) {
    ucp_request_param_t parameters = {};
    parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    parameters.flags = UCP_AM_SEND_FLAG_EAGER;
    return ucp_am_send_nbx(endpoint_, 0, nullptr, 0, message.data(), message.size(), &parameters);
  }

  void finish(ucs_status_ptr_t request) {
    if (!UCS_PTR_IS_PTR(request)) return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) progress();
    ucp_request_free(request);
  }

  void progress() {
    if (ucp_worker_progress(worker()) != 0) {
      spins_ = 0;
    } else if (++spins_ > kSpinsBeforeYield) {
      sched_yield();
    }
  }

  void wait_for(std::size_t messages) {
    while (received_ < messages) progress();
  }

  [[nodiscard]] std::size_t received() const { return received_; }
  // What arrives from now on is copied there, one message behind the other.
  void copy_to(std::span<char> sink) { sink_ = sink; }

 private:
  explicit RawPeer(std::unique_ptr<UcxLibrary> library) : library_(std::move(library)) {}
  [[nodiscard]] ucp_worker_h worker() const { return library_->worker(); }

  std::unique_ptr<UcxLibrary> library_;
  ucp_ep_h endpoint_ = nullptr;
  std::size_t received_ = 0, sunk_ = 0;
  std::span<char> sink_;
  unsigned spins_ = 0;
};

struct Pair {
  std::unique_ptr<RawPeer> here, there;
};

Result<Pair> make_pair_of_peers(const UcxLibraryOptions& options) {
  auto here = RawPeer::create(options);
  if (!here) return Failure{here.error()};
  auto there = RawPeer::create(options);
  if (!there) return Failure{there.error()};
  Pair pair{std::move(here.value()), std::move(there.value())};
  for (const std::string& error :
       {pair.here->connect(*pair.there), pair.there->connect(*pair.here)}) {
    if (!error.empty()) return Failure{"UCX cannot connect: " + error};
  }
  return pair;
}

}  // namespace

Result<std::vector<double>> raw_ping_pong(const UcxLibraryOptions& options,
                                          std::size_t message_bytes, unsigned rounds) {
  auto pair = make_pair_of_peers(options);
  if (!pair) return Failure{pair.error()};
  RawPeer& here = *pair.value().here;
  RawPeer& there = *pair.value().there;
  const std::vector<char> message(message_bytes);
  const std::size_t all = rounds + kWarmUpRounds;
  std::atomic<bool> done = false;
  std::thread echo([&] {
    const Pinned pinned(1);
    for (std::size_t round = 1; round <= all; ++round) {
      there.wait_for(round);
      there.finish(there.send(message));
    }
    while (!done) there.progress();
  });
  const Pinned pinned(0);
  std::vector<double> times;
  times.reserve(rounds);
  for (std::size_t round = 1; round <= all; ++round) {
    const auto start = Clock::now();
    here.finish(here.send(message));
    here.wait_for(round);
    if (round > kWarmUpRounds) times.push_back(seconds_since(start) * 1e6);
  }
  done = true;
  echo.join();
  here.close();
  there.close();
  return times;
}

namespace {

// `next(each)` is the message to send; until so many have arrived.
template <typename Next>
Result<double> stream(Pair& pair, std::size_t messages, std::size_t total_bytes, Next next) {
  RawPeer& here = *pair.here;
  RawPeer& there = *pair.there;
  std::atomic<bool> done = false;
  std::thread sink([&] {
    const Pinned pinned(1);
    there.wait_for(messages);
    done = true;
  });
  const Pinned pinned(0);
  const auto start = Clock::now();
  std::vector<ucs_status_ptr_t> in_flight;
  for (std::size_t each = 0; each < messages; ++each) {
    in_flight.push_back(here.send(next(each)));
    if (in_flight.size() < kMostInFlight) continue;
    for (const ucs_status_ptr_t request : in_flight) here.finish(request);
    in_flight.clear();
  }
  for (const ucs_status_ptr_t request : in_flight) here.finish(request);
  while (!done) here.progress();
  const double seconds = seconds_since(start);
  sink.join();
  here.close();
  there.close();
  return static_cast<double>(total_bytes) / seconds;
}

}  // namespace

Result<double> raw_bandwidth(const UcxLibraryOptions& options, std::size_t message_bytes,
                             std::size_t total_bytes) {
  auto pair = make_pair_of_peers(options);
  if (!pair) return Failure{pair.error()};
  const std::vector<char> message(message_bytes);
  const std::size_t messages = total_bytes / message_bytes + 1;
  return stream(pair.value(), messages, messages * message_bytes,
                [&](std::size_t) { return std::span(message); });
}

Result<double> raw_memory_bandwidth(const UcxLibraryOptions& options, std::size_t message_bytes,
                                    std::size_t total_bytes) {
  auto pair = make_pair_of_peers(options);
  if (!pair) return Failure{pair.error()};
  const std::size_t messages = total_bytes / message_bytes;
  const std::vector<char> from(messages * message_bytes, 1);
  std::vector<char> to(from.size(), 2);
  pair.value().there->copy_to(to);
  return stream(pair.value(), messages, from.size(), [&](std::size_t each) {
    return std::span(from).subspan(each * message_bytes, message_bytes);
  });
}

}  // namespace weft
