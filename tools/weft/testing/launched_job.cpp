// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/testing/launched_job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

int input_of(const std::string& text) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  (void)!write(ends[1], text.data(), text.size());  // less than a pipe holds
  close(ends[1]);
  return ends[0];
}

LaunchedJob::Command run_of(const std::vector<std::string>& arguments) {
  LaunchedJob::Command command{{"run", "--node-library", WEFT_NODE_LIBRARY}};
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
  return command;
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file);
  std::stringstream contents;
  contents << stream.rdbuf();
  return contents.str();
}

}  // namespace

std::vector<std::string> Outcome::lines() const {
  std::vector<std::string> result;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

LaunchedJob::LaunchedJob(const std::vector<std::string>& arguments,
                         const std::map<std::string, std::string>& environment,
                         const std::string& input)
    : LaunchedJob(run_of(arguments), environment, input) {}

LaunchedJob::LaunchedJob(const Command& command, const Environment& environment,
                         const std::string& input) {
  std::vector<std::string> words = command.words;
  words.insert(words.begin(), WEFT_COMMAND);
  std::vector<char*> argv;
  for (std::string& each : words) argv.push_back(each.data());
  argv.push_back(nullptr);
  int output[2], errors[2];
  if (pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0) abort();
  const int standard_input = input_of(input);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(standard_input, STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    dup2(errors[1], STDERR_FILENO);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execv(argv[0], argv.data());
    _exit(126);
  }
  for (const int each : {standard_input, output[1], errors[1]}) close(each);
  output_ = output[0];
  errors_ = errors[0];
}

LaunchedJob::~LaunchedJob() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close_output();
  if (errors_ >= 0) close(errors_);
}

bool LaunchedJob::read_once() {
  pollfd streams[2] = {{output_, POLLIN, 0}, {errors_, POLLIN, 0}};
  if (output_ < 0 && errors_ < 0) return false;
  poll(streams, 2, -1);
  for (const int which : {0, 1}) {
    if (streams[which].revents == 0) continue;
    char buffer[65536];
    const ssize_t count = read(streams[which].fd, buffer, sizeof buffer);
    std::string& text = which == 0 ? outcome_.output : outcome_.errors;
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    if (count > 0) continue;
    close(streams[which].fd);
    (which == 0 ? output_ : errors_) = -1;
  }
  return true;
}

bool LaunchedJob::wait_for_output(const std::string& text, std::size_t times) {
  while (true) {
    std::size_t seen = 0;
    for (std::size_t at = 0; (at = outcome_.output.find(text, at)) != std::string::npos; ++at) {
      ++seen;
    }
    if (seen >= times) return true;
    if (!read_once()) return false;
  }
}

void LaunchedJob::wait_until_output_is_full() const {
  // Bytes do not tell: a pipe counts pages, and short writes leave pages half empty. The writer's
  // end, opened once more, says what the writer would be told.
  const int writer = open(fmt::format("/proc/self/fd/{}", output_).c_str(), O_WRONLY | O_CLOEXEC);
  if (writer < 0) throw std::system_error(errno, std::generic_category(), "the output's pipe");
  pollfd ready = {writer, POLLOUT, 0};
  while (poll(&ready, 1, 0) == 1) usleep(1000);
  close(writer);
}

void LaunchedJob::signal(int number) const { kill(pid_, number); }

void LaunchedJob::close_output() {
  if (output_ >= 0) close(output_);
  output_ = -1;
}

Outcome LaunchedJob::finish() {
  while (read_once()) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  outcome_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome_;
}

Outcome run(const std::vector<std::string>& arguments,
            const std::map<std::string, std::string>& environment, const std::string& input) {
  return LaunchedJob(arguments, environment, input).finish();
}

Outcome run_command(const std::vector<std::string>& words,
                    const std::map<std::string, std::string>& environment) {
  return LaunchedJob(LaunchedJob::Command{words}, environment).finish();
}

std::string job_program() { return WEFT_JOB_PROGRAM; }
std::string plain_program() { return WEFT_PLAIN_PROGRAM; }

std::set<pid_t> processes_with(const std::string& text) {
  std::set<pid_t> result;
  std::error_code error;
  for (const auto& each : fs::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(each.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    if (read_file(each.path() / "cmdline").find(text) != std::string::npos) result.insert(pid);
  }
  return result;
}

bool is_gone(pid_t pid) {
  const std::string status = read_file(fs::path("/proc") / std::to_string(pid) / "stat");
  return status.empty() || status.find(") Z ") != std::string::npos;
}

std::vector<pid_t> pids_in(const std::string& text) {
  std::vector<pid_t> result;
  const std::string mark = "pid ";
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += mark.size()) {
    result.push_back(std::atoi(text.c_str() + at + mark.size()));
  }
  return result;
}

}  // namespace weft::testing
