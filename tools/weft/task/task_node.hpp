// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's node while it runs: carries what it exchanges with the others to the launcher and back,
// passes signals on, and makes its end the task's. The first task of each host also serves the
// job's socket there (task_requests.cpp).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/codec.hpp"
#include "weft/job/job_watch.hpp"
#include "weft/launchers/launcher_link.hpp"
#include "weft/nodes/local_nodes.hpp"
#include "weft/task/task_link.hpp"
#include "weft/task/task_wishes.hpp"

namespace weft {

// Where a task stands in its job.
struct TaskPlace {
  std::vector<std::string> command;  // the program and its arguments
  std::vector<unsigned> nodes_here;  // on the task's host, in order
  std::string first_host;            // that of node 0, for the user
  TaskWishes wishes;
  bool joins_itself = false;  // the program becomes a node when it likes
  std::string version;
};

// What tasks exchange: what their nodes do, and the path of the socket that a host's first has.
struct TaskExchange {
  Bytes node;
  std::string socket;
  WEFT_FIELDS(self.node, self.socket)
};

class TaskNode final : private NodeEvents, private JobRequests, private WatchedJob {
 public:
  // `node` holds the node of the launcher's rank, and no other.
  TaskNode(LauncherLink& launcher, LocalNodes& node, TaskPlace place);
  ~TaskNode() override;
  TaskNode(const TaskNode&) = delete;
  TaskNode& operator=(const TaskNode&) = delete;

  // Blocks until node and job have ended; returns the exit status of the task. That of node 0's is
  // the program's. If the job is to end before the others have finished, does not return.
  int run();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Stage { kRunning, kLeaving, kLeft };

  void on_message(unsigned node, BootstrapMessage kind, const Bytes& body) override;
  void on_output(unsigned, int, std::string_view) override {}
  void on_output_end(unsigned, int) override {}
  void on_death(unsigned node, NodeDeath death) override;
  void on_host_lost(const NodeHost&, const std::string&) override {}

  // --- the job's socket, where this is a host's first task ---
  void start_watch();
  [[nodiscard]] JobSocket* socket() const;
  void hide_job();
  void on_state_wanted(bool texts) override { watch_->on_state_wanted(texts); }
  [[nodiscard]] std::string why_no_signal(int signal) const override;
  void on_signal_wanted(int signal) override;
  [[nodiscard]] bool may_join(unsigned node) const override;
  void on_views(const HostViews& views) override { watch_->on_views(views); }
  void signal_all_here(int signal);

  // --- WatchedJob ---
  void look(const ViewQuestion& question) override;
  [[nodiscard]] JobPhase phase() const override;
  [[nodiscard]] bool is_alive(unsigned node) const override;
  void announce(const std::vector<std::string>& lines) override;
  void end_stuck_job(const std::string& sentence) override { end_job(1, sentence); }

  void on_finished(int status);
  void on_failure(const std::string& sentence);
  void on_unreadable(const UnreadablePeer& found);
  void fail(const std::string& sentence);
  void on_lost_peer(const Bytes& body);
  void on_exit(int status);
  void on_signal();
  void pass_on(int signal);
  void on_exchanged();
  void on_deadline();

  // On a thread of its own, as the launcher may let it wait for long.
  void exchange(Bytes mine);
  void hand_over(const std::vector<Bytes>& all);
  void leave(int status);
  // Then the job ends with the sentence, and this task with the status.
  void set_deadline(unsigned milliseconds, std::string sentence, int status = 1);
  [[nodiscard]] int timeout_ms() const;
  [[nodiscard]] bool is_first() const { return launcher_.rank() == 0; }
  [[nodiscard]] std::string name() const { return node_.name_of(launcher_.rank()); }
  // A line for the user; blocks until the launcher has read it, or for a fifth of a second.
  static void say(const std::string& sentence);
  // Ends all tasks, and this one with the status. The sentence may be empty.
  [[noreturn]] void end_job(int status, const std::string& sentence);

  LauncherLink& launcher_;
  LocalNodes& node_;
  const TaskPlace place_;
  int signals_;
  int exchanged_;  // eventfd: the thread is done
  std::thread exchanging_;
  Result<std::vector<Bytes>> result_;
  Stage stage_ = Stage::kRunning;
  bool finished_ = false;    // node 0 has said so
  bool has_joined_ = false;  // the node is one
  bool failed_ = false;      // the node has said why, and is about to exit
  int status_ = 0;
  int last_signal_ = 0;
  std::optional<Clock::time_point> deadline_;
  std::string deadline_sentence_;
  int deadline_status_ = 1;
  bool stopped_ = false;            // the nodes are, by `weft kill`
  std::optional<JobWatch> watch_;   // of a host's first task
  std::unique_ptr<TaskLink> link_;  // of the others, once they have met
};

}  // namespace weft
