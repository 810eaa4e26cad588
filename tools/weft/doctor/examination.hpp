// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a job needs of a host, tried on it. An agent does so for `weft doctor --hosts`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/codec.hpp"
#include "weft/agent/agent_messages.hpp"
#include "weft/doctor/probe.hpp"

namespace weft {

// A way to watch pages.
struct WatchingWay {
  std::string name;
  bool works = false;
  WEFT_FIELDS(self.name, self.works)
};

struct Examination {
  std::string kernel;  // its version
  std::uint64_t memory_bytes = 0, free_memory_bytes = 0;
  std::uint64_t free_shared_bytes = 0;  // on /dev/shm
  std::vector<WatchingWay> watching;    // the best first
  bool fixes_addresses = false;         // address randomisation can be switched off
  bool has_memfd = false;
  // Where the node library and those that it needs lie in a process: "libc.so.6 0x7ffff7dcd000".
  std::vector<std::string> layout;
  std::int64_t clock_ns = 0;  // of day, when this was answered
  WEFT_FIELDS(self.kernel, self.memory_bytes, self.free_memory_bytes, self.free_shared_bytes,
              self.watching, self.fixes_addresses, self.has_memfd, self.layout, self.clock_ns)
};

// Of this host. Blocks for about a tenth of a second, and starts processes.
[[nodiscard]] Examination examine_this_host();

// Containers may forbid it.
[[nodiscard]] bool may_fix_addresses();
[[nodiscard]] bool has_memfd();

// The doctor's questions to an agent, and its answers (agent_messages.hpp).
class DoctorAnswers {
 public:
  using Answer = std::pair<AgentMessage, Bytes>;
  // Nothing if that is no question, or makes no sense.
  [[nodiscard]] std::optional<Answer> answer(AgentMessage question, ByteView body);

 private:
  std::optional<ProbeServer> server_;
};

struct ListenRequest {
  std::string address, token;
  WEFT_FIELDS(self.address, self.token)
};
struct Listening {
  std::uint16_t port = 0;
  std::string error;  // why not; else empty
  WEFT_FIELDS(self.port, self.error)
};

}  // namespace weft
