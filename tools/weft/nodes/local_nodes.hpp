// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes that are children of this process: their deaths, messages and output.
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "runtime/board/snapshot.hpp"
#include "weft/nodes/node_host.hpp"
#include "weft/nodes/spawn.hpp"

namespace weft {

class LocalNodes final : public NodeHost {
 public:
  // Starts nodes `first`, `first + 1`, ..., `count` of them. If one cannot be started, those before
  // it are killed.
  static Result<std::unique_ptr<LocalNodes>> start(const SpawnPlan& plan, unsigned first,
                                                   unsigned count);
  ~LocalNodes() override;
  LocalNodes(const LocalNodes&) = delete;
  LocalNodes& operator=(const LocalNodes&) = delete;

  // Output is handed over, but stays in its pipe until confirm_output(). Nodes that wait for their
  // output to be read then wait for whoever confirms. Call before the first handle().
  void hold_output();
  // What was handed over last of the stream has been taken.
  void confirm_output(unsigned node, int stream);

  [[nodiscard]] std::vector<pid_t> pids() const;
  void signal_all(int number);
  // What the node shows of itself now; nothing if it is dead or has not begun to.
  [[nodiscard]] std::optional<board::NodeSnapshot> snapshot(unsigned node) const;
  [[nodiscard]] HostViews views(const ViewQuestion& question) const;
  // Kills all nodes, and every process that they have left to this one. Returns when they are dead.
  void kill_all();

  // --- NodeHost ---
  [[nodiscard]] int descriptor() const override { return epoll_; }
  void handle(NodeEvents& events) override;
  void read_messages_of_others(unsigned node, NodeEvents& events) override;
  void send(unsigned node, BootstrapMessage kind, ByteView body) override;
  void send_to_all(BootstrapMessage kind, ByteView body) override;
  void signal(unsigned node, int number) override;
  void close_output(unsigned node, int stream) override;
  void look(const ViewQuestion& question, NodeEvents& events) override {
    events.on_views(views(question));
  }
  [[nodiscard]] bool shares_terminal(unsigned node) const override;
  [[nodiscard]] std::string host() const override;
  [[nodiscard]] std::string name_of(unsigned node) const override;
  void look_for_stopped(std::chrono::milliseconds limit, NodeEvents& events) override;
  // The launcher itself has stopped them: their time begins anew.
  void excuse_stopped();

 private:
  enum class Source : std::uint32_t { kDeath, kLink, kStream, kDumpTimer };
  struct Node {
    unsigned number = 0;
    NodeProcess process;
    BootstrapReader from_node;
    bool alive = true;
    bool is_dumping = false;  // and that is told
    std::optional<std::chrono::steady_clock::time_point> stopped_since;
    std::size_t held_bytes[2] = {};  // handed over, and not confirmed
  };

  explicit LocalNodes(unsigned first);
  void add(NodeProcess started);
  [[nodiscard]] static ProcessView process_of(const Node& node);
  [[nodiscard]] Node& node(unsigned number) { return nodes_[number - first_]; }
  [[nodiscard]] const Node& node(unsigned number) const { return nodes_[number - first_]; }
  void watch(int descriptor, Source source, unsigned index, int stream = 0);
  void read_link(Node& node, NodeEvents& events);
  void answer_places(const Node& node, const CallPlaces& calls);
  void read_stream(Node& node, int stream, NodeEvents& events);
  void peek_stream(Node& node, int stream, NodeEvents& events);
  void drain_stream(Node& node, int stream, NodeEvents& events);
  void end_stream(Node& node, int stream, NodeEvents& events);
  void hand_over_rest(Node& node, NodeEvents& events);
  void on_death(Node& node, NodeEvents& events);
  void look_for_dumps(NodeEvents& events);
  void set_watched(const Node& node, int stream, bool watched) const;

  unsigned first_;
  std::vector<Node> nodes_;
  int epoll_ = -1;
  int dump_timer_ = -1;  // once a second, where processes may be dumped
  bool holds_output_ = false;
  int peeking_[2] = {-1, -1};  // a pipe into which a stream's bytes are copied
};

}  // namespace weft
