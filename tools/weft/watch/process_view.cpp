// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/watch/process_view.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks

// In /proc/PID/status, such as "RssAnon:"; 0 if there is none.
std::uint64_t number_of(pid_t pid, std::string_view wanted) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    std::uint64_t number = 0;
    std::istringstream words(line);
    std::string name;
    if (words >> name >> number && name == wanted) return number;
  }
  return 0;
}

// Private pages of the process.
std::uint64_t private_bytes(pid_t pid) { return number_of(pid, "RssAnon:") << 10; }

// Pages of the shared region that this node has, in the file that holds them
// (memory/region/region.cpp). They are mapped twice, so that the process's own numbers have them
// twice.
std::uint64_t shared_bytes(pid_t pid) {
  std::error_code error;
  const fs::directory_iterator all(fmt::format("/proc/{}/fd", pid), error);
  if (error) return 0;
  for (const auto& each : all) {
    if (fs::read_symlink(each, error) != "/memfd:weft (deleted)") continue;
    struct stat info = {};
    if (stat(each.path().c_str(), &info) != 0) return 0;
    return static_cast<std::uint64_t>(info.st_blocks) * kBlockBytes;
  }
  return 0;
}

// The letter as /proc has it.
ProcessPhase phase_of(char letter) {
  switch (letter) {
    case '?':
      return ProcessPhase::kUnknown;
    case 'T':
    case 't':
      return ProcessPhase::kStopped;
    case 'Z':
    case 'X':
      return ProcessPhase::kEnded;
    default:
      return ProcessPhase::kRunning;
  }
}

struct ProcessStatus {
  char letter = '?';
  std::uint64_t processor_ms = 0;
  int exit_code = 0;  // as wait() has it
};

ProcessStatus process_status(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  const std::size_t end = line.rfind(')');  // of the name, which may hold anything
  if (end == std::string::npos) return {};
  std::istringstream words(line.substr(end + 1));
  ProcessStatus status;
  std::string skipped;
  std::uint64_t user = 0, system = 0;
  words >> status.letter;
  for (int field = 4; field < 14; ++field) words >> skipped;
  words >> user >> system;
  for (int field = 16; field < 52; ++field) words >> skipped;
  words >> status.exit_code;
  status.processor_ms = (user + system) * 1000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return status;
}

}  // namespace

int dumping_signal(pid_t pid) {
  return number_of(pid, "CoreDumping:") == 0 ? 0 : process_status(pid).exit_code & 0x7f;
}

bool is_stopped(pid_t pid) { return process_status(pid).letter == 'T'; }

ProcessView look_at_process(pid_t pid) {
  const ProcessStatus status = process_status(pid);
  return {.pid = pid,
          .phase = phase_of(status.letter),
          .memory_bytes = private_bytes(pid) + shared_bytes(pid),
          .processor_ms = status.processor_ms};
}

std::uint64_t monotonic_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

}  // namespace weft
