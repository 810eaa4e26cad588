// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checks/library_list.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/libraries/library_kinds.hpp"

namespace weft {
namespace {

constexpr const char* kDisassembler = "/usr/bin/objdump";

// A line of the disassembler's, "  1a2b:<tab>lock xadd %eax,(%rdi)". An exchange with memory is
// atomic without a prefix.
bool is_atomic(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return false;
  const std::string_view instruction = line.substr(tab + 1);
  if (instruction.starts_with("lock ")) return true;
  return instruction.starts_with("xchg ") && instruction.find('(') != std::string_view::npos;
}

std::size_t count_atomics(int from) {
  std::size_t count = 0;
  std::string rest;
  char text[1 << 16];
  for (ssize_t bytes; (bytes = read(from, text, sizeof text)) > 0;) {
    rest.append(text, static_cast<std::size_t>(bytes));
    std::size_t begin = 0;
    for (std::size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (is_atomic(std::string_view(rest).substr(begin, end - begin))) ++count;
    }
    rest.erase(0, begin);
  }
  return count;
}

// Its standard output, and its process; without an environment, as this process's makes a node.
std::optional<pid_t> start_disassembler(std::string library, int& output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string tool = kDisassembler, what = "-d", how = "--no-show-raw-insn";
  char* arguments[] = {tool.data(), what.data(), how.data(), library.data(), nullptr};
  char* environment[] = {nullptr};
  pid_t process = 0;
  const int error = posix_spawn(&process, kDisassembler, &actions, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output = ends[0];
  if (error == 0) return process;
  close(output);
  return std::nullopt;
}

std::optional<std::size_t> atomics_in(const std::string& library) {
  int output = -1;
  const std::optional<pid_t> process = start_disassembler(library, output);
  if (!process) return std::nullopt;
  const std::size_t count = count_atomics(output);
  close(output);
  int status = 0;
  const bool is_done = waitpid(*process, &status, 0) == *process && status == 0;
  return is_done ? std::optional(count) : std::nullopt;
}

std::string about_atomics(const std::string& library) {
  const std::optional<std::size_t> count = atomics_in(library);
  if (!count) return fmt::format("{} cannot tell what atomic instructions it has", kDisassembler);
  if (*count == 0) return "no atomic instructions";
  return fmt::format("{} atomic instructions, which are atomic among threads of one node only",
                     *count);
}

}  // namespace

void list_foreign_libraries(NodeId self) {
  if (self != NodeId(0)) return;
  for (const auto& [object, own_because] : foreign_libraries()) {
    const std::string data = own_because.empty()
                                 ? "static data is shared"
                                 : "static data is each node's own, as it " + own_because;
    std::fprintf(stderr, "weft: WEFT_CHECK=libraries: %s: %s; %s\n", object.path.c_str(),
                 data.c_str(), about_atomics(object.path).c_str());
  }
}

}  // namespace weft
