// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each node of a job tells the others when they meet, through the launcher.
#pragma once

#include <string>
#include <vector>

#include "base/codec.hpp"
#include "memory/exposed/host_memory.hpp"

namespace weft {

// How the other nodes reach this one.
struct Reach {
  std::string host;            // equal where shared memory connects
  Bytes ucx_address;           // empty: not by UCX
  Bytes stream_address;        // empty: not by streams
  std::vector<std::byte> key;  // the job's; from node 0 alone, where there are streams
  WEFT_FIELDS(self.host, self.ucx_address, self.stream_address, self.key)
};

struct Introduction {
  std::vector<std::string> fingerprint;  // of the program
  std::string host;
  Reach reach;
  HostMemoryPlace memory;
  WEFT_FIELDS(self.fingerprint, self.host, self.reach, self.memory)
};

}  // namespace weft
