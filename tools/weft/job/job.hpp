// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running job: one loop, in one thread, over what happens to the nodes, wherever they run, and
// the launcher's signals. The job ends when all its processes have ended; whatever ends it first
// decides the exit status:
//
//   node 0 exits                       its status
//   the program calls exit(n) elsewhere  n
//   a node is killed by signal s         128 + s, with a sentence; the others are killed at once
//   a node exits with n before its time  n, likewise
//   a node reports a failure             1, likewise
//   a host is lost                       1, likewise
//   the limit of its time is over        124, with a sentence, whatever the program then does
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "weft/job/job_watch.hpp"
#include "weft/job/output.hpp"
#include "weft/job/output_files.hpp"
#include "weft/nodes/node_host.hpp"

namespace weft {

struct JobOptions {
  unsigned grace_seconds = 10;           // from a forwarded signal to SIGKILL; 0: for ever
  std::chrono::milliseconds timeout{0};  // after which the job is ended; 0: never
  LabelParts label;
  std::unique_ptr<OutputFiles> files;  // that keep the output as well; may be nothing
  // Of several hosts, for which a node may be stopped; 0: for ever.
  std::chrono::milliseconds silence_limit{0};
  bool joins_itself = false;  // all nodes run the program, which becomes a node when it likes
  WatchOptions watch;
};

// Blocks the signals that a job handles, and returns the mask before. Call before nodes start.
sigset_t take_signals();
// A descriptor from which the signals that a job handles are read (signalfd); the caller's.
[[nodiscard]] int open_signals();
// True for the signals by which a user ends a job.
[[nodiscard]] bool asks_to_end(int signal);

// A host with the nodes first, first + 1, ... of the job, `count` of them.
struct HostedNodes {
  std::unique_ptr<NodeHost> host;
  unsigned count = 0;
};

class JobSupervisor final : private NodeEvents, private JobRequests, private WatchedJob {
 public:
  // Takes over the hosts with their nodes, in the order of the nodes' numbers.
  JobSupervisor(std::vector<HostedNodes> hosts, JobOptions options);
  ~JobSupervisor() override;
  JobSupervisor(const JobSupervisor&) = delete;
  JobSupervisor& operator=(const JobSupervisor&) = delete;

  // Returns the exit status of the job once no process of it is left.
  [[nodiscard]] int run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Node {
    NodeHost* host = nullptr;
    std::optional<Bytes> exchange;  // what it gave to the exchange under way
    bool alive = true;
    bool has_joined = false;  // it has exchanged something
    bool spared = false;      // is not killed with the others at the end, but has a second
  };
  // What must happen when nothing else has happened by then.
  struct Deadline {
    Clock::time_point when;
    enum class Kind { kKillAll, kLostPeer, kEarlyExit, kTimeout } kind;
    std::string sentence;
  };

  void watch(int descriptor, std::size_t source);
  void wait();
  [[nodiscard]] int timeout_ms() const;
  void handle(std::size_t source);
  void handle_deadlines();
  void on_deadline(const Deadline& due);
  void look_for_stopped();

  void on_signal();
  void on_stop_signal();
  void pass_on(int signal);
  void give_grace(int signal);
  void on_timeout(const std::string& sentence);

  // --- JobRequests ---
  void on_state_wanted(bool texts) override { watch_.on_state_wanted(texts); }
  void on_signal_wanted(int signal) override;

  // --- WatchedJob ---
  void look(const ViewQuestion& question) override;
  [[nodiscard]] JobPhase phase() const override;
  [[nodiscard]] bool is_alive(unsigned node) const override { return nodes_[node].alive; }
  void announce(const std::vector<std::string>& lines) override;
  void end_stuck_job(const std::string& sentence) override { end(1, sentence); }

  // --- NodeEvents ---
  void on_message(unsigned node, BootstrapMessage kind, const Bytes& body) override;
  void on_output(unsigned node, int stream, std::string_view bytes) override;
  void on_output_end(unsigned node, int stream) override;
  void on_death(unsigned node, NodeDeath death) override;
  void on_views(const HostViews& views) override { watch_.on_views(views); }
  void on_host_lost(const NodeHost& host, const std::string& sentence) override;

  void on_unexpected_death(unsigned node, NodeDeath death);
  void on_early_exit(unsigned node, int status);
  void on_exchange(unsigned node, const Bytes& body);
  void on_lost_peer(unsigned node, const LostPeer& lost);
  void on_unreadable(unsigned node, const UnreadablePeer& found);
  void on_finished(unsigned node, int status);

  [[nodiscard]] bool has_partial_line(unsigned node) const;
  void flush_prompts();
  void end(int status, const std::string& sentence, std::optional<unsigned> spared = {});
  void set_deadline(Deadline::Kind kind, std::int64_t milliseconds, std::string sentence = {});
  void kill_node(unsigned node, int signal);
  void kill_all(int signal);
  [[nodiscard]] bool anybody_alive() const;
  [[nodiscard]] std::string name_of(unsigned node) const;
  void write_rest();

  std::vector<std::unique_ptr<NodeHost>> hosts_;
  std::vector<Node> nodes_;    // by number
  std::size_t exchanged_ = 0;  // nodes that have given to the exchange under way
  JobOptions options_;
  Output output_;
  int epoll_ = -1, signals_ = -1;
  std::optional<int> status_;  // of the job, once decided
  bool ending_ = false;        // the nodes are being killed: how they die tells nothing
  bool finished_ = false;      // node 0 has said that the program is over
  int forwarded_signal_ = 0;   // the last one that asks a process to end
  bool prompts_ = false;       // standard output is a terminal
  std::vector<Deadline> deadlines_;
  bool timed_out_ = false;
  bool stopped_ = false;  // the nodes are, by `weft kill`
  JobWatch watch_;
  Clock::time_point next_look_for_stopped_;
};

}  // namespace weft
