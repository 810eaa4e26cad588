// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running job: one loop, in one thread, over the nodes' deaths, links and output, and the
// launcher's signals. The job ends when all its processes have ended; whatever ends it first
// decides the exit status:
//
//   node 0 exits                       its status
//   the program calls exit(n) elsewhere  n
//   a node is killed by signal s         128 + s, with a sentence; the others are killed at once
//   a node exits with n before its time  n, likewise
//   a node reports a failure             1, likewise
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "runtime/bootstrap/bootstrap_wire.hpp"
#include "weft/output.hpp"
#include "weft/spawn.hpp"

namespace weft {

struct JobOptions {
  unsigned grace_seconds = 10;  // from a forwarded signal to SIGKILL; 0: for ever
  bool label = false;
};

// Blocks the signals that a job handles, and returns the mask before. Call before nodes start.
sigset_t take_signals();

class JobSupervisor {
 public:
  // Takes over the nodes, by number.
  JobSupervisor(std::vector<NodeProcess> nodes, const JobOptions& options);
  ~JobSupervisor();
  JobSupervisor(const JobSupervisor&) = delete;
  JobSupervisor& operator=(const JobSupervisor&) = delete;

  // Returns the exit status of the job once no process of it is left.
  [[nodiscard]] int run();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Source : std::uint32_t { kSignal, kDeath, kLink, kStream };
  struct Node {
    NodeProcess process;
    BootstrapReader from_node;
    std::optional<Bytes> exchange;  // what it gave to the exchange under way
    bool alive = true;
    bool spared = false;  // is not killed with the others at the end, but has a second
  };
  // What must happen when nothing else has happened by then.
  struct Deadline {
    Clock::time_point when;
    enum class Kind { kKillAll, kLostPeer, kEarlyExit } kind;
    std::string sentence;
  };

  void watch(int descriptor, Source source, unsigned node, int stream = 0);
  void unwatch(int& descriptor);
  void wait();
  [[nodiscard]] int timeout_ms() const;
  void handle(const epoll_event& event);
  void handle_deadlines();

  void on_signal();
  void on_stop_signal();
  void on_death(unsigned node);
  void on_unexpected_death(unsigned node, int code, int value);
  void on_link(unsigned node);
  void on_message(unsigned node, BootstrapMessage kind, const Bytes& body);
  void on_exchange(unsigned node, const Bytes& body);
  void on_finished(unsigned node, int status);
  void on_stream(unsigned node, int stream);

  void read_stream(unsigned node, int stream, bool to_the_end);
  void flush_prompts();
  void end(int status, const std::string& sentence, std::optional<unsigned> spared = {});
  void set_deadline(Deadline::Kind kind, unsigned milliseconds, std::string sentence = {});
  void kill_node(Node& node, int signal);
  void kill_all(int signal);
  [[nodiscard]] bool anybody_alive() const;
  [[nodiscard]] std::string name_of(unsigned node) const;
  void write_rest();

  std::vector<Node> nodes_;
  JobOptions options_;
  Output output_;
  int epoll_ = -1, signals_ = -1;
  std::optional<int> status_;  // of the job, once decided
  bool ending_ = false;        // the nodes are being killed: how they die tells nothing
  bool finished_ = false;      // node 0 has said that the program is over
  int forwarded_signal_ = 0;   // the last one that asks a process to end
  bool prompts_ = false;       // standard output is a terminal
  std::vector<Deadline> deadlines_;
};

}  // namespace weft
