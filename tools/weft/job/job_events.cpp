// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens to nodes, and what follows from it for the job.
#include <fmt/format.h>

#include <csignal>

#include "base/codec.hpp"
#include "weft/job/endings.hpp"
#include "weft/job/job.hpp"

namespace weft {
void JobSupervisor::on_output(unsigned node, int stream, std::string_view bytes) {
  // Who has printed this may have waited for a node whose line has no end: first things first.
  for (unsigned other = 0; other < nodes_.size(); ++other) {
    if (other == node || !has_partial_line(other)) continue;
    nodes_[other].host->read_messages_of_others(node, *this);
  }
  if (options_.files) {
    const std::string complaint = options_.files->append(node, stream, bytes);
    if (!complaint.empty()) output_.announce(complaint);
  }
  output_.append(node, stream, bytes);
  // Nobody reads it any more: the node finds its pipe closed, as the program would alone.
  if (!output_.is_broken(stream)) return;
  nodes_[node].host->close_output(node, stream);
  output_.flush_line(node, stream);
}

void JobSupervisor::on_output_end(unsigned node, int stream) { output_.flush_line(node, stream); }

void JobSupervisor::on_message(unsigned node, BootstrapMessage kind, const Bytes& body) {
  if (ending_) return;
  switch (kind) {
    case BootstrapMessage::kExchange:
      return on_exchange(node, body);
    case BootstrapMessage::kFinished:
      return on_finished(node, from_bytes<int>(body).value_or(1));
    case BootstrapMessage::kFailure:
      return end(1, fmt::format("{}: {}", name_of(node), sentence_in(body)), node);
    case BootstrapMessage::kLostPeer:
      return on_lost_peer(node, from_bytes<LostPeer>(body).value_or(LostPeer()));
    case BootstrapMessage::kUnreadable:
      return on_unreadable(node, from_bytes<UnreadablePeer>(body).value_or(UnreadablePeer()));
    case BootstrapMessage::kSettled:
      for (const int stream : {0, 1}) output_.settle_line(node, stream);
      return nodes_[node].host->send(node, BootstrapMessage::kSettleTaken, {});
    case BootstrapMessage::kExchanged:
    case BootstrapMessage::kSettleTaken:
    case BootstrapMessage::kCallPlaces:  // its host has answered
    case BootstrapMessage::kCallTexts:
      break;
  }
}

// A node that is known to have gone early is the reason, and no network.
void JobSupervisor::on_lost_peer(unsigned node, const LostPeer& lost) {
  const unsigned peer = lost.peer.value();
  const bool has_exited = options_.joins_itself && peer < nodes_.size() && !nodes_[peer].alive;
  set_deadline(Deadline::Kind::kLostPeer, kLostPeerGraceMs,
               has_exited ? exited_early(name_of(peer), 0) : lost_connection(name_of(node), lost));
}

void JobSupervisor::on_unreadable(unsigned node, const UnreadablePeer& found) {
  const unsigned peer = found.peer.value();
  const std::string name = peer < nodes_.size() ? name_of(peer) : fmt::format("node {}", peer);
  end(1, cannot_read(name_of(node), name, found.what), node);
}

void JobSupervisor::on_exchange(unsigned node, const Bytes& body) {
  if (!nodes_[node].exchange) ++exchanged_;
  nodes_[node].exchange = body;
  nodes_[node].has_joined = true;
  if (exchanged_ < nodes_.size()) return;
  exchanged_ = 0;
  std::vector<ByteView> all;
  for (const Node& each : nodes_) all.emplace_back(*each.exchange);
  const Bytes message = to_bytes(all);
  for (Node& each : nodes_) each.exchange.reset();
  for (const auto& each : hosts_) each->send_to_all(BootstrapMessage::kExchanged, message);
}

void JobSupervisor::on_finished(unsigned node, int status) {
  if (node != 0 || (status & kEndAtOnce) != 0) return end(status & 0xff, "", node);
  finished_ = true;
  status_ = status & 0xff;
}

void JobSupervisor::on_death(unsigned node, NodeDeath death) {
  on_signal();  // which may explain it: a terminal sends its signals to node 0 directly
  if (death.goes_on) nodes_[node].spared = true;  // the job is over when its dump is
  nodes_[node].alive = death.goes_on;
  for (const int stream : {0, 1}) output_.flush_line(node, stream);
  if (ending_) return;
  const bool exited = death.code == CLD_EXITED;
  if (exited && options_.joins_itself && !finished_) return on_early_exit(node, death.value);
  if (exited && node == 0) {
    status_ = death.value;
    if (!finished_) return end(*status_, "");
    return set_deadline(Deadline::Kind::kKillAll, kFinishGraceMs, kNotAllHaveEnded);
  }
  if (exited && finished_) return;
  on_unexpected_death(node, death);
}

// Each node of such a job says before it exits that it does. A script that has failed before it
// joined has said why; one that never joins does its work on each node, which nobody wants. Another
// node that leaves in order may be gone before node 0 has said that it has finished.
void JobSupervisor::on_early_exit(unsigned node, int status) {
  if (!nodes_[node].has_joined && status == 0) return end(1, never_joined(name_of(node)));
  if (node == 0 && status == 0) return end(1, exited_early(name_of(node), status));
  on_unexpected_death(node, {.code = CLD_EXITED, .value = status, .goes_on = false});
}

void JobSupervisor::on_unexpected_death(unsigned node, NodeDeath death) {
  const int value = death.value;
  if (death.code != CLD_EXITED) {
    // What the user did to the job needs no explanation.
    const bool asked_for = node == 0 && (value == forwarded_signal_ || value == SIGPIPE);
    std::string sentence = asked_for ? "" : killed_by(name_of(node), value);
    if (death.goes_on) sentence += "; its memory is being dumped";
    return end(128 + value, sentence);
  }
  const std::string sentence = exited_early(name_of(node), value);
  if (value != 0) return end(value, sentence);
  set_deadline(Deadline::Kind::kEarlyExit, kEarlyExitGraceMs, sentence);
}

void JobSupervisor::on_host_lost(const NodeHost& host, const std::string& sentence) {
  for (Node& each : nodes_) {
    if (each.host == &host) each.alive = false;
  }
  // After the program's end the host may go as it likes.
  if (!ending_ && !(finished_ && !anybody_alive())) end(1, sentence);
}

}  // namespace weft
