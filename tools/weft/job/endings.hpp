// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How jobs end: the sentences that say it and the times that are given, the same under `weft run`
// (job/job_events.cpp) and under other launchers (task/task_node.cpp).
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "runtime/bootstrap/bootstrap_wire.hpp"

namespace weft {

inline constexpr unsigned kFinishGraceMs = 30'000;  // for the other nodes once node 0 is gone
inline constexpr unsigned kLostPeerGraceMs = 5000;  // for the death that explains a lost connection
inline constexpr unsigned kEarlyExitGraceMs =
    10'000;  // for node 0, on a busy machine, to say that it has finished

inline constexpr const char* kNotAllHaveEnded =
    "the program has ended, but not all nodes with it; they are killed";

// `name` is the node's, for users (NodeHost::name_of).
inline std::string killed_by(const std::string& name, int signal) {
  return fmt::format("{} was killed by signal {} ({}); the job is ended", name, signal,
                     strsignal(signal));
}
inline std::string exited_early(const std::string& name, int status) {
  return fmt::format("{} exited with status {} before the program had finished; the job is ended",
                     name, status);
}
inline std::string never_joined(const std::string& name) {
  return fmt::format(
      "{} has ended and never joined the job, as a program must that is started with --binding "
      "(Python: import weft); the job is ended",
      name);
}
inline std::string lost_connection(const std::string& name, const LostPeer& lost) {
  return fmt::format("{} lost its connection to node {}: {}; the job is ended", name,
                     lost.peer.value(), lost.reason);
}
inline std::string cannot_read(const std::string& name, const std::string& peer,
                               const std::string& what) {
  return fmt::format("{} cannot read what {} has sent: {}; the job is ended", name, peer, what);
}
inline std::string comes_by_kill(int signal) {
  return fmt::format("signal {} ({}) comes by `weft kill`", signal, strsignal(signal));
}
inline std::string not_ended_in_grace(unsigned seconds, int signal) {
  return fmt::format("the program did not end within {} s of signal {} ({}); it is killed", seconds,
                     signal, strsignal(signal));
}
// What a node says with BootstrapMessage::kFailure.
inline std::string sentence_in(ByteView body) {
  return std::string(reinterpret_cast<const char*>(body.data()), body.size());
}

}  // namespace weft
