// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a job needs of a host, tried on it. An agent does so for `weft doctor --hosts`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/codec.hpp"

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

// To serve probes (probe.hpp) at that address.
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
