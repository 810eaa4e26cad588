// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/agent/agent_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "weft/nodes/descendants.hpp"

extern char** environ;

namespace weft {
namespace {

constexpr int kLeavingMs = 5000;               // for a command whose connection has ended
constexpr std::size_t kComplaintBytes = 2000;  // that are kept: the end of it tells most

// The last line that is not empty, without its end.
std::string last_line(std::string said) {
  while (!said.empty() && (said.back() == '\n' || said.back() == '\r' || said.back() == '.')) {
    said.pop_back();
  }
  const std::size_t begin = said.find_last_of('\n');
  return begin == std::string::npos ? said : said.substr(begin + 1);
}

struct Command {
  pid_t process = -1;
  int in = -1, out = -1, error = -1;  // this end
};

// A session of its own: no terminal to ask for a password at, and none of its signals.
Result<Command> run_command(std::vector<std::string>& words) {
  int in[2], out[2], error[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0) {
    return Failure{fmt::format("no pipes: {}", std::strerror(errno))};
  }
  std::vector<char*> arguments;
  for (std::string& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  Command command{.in = out[0], .out = in[1], .error = error[0]};
  const int failed = posix_spawnp(&command.process, arguments[0], &actions, &attributes,
                                  arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  for (const int each : {in[0], out[1], error[1]}) close(each);
  if (failed == 0) return command;
  for (const int each : {in[1], out[0], error[0]}) close(each);
  return Failure{fmt::format("cannot run {}: {}", words[0], std::strerror(failed))};
}

}  // namespace

Result<std::unique_ptr<AgentProcess>> AgentProcess::start(std::vector<std::string> command) {
  if (command.empty()) return Failure{"there is no command"};
  const auto running = run_command(command);
  if (!running) return Failure{running.error()};
  const Command& ends = running.value();
  return std::unique_ptr<AgentProcess>(
      new AgentProcess(ends.in, ends.out, ends.error, ends.process));
}

AgentProcess::AgentProcess(int in, int out, int complaints, pid_t process)
    : link_(in, out), complaints_(complaints), process_(process) {
  fcntl(complaints_, F_SETFL, O_NONBLOCK);
  spare_child(process_);
}

AgentProcess::~AgentProcess() {
  link_.close();
  reap(is_given_up_ ? 0 : kLeavingMs);
  close(complaints_);
}

int AgentProcess::reap(int patience_ms) {
  if (process_ < 0) return -1;
  const int death = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
  // Without a descriptor it is gone already.
  pollfd ended = {death, POLLIN, 0};
  if (death >= 0 && poll(&ended, 1, patience_ms) != 1) kill(process_, SIGKILL);
  if (death >= 0) close(death);
  int status = -1;
  spare_no_longer(process_);
  waitpid(std::exchange(process_, -1), &status, 0);
  return status;
}

bool AgentProcess::read_complaints() {
  char buffer[4096];
  ssize_t count = 0;
  while ((count = read(complaints_, buffer, sizeof buffer)) > 0) {
    said_.append(buffer, static_cast<std::size_t>(count));
    if (said_.size() > kComplaintBytes) said_.erase(0, said_.size() - kComplaintBytes);
  }
  return count != 0;
}

std::string AgentProcess::epitaph() {
  // The stream has ended, and so will the command: what it says, it says now.
  const int status = reap(kLeavingMs);
  read_complaints();
  const std::string said = last_line(said_);
  constexpr int kNotFound = 127;  // as a shell says it
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound) {
    return fmt::format("{}; is Weft installed there, in the same place?", said);
  }
  if (!said.empty()) return said;
  if (WIFSIGNALED(status)) {
    return fmt::format("the connection's process was killed by signal {}", WTERMSIG(status));
  }
  return fmt::format("the connection has ended (status {})", WEXITSTATUS(status));
}

std::string nothing_was_heard(std::string_view from, std::chrono::milliseconds limit) {
  return fmt::format("nothing was heard from {} for {} s", from,
                     std::chrono::ceil<std::chrono::seconds>(limit).count());
}

}  // namespace weft
