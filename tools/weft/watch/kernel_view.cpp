// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/watch/kernel_view.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace weft {
namespace {

std::string contents_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::uint32_t> threads_of(pid_t process) {
  std::vector<std::uint32_t> threads;
  DIR* const folder = opendir(fmt::format("/proc/{}/task", process).c_str());
  if (folder == nullptr) return threads;
  while (const dirent* entry = readdir(folder)) {
    const auto number = static_cast<std::uint32_t>(std::strtoul(entry->d_name, nullptr, 10));
    if (number != 0) threads.push_back(number);
  }
  closedir(folder);
  return threads;
}

// "12 (name) S 1 ...": the name may have any characters.
char state_in(const std::string& stat) {
  const std::size_t end = stat.rfind(')');
  return end != std::string::npos && end + 2 < stat.size() ? stat[end + 2] : '?';
}

std::string value_in(const std::string& status, const std::string& name) {
  std::istringstream lines(status);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + ":")) return line.substr(name.size() + 1);
  }
  return {};
}

bool is_futex_wait(const SystemCall& call) {
  const std::uint64_t operation = call.arguments[1] & FUTEX_CMD_MASK;
  return call.number == SYS_futex && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET);
}

// Without a time, and by a thread of the same process alone: a futex that is shared with other
// processes is one that they may wake. The C library joins threads by such a one, whose value is
// the number of the thread.
bool waits_for_own_process(const SystemCall& call, const std::vector<std::uint32_t>& threads) {
  if (!is_futex_wait(call) || call.arguments[3] != 0) return false;
  return (call.arguments[1] & FUTEX_PRIVATE_FLAG) != 0 ||
         std::ranges::find(threads, call.arguments[2]) != threads.end();
}

// A handler that the C library or Weft has for itself, or that only the thread's own mistake calls.
bool handles_signals(pid_t process) {
  const std::string caught =
      value_in(contents_of(fmt::format("/proc/{}/status", process)), "SigCgt");
  std::uint64_t mask = std::strtoull(caught.c_str(), nullptr, 16);
  constexpr int kFirstOfLibrary = 32, kLastOfLibrary = 33;
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, kFirstOfLibrary,
                        kLastOfLibrary}) {
    mask &= ~(std::uint64_t{1} << (own - 1));
  }
  return mask != 0;
}

void mix(std::uint64_t& fingerprint, std::uint64_t value) {
  fingerprint = (fingerprint ^ value) * 0x9e37'79b9'7f4a'7c15U;
  fingerprint ^= fingerprint >> 29;
}

}  // namespace

std::optional<SystemCall> parse_system_call(const std::string& line) {
  std::istringstream words(line);
  SystemCall call;
  if (!(words >> call.number)) return std::nullopt;  // "running"
  for (std::uint64_t& each : call.arguments) {
    std::string word;
    if (call.number < 0) break;
    if (!(words >> word)) return std::nullopt;
    each = std::strtoull(word.c_str(), nullptr, 16);
  }
  return call;
}

std::optional<Standstill> standstill_of(pid_t process, const board::NodeSnapshot& shown) {
  if (shown.state != board::NodeState::kComputing || shown.threads_left_out != 0) {
    return std::nullopt;
  }
  std::map<std::uint32_t, const board::ThreadSnapshot*> in_weft;
  for (const board::ThreadSnapshot& each : shown.threads) in_weft[each.thread] = &each;
  const std::vector<std::uint32_t> threads = threads_of(process);
  Standstill result;
  mix(result.fingerprint, shown.messages_sent);
  mix(result.fingerprint, shown.messages_received);
  for (const std::uint32_t thread : threads) {
    const auto found = in_weft.find(thread);
    const board::ThreadSnapshot* const slot = found == in_weft.end() ? nullptr : found->second;
    if (slot != nullptr && slot->is_wefts_own) continue;
    const std::string folder = fmt::format("/proc/{}/task/{}/", process, thread);
    if (state_in(contents_of(folder + "stat")) != 'S') return std::nullopt;
    const auto call = parse_system_call(contents_of(folder + "syscall"));
    if (!call) return std::nullopt;
    mix(result.fingerprint, thread);
    if (slot != nullptr && slot->is_waiting) {
      if (slot->ends_by_itself || !is_futex_wait(*call)) return std::nullopt;
      mix(result.fingerprint, slot->progress);
    } else {
      if (!waits_for_own_process(*call, threads)) return std::nullopt;
      const std::string status = contents_of(folder + "status");
      mix(result.fingerprint,
          std::strtoull(value_in(status, "voluntary_ctxt_switches").c_str(), nullptr, 10));
      mix(result.fingerprint,
          std::strtoull(value_in(status, "nonvoluntary_ctxt_switches").c_str(), nullptr, 10));
      result.others.push_back(thread);
    }
  }
  if (threads.empty()) return std::nullopt;
  result.handles_signals = handles_signals(process);
  return result;
}

}  // namespace weft
