// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries a TCP connection between two hosts, as their nodes would make it: whether there is one, its
// round trip, and its bandwidth. One end serves, the other probes:
//
//   probe ── token ──────────────────► server      a connection without it is dropped
//         ── 8 bytes ──► ◄── 8 bytes ──            many times: the round trip
//         ── as much as goes, and the end ──►      for a tenth of a second: the bandwidth
//         ◄── number of bytes that came ────
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "base/codec.hpp"
#include "base/result.hpp"

namespace weft {

struct ProbeTarget {
  std::string address;  // of either version
  std::uint16_t port = 0;
  std::string token;
  WEFT_FIELDS(self.address, self.port, self.token)
};

struct ProbeResult {
  std::string error;  // why there is no connection; else empty
  std::uint64_t round_trip_ns = 0, bytes_per_second = 0;
  WEFT_FIELDS(self.error, self.round_trip_ns, self.bytes_per_second)
};

// Serves in a thread of its own, one connection after the other, until it is destroyed.
class ProbeServer {
 public:
  ProbeServer() = default;
  ~ProbeServer();
  ProbeServer(const ProbeServer&) = delete;
  ProbeServer& operator=(const ProbeServer&) = delete;

  // Listens there, at any port, which is returned. Once only.
  [[nodiscard]] Result<std::uint16_t> listen(const std::string& address, const std::string& token);

 private:
  void serve();

  std::string token_;
  int listening_ = -1;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

// Blocks for some tenths of a second; up to 3 seconds if nobody answers, and up to 10 if the
// connection falls silent.
[[nodiscard]] ProbeResult probe(const ProbeTarget& target);

}  // namespace weft
