// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of another host, through an agent there. First the agent is started and says what its
// host is; then it is told what to start; from then on this is a NodeHost like any other.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "weft/agent/agent_messages.hpp"
#include "weft/agent/frame_link.hpp"
#include "weft/nodes/node_host.hpp"

namespace weft {

class RemoteNodes final : public NodeHost {
 public:
  // Runs the command, which is to end in `weft agent` on the host. `name` is the host's for users.
  static Result<std::unique_ptr<RemoteNodes>> reach(const std::string& name,
                                                    std::vector<std::string> command);
  ~RemoteNodes() override;
  RemoteNodes(const RemoteNodes&) = delete;
  RemoteNodes& operator=(const RemoteNodes&) = delete;

  // --- until the nodes have started ---
  // Readable when advance() has something to do.
  [[nodiscard]] int link() const { return link_.in(); }
  // Takes in what has come. Fails when the host is lost or has refused.
  [[nodiscard]] Status advance();
  [[nodiscard]] const std::optional<AgentHello>& hello() const { return hello_; }
  void start(const AgentPlan& plan);
  [[nodiscard]] bool has_started() const { return !pids_.empty(); }

  // --- NodeHost ---
  [[nodiscard]] int descriptor() const override { return epoll_; }
  void handle(NodeEvents& events) override;
  void read_messages(NodeEvents&) override {}  // they come in order with what is printed
  void send(unsigned node, BootstrapMessage kind, ByteView body) override;
  void send_to_all(BootstrapMessage kind, ByteView body) override;
  void signal(unsigned node, int number) override;
  void close_output(unsigned node, int stream) override;
  void look(const ViewQuestion& question, NodeEvents& events) override;
  [[nodiscard]] bool shares_terminal(unsigned) const override { return false; }
  [[nodiscard]] std::string host() const override { return name_; }
  [[nodiscard]] std::string name_of(unsigned node) const override;
  void show_life() override { link_.show_life(); }
  void announce_pause() override { link_.send(AgentMessage::kPause, {}); }

 private:
  RemoteNodes(std::string name, int in, int out, int complaints, pid_t process);
  void begin_events();
  [[nodiscard]] bool is_here(unsigned node) const {
    return node >= first_ && node - first_ < count_;
  }
  // False if the frame makes no sense.
  bool hand_over(const StreamFrame& frame, NodeEvents& events);
  void lose(const std::string& why, NodeEvents& events);
  void watch_for_room();
  void read_input();
  void read_complaints();
  // Why the connection has ended: what ssh said, and how it left.
  [[nodiscard]] std::string epitaph();
  // Waits for the command, and kills it after so long; returns how it ended, as waitpid() says it.
  int reap(int patience_ms);
  void set_timer(std::chrono::milliseconds period) const;

  std::string name_;
  FrameLink link_;
  int complaints_;    // standard error of the command
  std::string said_;  // the end of what it printed there
  pid_t process_;
  int epoll_ = -1, timer_ = -1;
  std::chrono::milliseconds silence_limit_{0};
  std::optional<AgentHello> hello_;
  std::vector<pid_t> pids_;  // of the nodes
  unsigned first_ = 0, count_ = 0;
  bool reads_input_ = false;    // standard input goes to node 0 there
  bool input_is_file_ = false;  // which is always readable, and cannot be waited for
  bool waits_for_room_ = false;
  bool lost_ = false;
};

}  // namespace weft
