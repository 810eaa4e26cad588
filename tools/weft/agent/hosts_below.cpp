// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/agent/hosts_below.hpp"

#include <algorithm>
#include <utility>

namespace weft {
namespace {

// Entries in poll()'s list: the link's two ends, and the process's standard error.
constexpr std::size_t kPolledOfEach = 3;

}  // namespace

bool HostsBelow::reach(const AgentReach& wanted) {
  if (std::ranges::find(hosts_, wanted.channel, &Host::channel) != hosts_.end()) return false;
  if (wanted.staged && stage_.empty()) return false;
  if (const std::string reason = start(wanted); !reason.empty()) {
    up_.send(AgentMessage::kBelowEnded, to_bytes(BelowEnd{wanted.channel, reason}));
  }
  return true;
}

std::string HostsBelow::start(const AgentReach& wanted) {
  std::shared_ptr<const StageStream> stream;
  if (wanted.staged) {
    const auto files = files_below(stage_);
    if (!files) return files.error();
    auto opened = StageStream::open(files.value());
    if (!opened) return opened.error();
    stream = std::move(opened.value());
  }
  auto started = AgentProcess::start(wanted.command);
  if (!started) return started.error();
  started.value()->link().send_first(std::move(stream));
  hosts_.push_back({.channel = wanted.channel, .process = std::move(started.value())});
  return {};
}

// To one that has ended nothing goes: the launcher will hear of it.
bool HostsBelow::pass_down(const BelowFrame& frame) {
  const auto found = std::ranges::find(hosts_, frame.channel, &Host::channel);
  if (found != hosts_.end()) {
    found->process->link().send(static_cast<AgentMessage>(frame.kind), frame.body);
  }
  return true;
}

void HostsBelow::send_to_all(AgentMessage kind, ByteView body) {
  for (const Host& each : hosts_) each.process->link().send(kind, body);
}

void HostsBelow::add_to(std::vector<pollfd>& waiting) const {
  for (const Host& each : hosts_) {
    const FrameLink& link = each.process->link();
    // What cannot go up is left to wait below.
    waiting.push_back({up_.is_full() ? -1 : link.in(), POLLIN, 0});
    waiting.push_back({link.queued_bytes() > 0 ? link.out() : -1, POLLOUT, 0});
    waiting.push_back({each.complains ? each.process->complaints() : -1, POLLIN, 0});
  }
}

void HostsBelow::handle(std::span<const pollfd> polled) {
  // Those that were reached after `polled` was made have their turn next time.
  std::vector<std::pair<unsigned, std::string>> lost;
  for (std::size_t each = 0; kPolledOfEach * each < polled.size(); ++each) {
    Host& host = hosts_[each];
    const std::span<const pollfd> own = polled.subspan(kPolledOfEach * each, kPolledOfEach);
    FrameLink& link = host.process->link();
    if (own[0].revents != 0) link.read_some();
    if (own[1].revents != 0) link.write_some();
    tell_of_staging(host);
    if (own[2].revents != 0) host.complains = host.process->read_complaints();
    pass_up(host);
    link.show_life();
    if (up_.is_full()) link.excuse_silence();
    if (!link.is_open()) {
      lost.emplace_back(host.channel, host.process->epitaph());
    } else if (link.is_silent()) {
      host.process->give_up();
      lost.emplace_back(host.channel, nothing_was_heard("it", limit_));
    }
  }
  for (const auto& [channel, reason] : lost) {
    std::erase_if(hosts_, [&](const Host& host) { return host.channel == channel; });
    up_.send(AgentMessage::kBelowEnded, to_bytes(BelowEnd{channel, reason}));
  }
}

void HostsBelow::tell_of_staging(Host& host) {
  constexpr std::chrono::seconds kPeriod{1};
  const std::uint64_t staged = host.process->link().staged_bytes();
  const auto now = FrameLink::Clock::now();
  if (staged == host.staged_bytes || now - host.told < kPeriod) return;
  host.staged_bytes = staged;
  host.told = now;
  up_.send(AgentMessage::kBelow,
           to_bytes(BelowFrame{host.channel, static_cast<std::uint8_t>(AgentMessage::kAlive), {}}));
}

void HostsBelow::pass_up(Host& host) {
  FrameLink& link = host.process->link();
  while (auto frame = link.next()) {
    const auto kind = static_cast<AgentMessage>(frame->kind);
    if (kind == AgentMessage::kAlive) continue;
    if (kind == AgentMessage::kStarted) link.set_limit(limit_);
    up_.send(AgentMessage::kBelow,
             to_bytes(BelowFrame{host.channel, frame->kind, std::move(frame->body)}));
  }
}

void HostsBelow::hang_up() {
  for (const Host& each : hosts_) each.process->hang_up();
}

}  // namespace weft
