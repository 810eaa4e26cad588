// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/bootstrap/bootstrap.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/linking/wrapping_libraries.hpp"
#include "base/signal_safe_mutex.hpp"
#include "runtime/bootstrap/bootstrap_wire.hpp"
#include "runtime/bootstrap/this_host.hpp"

namespace weft {
namespace {

// Those below are the program's (libc/ownership/kept_descriptors.hpp).
constexpr int kFirstDescriptor = 256;

std::optional<unsigned> number_from_environment(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  unsigned value = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

constexpr int kLookAgainMs = 1;  // another thread may have taken the answer off the socket

class SocketBootstrap final : public Bootstrap {
 public:
  struct Place {
    NodeId self;
    unsigned node_count, nodes_here, processors_here, threads;
    std::string net_devices, net_address;
  };
  SocketBootstrap(int socket, Place place) : socket_(socket), place_(std::move(place)) {}
  ~SocketBootstrap() override { ::close(socket_); }

  [[nodiscard]] NodeId self() const override { return place_.self; }
  [[nodiscard]] unsigned node_count() const override { return place_.node_count; }
  [[nodiscard]] unsigned threads_per_node() const override { return place_.threads; }

  [[nodiscard]] bool is_on_one_host() const override {
    return place_.nodes_here == place_.node_count;
  }
  [[nodiscard]] std::string net_devices() const override { return place_.net_devices; }
  [[nodiscard]] std::string net_address() const override { return place_.net_address; }

  [[nodiscard]] bool oversubscribed() const override {
    return place_.nodes_here * place_.threads > place_.processors_here;
  }

  Result<std::vector<Bytes>> exchange(Bytes mine) override {
    send(BootstrapMessage::kExchange, mine);
    while (!ended_) {
      if (auto message = reader_.next()) return decode(message->first, message->second);
      receive(/*wait=*/true);
    }
    return Failure{"the job ended before all nodes had come"};
  }

  void report_finished(int status) override { send(BootstrapMessage::kFinished, to_bytes(status)); }

  void report_failure(std::string_view sentence) override {
    send(BootstrapMessage::kFailure, std::as_bytes(std::span(sentence)));
  }

  void report_settled_output() override {
    if (is_on_one_host()) return send(BootstrapMessage::kSettled, {});
    const std::uint64_t answers = [this] {
      const std::lock_guard guard(lock_);
      send(BootstrapMessage::kSettled, {});
      return ++settled_;
    }();
    await_answer([&] { return taken_ >= answers; });
  }

  void report_lost_peer(NodeId peer, std::string_view reason) override {
    send(BootstrapMessage::kLostPeer, to_bytes(LostPeer{peer, std::string(reason)}));
  }

  void report_unreadable(NodeId peer, std::string_view what) override {
    send(BootstrapMessage::kUnreadable, to_bytes(UnreadablePeer{peer, std::string(what)}));
  }

  std::vector<std::string> places_of_calls(const std::vector<std::uint64_t>& addresses) override {
    std::vector<std::string> texts;
    send(BootstrapMessage::kCallPlaces, to_bytes(CallPlaces{addresses}));
    await_answer([&] { return take_texts(texts); });
    texts.resize(addresses.size());
    return texts;
  }

  [[nodiscard]] int descriptor() const override { return socket_; }

  [[nodiscard]] bool job_ended() override {
    if (!ended_) receive_answers();
    return ended_;
  }

 private:
  Result<std::vector<Bytes>> decode(BootstrapMessage kind, const Bytes& body) const {
    std::vector<Bytes> all;
    if (kind != BootstrapMessage::kExchanged || !from_bytes(body, all) ||
        all.size() != place_.node_count) {
      return Failure{"the launcher speaks another version of the protocol"};
    }
    return all;
  }

  void send(BootstrapMessage kind, ByteView body) {
    const Bytes message = encode_bootstrap_message(kind, body);
    ByteView rest = message;
    while (!rest.empty() && !ended_) {
      const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent > 0) rest = rest.subspan(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EINTR) ended_ = true;
    }
  }

  // Blocks until it is here, or the job has ended.
  template <typename Predicate>
  void await_answer(Predicate is_here) {
    while (!ended_ && !is_here()) {
      receive_answers();
      if (is_here()) return;
      pollfd readable = {socket_, POLLIN, 0};
      poll(&readable, 1, kLookAgainMs);
    }
  }

  bool take_texts(std::vector<std::string>& texts) {
    const std::lock_guard guard(lock_);
    const std::optional<CallTexts> arrived = std::exchange(texts_, std::nullopt);
    if (arrived) texts = arrived->texts;
    return arrived.has_value();
  }

  // Once the nodes have met, the launcher says nothing else. By the service thread, and by whoever
  // waits for an answer: none of them may wait for another.
  void receive_answers() {
    const std::lock_guard guard(lock_);
    receive(/*wait=*/false);
    while (const auto message = reader_.next()) {
      if (message->first == BootstrapMessage::kSettleTaken) ++taken_;
      if (message->first == BootstrapMessage::kCallTexts)
        texts_ = from_bytes<CallTexts>(message->second).value_or(CallTexts());
    }
  }

  void receive(bool wait) {
    std::byte buffer[16384];
    const ssize_t received = ::recv(socket_, buffer, sizeof buffer, wait ? 0 : MSG_DONTWAIT);
    if (received > 0) reader_.append(ByteView(buffer, static_cast<std::size_t>(received)));
    const bool try_again = received < 0 && (errno == EINTR || errno == EAGAIN);
    if (received <= 0 && !try_again) ended_ = true;
    if (!reader_.good()) ended_ = true;
  }

  int socket_;
  Place place_;
  SignalSafeMutex lock_;
  BootstrapReader reader_;
  std::optional<CallTexts> texts_;
  std::uint64_t settled_ = 0;             // messages
  std::atomic<std::uint64_t> taken_ = 0;  // and answers to them
  std::atomic<bool> ended_ = false;
};

// The launcher may have died before the death signal was set, so it is looked for once more.
bool die_with_launcher(int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd state = {socket, POLLRDHUP, 0};
  return ::poll(&state, 1, 0) == 0;
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> Bootstrap::from_environment() {
  if (std::getenv(kBootstrapDescriptorVariable) == nullptr) return std::unique_ptr<Bootstrap>();
  const auto socket = number_from_environment(kBootstrapDescriptorVariable);
  const auto node = number_from_environment(kNodeVariable);
  const auto nodes = number_from_environment(kNodeCountVariable);
  const auto here = number_from_environment(kNodesHereVariable);
  const auto threads = number_from_environment(kThreadsVariable);
  const auto processors = number_from_environment(kProcessorsHereVariable);
  if (!socket || !node || !nodes || !here || !threads || *nodes > kMaxNodes || *node >= *nodes ||
      *here > *nodes || *threads == 0) {
    return Failure{
        fmt::format("{}, {}, {}, {} and {} do not make sense together; they are set by "
                    "`weft run` alone",
                    kBootstrapDescriptorVariable, kNodeVariable, kNodeCountVariable,
                    kNodesHereVariable, kThreadsVariable)};
  }
  const char* const devices = std::getenv(kNetDevicesVariable);
  const char* const address = std::getenv(kNetAddressVariable);
  int descriptor = static_cast<int>(*socket);
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
    return Failure{fmt::format("the launcher's descriptor {} is not open: {}", descriptor,
                               std::strerror(errno))};
  }
  if (const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstDescriptor); moved >= 0) {
    ::close(descriptor);
    descriptor = moved;
  }
  if (!die_with_launcher(descriptor)) return Failure{"the launcher is gone"};
  return std::unique_ptr<Bootstrap>(std::make_unique<SocketBootstrap>(
      descriptor,
      SocketBootstrap::Place{.self = NodeId(static_cast<NodeId::representation>(*node)),
                             .node_count = *nodes,
                             .nodes_here = *here,
                             .processors_here = processors.value_or(usable_processors()),
                             .threads = *threads,
                             .net_devices = devices == nullptr ? "" : devices,
                             .net_address = address == nullptr ? "" : address}));
}

int board_descriptor() {
  return static_cast<int>(number_from_environment(kBoardDescriptorVariable).value_or(-1U));
}

void restore_program_environment() {
  if (std::getenv(kNodeVariable) == nullptr) return;
  for (const char* name :
       {kBootstrapDescriptorVariable, kBoardDescriptorVariable, kNodeVariable, kNodeCountVariable,
        kNodesHereVariable, kProcessorsHereVariable, kNetDevicesVariable, kNetAddressVariable,
        kThreadsVariable, kBindingVariable, kWrappersFirstVariable}) {
    unsetenv(name);
  }
  if (const char* const preload = std::getenv(kUserPreloadVariable)) {
    setenv("LD_PRELOAD", std::string(preload).c_str(), 1);
    unsetenv(kUserPreloadVariable);
  } else {
    unsetenv("LD_PRELOAD");
  }
  const char* const bind_now = std::getenv("LD_BIND_NOW");
  if (bind_now != nullptr && std::string_view(bind_now) == kBindNow) unsetenv("LD_BIND_NOW");
}

}  // namespace weft
