// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running job as it is seen from outside: the job's socket, at which commands ask for its state,
// and the looks by which threads are found that wait for each other for ever. The same under `weft
// run` (job/job.hpp) and other launchers (task/task_node.hpp). Nothing here blocks.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/jobs/job_socket.hpp"
#include "weft/watch/deadlock_watch.hpp"

namespace weft {

// What is done about a job whose threads all wait for each other (watch/deadlock.hpp).
enum class OnDeadlock { kReport, kAbort, kOff };
// "report", "abort" or "off", as users write it; nothing if it is none of them.
[[nodiscard]] std::optional<OnDeadlock> parse_on_deadlock(const std::string& text);

// A job without a socket runs as well as any other: standard error then says why, and this returns
// nothing.
[[nodiscard]] std::unique_ptr<JobSocket> open_job_socket(const char* version);

struct WatchOptions {
  std::vector<std::string> command;   // the program and its arguments, for `weft ps`
  std::unique_ptr<JobSocket> socket;  // where others reach this job; may be nothing
  OnDeadlock deadlock = OnDeadlock::kReport;
  std::chrono::milliseconds look_period{2000};  // at nodes that may be stuck
};

// Nodes of a host that answer together.
struct NodeGroup {
  std::string host;             // as the user named it
  std::vector<unsigned> nodes;  // their numbers in the job; at least one
};

// Whoever has the nodes.
class WatchedJob {
 public:
  virtual ~WatchedJob() = default;
  // Looks at all groups. Their answers go to JobWatch::on_views(), at once or later.
  virtual void look(const ViewQuestion& question) = 0;
  [[nodiscard]] virtual JobPhase phase() const = 0;
  // False for a node that need not answer.
  [[nodiscard]] virtual bool is_alive(unsigned node) const = 0;
  // Lines for the user, in order.
  virtual void announce(const std::vector<std::string>& lines) = 0;
  // Because all its threads wait for each other. The sentence has not been announced.
  virtual void end_stuck_job(const std::string& sentence) = 0;
};

class JobWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `groups`: the nodes that can be seen, in the order in which they are shown. `nodes`: of the
  // whole job. Where some cannot be seen, no deadlock is looked for.
  JobWatch(WatchedJob& job, std::vector<NodeGroup> groups, unsigned nodes, WatchOptions options);

  // Readable when handle() has something to do; -1 without a socket.
  [[nodiscard]] int descriptor() const {
    return options_.socket ? options_.socket->descriptor() : -1;
  }
  void handle(JobRequests& requests) { options_.socket->handle(requests); }
  [[nodiscard]] JobSocket* socket() const { return options_.socket.get(); }

  // The socket is asked for the job's state, with words for addresses or without.
  void on_state_wanted(bool texts);
  void on_views(const HostViews& views);
  // What is due by now. To be called after each wait.
  void handle_time();
  // Until when a wait may last at most.
  [[nodiscard]] std::optional<Clock::time_point> due() const;

 private:
  struct Group {
    NodeGroup nodes;
    std::optional<HostViews> views;  // its answer to the question for the job's state
  };

  void take_state(const HostViews& views);
  [[nodiscard]] bool all_have_answered() const;
  void answer_state();
  void look_for_deadlock();
  void report_deadlock(const std::vector<NodeView>& nodes);

  WatchedJob& job_;
  std::vector<Group> groups_;
  const unsigned nodes_;
  WatchOptions options_;
  const std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
  const Clock::time_point began_ = Clock::now();  // the same, for how long ago it is
  std::optional<Clock::time_point> answer_by_;    // the state is asked for
  bool with_texts_ = false;                       // likewise
  std::uint64_t question_ = 0;                    // its number, or that of the last one
  DeadlockWatch deadlock_watch_;
  Clock::time_point next_look_;
};

}  // namespace weft
