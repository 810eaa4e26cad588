// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of another host, through an agent there. First the agent is started and says what its
// host is; then it is told what to start; from then on this is a NodeHost like any other.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "weft/agent/agent_messages.hpp"
#include "weft/agent/agent_process.hpp"
#include "weft/nodes/node_host.hpp"

namespace weft {

// Frames come and go by a process of this host (ssh), or wrapped, by way of another host's agent
// that has been asked to reach this one.
class RemoteNodes final : public NodeHost {
 public:
  // Runs the command, which is to end in `weft agent` on the host. `name` is the host's for users.
  // The command reads `stage` before; null: nothing.
  static Result<std::unique_ptr<RemoteNodes>> reach(const std::string& name,
                                                    std::vector<std::string> command,
                                                    std::shared_ptr<const StageStream> stage = {});
  // The agent of `way` runs the command. Once `way` is destroyed, this host cannot be reached.
  // `staged`: the command first reads the files with which that agent came itself.
  static std::unique_ptr<RemoteNodes> reach_through(RemoteNodes& way, const std::string& name,
                                                    std::vector<std::string> command, bool staged);
  ~RemoteNodes() override;
  RemoteNodes(const RemoteNodes&) = delete;
  RemoteNodes& operator=(const RemoteNodes&) = delete;

  // --- until the nodes have started ---
  // Adds what is to be waited for until advance() has something to do.
  void add_to(std::vector<pollfd>& waiting);
  // Takes in what has come. Fails when the host is lost or has refused.
  [[nodiscard]] Status advance();
  [[nodiscard]] const std::optional<AgentHello>& hello() const { return hello_; }
  // A question of the doctor's; its answer comes by advance().
  void ask(AgentMessage question, ByteView body) { tell(question, body); }
  [[nodiscard]] bool has_answer() const { return answer_.has_value(); }
  [[nodiscard]] Bytes take_answer() { return *std::exchange(answer_, std::nullopt); }
  // Bytes of the stage that have been sent from here; 0 for a host that another reaches.
  [[nodiscard]] std::uint64_t staged_bytes() const {
    return process_ == nullptr ? 0 : process_->link().staged_bytes();
  }
  // Grows as long as files go to the host before its agent starts.
  [[nodiscard]] std::uint64_t staging() const { return staged_bytes() + signs_of_staging_; }
  void start(const AgentPlan& plan);
  [[nodiscard]] bool has_started() const { return !pids_.empty(); }
  [[nodiscard]] bool is_through_another() const { return process_ == nullptr; }

  // --- NodeHost ---
  // Of a host that is reached through another, all events come with those of the other.
  [[nodiscard]] int descriptor() const override { return epoll_; }
  void handle(NodeEvents& events) override;
  // They come in order with what is printed.
  void read_messages_of_others(unsigned, NodeEvents&) override {}
  void send(unsigned node, BootstrapMessage kind, ByteView body) override;
  void send_to_all(BootstrapMessage kind, ByteView body) override;
  void signal(unsigned node, int number) override;
  void close_output(unsigned node, int stream) override;
  void look(const ViewQuestion& question, NodeEvents& events) override;
  [[nodiscard]] bool shares_terminal(unsigned) const override { return false; }
  [[nodiscard]] std::string host() const override { return name_; }
  [[nodiscard]] std::string name_of(unsigned node) const override;
  void show_life() override {
    if (process_ != nullptr) process_->link().show_life();
  }
  void let_go() override {
    if (process_ != nullptr) process_->hang_up();
  }
  void announce_pause() override { tell(AgentMessage::kPause, {}); }

 private:
  explicit RemoteNodes(std::string name);
  void begin_events();
  [[nodiscard]] bool is_here(unsigned node) const {
    return node >= first_ && node - first_ < count_;
  }

  void tell(AgentMessage kind, ByteView body);
  [[nodiscard]] RemoteNodes& first_on_the_way();  // whose process carries the frames
  [[nodiscard]] FrameLink* stream();              // of that one; null: it is gone
  // Reads what the process has brought, for this host and for those below.
  void read_frames();
  void distribute(StreamFrame frame);
  // Null: it is gone, or never was, which is noted.
  [[nodiscard]] RemoteNodes* at_channel(unsigned channel);
  [[nodiscard]] Status take_first_frame(const StreamFrame& frame);
  // Hands over what has come for this host and those below.
  void hand_over_all(NodeEvents& events);
  // False if the frame makes no sense.
  bool hand_over(const StreamFrame& frame, NodeEvents& events);
  // Empty: it is not.
  [[nodiscard]] std::string why_lost();
  void look_for_losses(NodeEvents& events);
  void lose(const std::string& why, NodeEvents& events);
  void lose_those_below(NodeEvents& events);
  [[nodiscard]] std::vector<std::string> names_below() const;
  void watch_for_room();
  void read_input();
  void set_timer(std::chrono::milliseconds period) const;

  std::string name_;
  std::unique_ptr<AgentProcess> process_;  // or
  RemoteNodes* way_ = nullptr;             // with this host's number there:
  unsigned channel_ = 0;
  std::vector<RemoteNodes*> below_;  // by channel; null: gone
  std::deque<StreamFrame> arrived_;  // for this host
  std::string end_;                  // why it is lost
  std::uint64_t signs_of_staging_ = 0;

  int epoll_ = -1, timer_ = -1;
  std::chrono::milliseconds silence_limit_{0};
  std::optional<AgentHello> hello_;
  std::optional<Bytes> answer_;
  std::vector<pid_t> pids_;  // of the nodes
  unsigned first_ = 0, count_ = 0;
  bool reads_input_ = false;    // standard input goes to node 0 there
  bool input_is_file_ = false;  // which is always readable, and cannot be waited for
  bool waits_for_room_ = false;
  bool lost_ = false;
};

}  // namespace weft
