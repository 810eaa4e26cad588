// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/jobs/job_link.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <utility>

#include "weft/jobs/runtime_folder.hpp"

namespace weft {
namespace {

using std::chrono::milliseconds;

// By number, and what is no number behind.
std::pair<unsigned long, std::string> order_of(const std::string& name) {
  unsigned long number = ~0UL;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return {number, name};
}

}  // namespace

JobLink::JobLink(std::string name, int connection)
    : name_(std::move(name)), link_(connection, connection) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0) pid_ = peer.pid;
}

void JobLink::ask(JobMessage kind, const JobRequest& request) {
  // A job that has ended is no reason to be killed.
  const auto before = signal(SIGPIPE, SIG_IGN);
  link_.send(static_cast<std::uint8_t>(kind), to_bytes(request));
  signal(SIGPIPE, before);
}

bool JobLink::wait(int limit_ms) {
  pollfd ready = {link_.in(), POLLIN, 0};
  if (poll(&ready, 1, limit_ms) != 1) return false;
  link_.read_some();
  return true;
}

Result<StreamFrame> JobLink::answer(Clock::time_point limit) {
  while (true) {
    if (auto frame = link_.next()) {
      if (static_cast<JobMessage>(frame->kind) != JobMessage::kRefused) return std::move(*frame);
      return Failure{fmt::format(
          "job {}: {}", name_,
          std::string_view(reinterpret_cast<const char*>(frame->body.data()), frame->body.size()))};
    }
    if (!link_.is_open()) return Failure{fmt::format("job {} has ended", name_)};
    const auto left = std::chrono::ceil<milliseconds>(limit - Clock::now()).count();
    if (left <= 0) return Failure{fmt::format("job {} does not answer", name_)};
    wait(static_cast<int>(left));
  }
}

Result<JobState> JobLink::state(Clock::time_point limit) {
  auto frame = answer(limit);
  if (!frame) return Failure{frame.error()};
  auto state = from_bytes<JobState>(frame.value().body);
  if (!state) return Failure{fmt::format("job {} says what makes no sense", name_)};
  return std::move(*state);
}

Status JobLink::done(Clock::time_point limit) {
  const auto frame = answer(limit);
  if (!frame) return Failure{frame.error()};
  return {};
}

void JobLink::wait_for_end() {
  while (link_.is_open()) {
    wait(-1);
    while (link_.next()) {
    }
  }
}

Result<std::vector<std::unique_ptr<JobLink>>> find_jobs() {
  const auto folders = RuntimeFolder::existing();
  if (!folders) return Failure{folders.error()};
  std::vector<std::unique_ptr<JobLink>> all;
  for (const RuntimeFolder& folder : folders.value()) {
    for (const std::string& name : folder.names()) {
      const int connection = folder.connect(name);
      if (connection >= 0) all.push_back(std::make_unique<JobLink>(name, connection));
    }
    folder.sweep();
  }
  std::ranges::sort(all, {}, [](const auto& each) { return order_of(each->name()); });
  return all;
}

Result<std::unique_ptr<JobLink>> find_job(const std::string& name) {
  auto found = find_jobs();
  if (!found) return Failure{found.error()};
  auto& all = found.value();
  if (name.empty() && all.size() == 1) return std::move(all.front());
  if (name.empty() && !all.empty()) {
    return Failure{"there are several jobs: say which; `weft ps` lists them"};
  }
  for (auto& each : all) {
    if (each->name() == name) return std::move(each);
  }
  return Failure{name.empty() ? "there is no job"
                              : fmt::format("there is no job {}; `weft ps` lists those that there "
                                            "are",
                                            name)};
}

}  // namespace weft
