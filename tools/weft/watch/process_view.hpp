// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's process as the system sees it, on the host where it runs. The node does not notice.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/codec.hpp"

namespace weft {

enum class ProcessPhase : std::uint8_t { kUnknown, kRunning, kStopped, kEnded };
inline constexpr std::size_t kProcessPhaseCount = 4;

struct ProcessView {
  pid_t pid = 0;
  ProcessPhase phase = ProcessPhase::kUnknown;
  std::uint64_t memory_bytes = 0;  // private, and its pages of the shared region
  std::uint64_t processor_ms = 0;  // that it has used
  WEFT_FIELDS(self.pid, self.phase, self.memory_bytes, self.processor_ms)
};

// By a signal; a debugger's stop is another.
[[nodiscard]] bool is_stopped(pid_t pid);

// The signal that has ended the process while its memory is being dumped; 0: it is not.
[[nodiscard]] int dumping_signal(pid_t pid);

// Of a process that has not been waited for.
[[nodiscard]] ProcessView look_at_process(pid_t pid);

// This host's clock, which never goes back.
[[nodiscard]] std::uint64_t monotonic_us();

}  // namespace weft
