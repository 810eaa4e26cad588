// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `weft run` tells its nodes about how to run, as WEFT_* environment variables; the reference
// is docs/reference/weft-run.md.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace weft {

struct NodeOptions {
  std::string back_end = "auto";  // WEFT_BACK_END
  // A faulting thread helps itself, five times faster than the service thread would; the I/O
  // calls are wrapped then (libc/interposition/io_bounce.hpp).
  bool faults_by_signal = true;    // WEFT_FAULTS_BY_SIGNAL
  std::string transport = "auto";  // WEFT_TRANSPORT
  std::uint64_t latency_us = 0;    // WEFT_LATENCY_US, injected
  std::uint64_t bandwidth = 0;     // WEFT_BANDWIDTH, bytes a second, injected; 0: none
  std::uint64_t jitter_us = 0;     // WEFT_JITTER_US, injected
  std::uint64_t jitter_seed = 0;   // WEFT_JITTER_SEED
  std::uint64_t memory = 0;        // WEFT_NODE_MEMORY, bytes a node; 0: no limit
  std::uint64_t shared_size = std::uint64_t{1} << 38;  // WEFT_SHARED_SIZE, bytes of heap
  std::string pages = "adaptive";  // WEFT_PAGES: adaptive, single-writer ... (see PagePolicy)
  // Empty: as WEFT_PAGES says.
  std::string homes;              // WEFT_HOMES: settle, follow or stay (see HomePolicy)
  std::string push;               // WEFT_PUSH: off, wait or join (see PushPolicy)
  std::string locks;              // WEFT_LOCKS: plain ... weft (see LockPolicy)
  std::string atomics = "merge";  // WEFT_ATOMICS: merge or each (see AtomicPolicy)
  std::string release = "lazy";   // WEFT_RELEASE: lazy or eager (see ReleasePolicy)
  std::string check;              // WEFT_CHECK: protocol, libraries, or nothing
  std::string statistics;         // WEFT_STATS: text, json, or nothing
  bool verbose = false;           // WEFT_VERBOSE
};

// Sizes may end in K, M, G or T (powers of 1024). A variable that cannot be understood is a
// failure.
[[nodiscard]] Result<NodeOptions> options_from_environment();

}  // namespace weft
