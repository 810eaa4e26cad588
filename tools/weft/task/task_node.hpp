// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's node while it runs: carries what it exchanges with the others to the launcher and back,
// passes signals on, and makes its end the task's.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "weft/launchers/launcher_link.hpp"
#include "weft/nodes/local_nodes.hpp"

namespace weft {

class TaskNode final : private NodeEvents {
 public:
  // `node` holds the node of the launcher's rank, and no other.
  TaskNode(LauncherLink& launcher, LocalNodes& node);
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
  void on_views(const HostViews&) override {}
  void on_host_lost(const NodeHost&, const std::string&) override {}

  void on_finished(int status);
  void on_failure(const std::string& sentence);
  void on_unreadable(const UnreadablePeer& found);
  void fail(const std::string& sentence);
  void on_lost_peer(const Bytes& body);
  void on_exit(int status);
  void on_signal();
  void on_exchanged();
  void on_deadline();

  // On a thread of its own, as the launcher may let it wait for long.
  void exchange(Bytes mine);
  void leave(int status);
  // Then the job ends with the sentence, and this task with the status.
  void set_deadline(unsigned milliseconds, std::string sentence, int status = 1);
  [[nodiscard]] int timeout_ms() const;
  [[nodiscard]] bool is_first() const { return launcher_.rank() == 0; }
  [[nodiscard]] std::string name() const { return node_.name_of(launcher_.rank()); }
  // Ends all tasks, and this one with the status. The sentence may be empty.
  [[noreturn]] void end_job(int status, const std::string& sentence);

  LauncherLink& launcher_;
  LocalNodes& node_;
  int signals_;
  int exchanged_;  // eventfd: the thread is done
  std::thread exchanging_;
  Result<std::vector<Bytes>> result_;
  Stage stage_ = Stage::kRunning;
  bool finished_ = false;  // node 0 has said so
  bool failed_ = false;    // the node has said why, and is about to exit
  int status_ = 0;
  int last_signal_ = 0;
  std::optional<Clock::time_point> deadline_;
  std::string deadline_sentence_;
  int deadline_status_ = 1;
};

}  // namespace weft
