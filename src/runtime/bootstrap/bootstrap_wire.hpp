// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `weft run` and its nodes say to each other: the names of the environment variables, and the
// messages on the inherited socket, each a frame (frames.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/codec.hpp"
#include "base/ids.hpp"
#include "runtime/bootstrap/frames.hpp"

namespace weft {

// --- environment; the options are documented in docs/reference/weft-run.md ---
inline constexpr const char* kBootstrapDescriptorVariable = "WEFT_BOOTSTRAP_FD";
inline constexpr const char* kBoardDescriptorVariable = "WEFT_BOARD_FD";  // runtime/board
inline constexpr const char* kNodeVariable = "WEFT_NODE";
inline constexpr const char* kNodeCountVariable = "WEFT_NODES";
inline constexpr const char* kNodesHereVariable = "WEFT_NODES_HERE";  // on the same host
// Processors that the nodes of this host may use together; not set: as many as each of them may.
inline constexpr const char* kProcessorsHereVariable = "WEFT_PROCESSORS_HERE";
inline constexpr const char* kNetDevicesVariable = "WEFT_NET_DEVICES";  // between hosts
inline constexpr const char* kNetAddressVariable = "WEFT_NET_ADDRESS";  // of this host, on them
inline constexpr const char* kThreadsVariable = "WEFT_THREADS";
// Where libweft-binding.so is, for a program that joins by itself.
inline constexpr const char* kBindingVariable = "WEFT_BINDING";
// LD_PRELOAD as the user had it; not set if the user had none.
// LD_BIND_NOW as Weft sets it, where the user has not: a foreign library's data is shared, and with
// it the table of functions that the dynamic linker would otherwise fill in while the program runs.
inline constexpr const char* kBindNow = "weft";
inline constexpr const char* kUserPreloadVariable = "WEFT_USER_LD_PRELOAD";

enum class BootstrapMessage : std::uint8_t {
  // node to launcher
  kExchange,  // this node's bytes
  kFinished,  // status: an int, of which the low eight bits count
  kFailure,   // the bytes are a sentence
  kLostPeer,  // LostPeer
  kSettled,   // what was printed so far has been read
  // launcher to node
  kExchanged,    // all nodes' bytes: std::vector<Bytes>
  kSettleTaken,  // an answer to kSettled: the launcher has it
  // node to launcher
  kUnreadable,  // UnreadablePeer
  kCallPlaces,  // CallPlaces: of which calls of the program the node wants to know where they are
  // launcher, or agent, to node
  kCallTexts,  // an answer to kCallPlaces: CallTexts
};

struct LostPeer {
  NodeId peer;
  std::string reason;
  WEFT_FIELDS(self.peer, self.reason)
};

struct UnreadablePeer {
  NodeId peer;
  std::string what;  // it has sent
  WEFT_FIELDS(self.peer, self.what)
};

struct CallPlaces {
  std::vector<std::uint64_t> addresses;  // to which the calls return
  WEFT_FIELDS(self.addresses)
};

struct CallTexts {
  std::vector<std::string> texts;  // in the same order: "heat.c:41"; empty: nobody knows
  WEFT_FIELDS(self.texts)
};

// With the status of kFinished: the other nodes wait for this one, and would for ever.
inline constexpr int kEndAtOnce = 0x100;

// The message as it goes on the socket.
[[nodiscard]] inline Bytes encode_bootstrap_message(BootstrapMessage kind, ByteView body) {
  return encode_frame(static_cast<std::uint8_t>(kind), body);
}

// Cuts the stream that comes from the socket into messages.
class BootstrapReader {
 public:
  void append(ByteView received) { frames_.append(received); }
  // The next whole message, if there is one.
  [[nodiscard]] std::optional<std::pair<BootstrapMessage, Bytes>> next() {
    std::optional<StreamFrame> frame = frames_.next();
    if (!frame) return std::nullopt;
    return std::pair(static_cast<BootstrapMessage>(frame->kind), std::move(frame->body));
  }
  // False once a length came that cannot be.
  [[nodiscard]] bool good() const { return frames_.good(); }

 private:
  FrameReader frames_;
};

}  // namespace weft
