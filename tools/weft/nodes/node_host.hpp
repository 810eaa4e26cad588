// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of one host as the launcher holds them, wherever they run: children of this process
// (nodes/local_nodes), or of an agent on another host (agent/remote_nodes). What happens to them
// comes as events, in the order in which it happened on their host.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "runtime/bootstrap/bootstrap_wire.hpp"
#include "weft/watch/node_view.hpp"

namespace weft {

// How a process ended, as waitid() says it.
struct NodeDeath {
  int code = 0;          // CLD_EXITED, or how a signal ended it
  int value = 0;         // the exit status, or the signal
  bool goes_on = false;  // its memory is being dumped: the end itself is told later
  WEFT_FIELDS(self.code, self.value, self.goes_on)
};

// Nodes have the numbers that they have in the job.
class NodeHost;
class NodeEvents {
 public:
  virtual ~NodeEvents() = default;
  virtual void on_message(unsigned node, BootstrapMessage kind, const Bytes& body) = 0;
  // Stream 0 is standard output, 1 standard error.
  virtual void on_output(unsigned node, int stream, std::string_view bytes) = 0;
  virtual void on_output_end(unsigned node, int stream) = 0;
  // All that it said and printed has been handed over.
  virtual void on_death(unsigned node, NodeDeath death) = 0;
  // The answer to NodeHost::look().
  virtual void on_views(const HostViews& views) = 0;
  // The host's nodes cannot be reached any more, and are to be taken for dead. The sentence says
  // why.
  virtual void on_host_lost(const NodeHost& host, const std::string& sentence) = 0;
};

// Nothing here blocks.
class NodeHost {
 public:
  virtual ~NodeHost() = default;

  // Readable when handle() has something to do.
  [[nodiscard]] virtual int descriptor() const = 0;
  // Hands over what happened next: one event where they can be told apart.
  virtual void handle(NodeEvents& events) = 0;
  // While this node's output is handed over: hands over the messages that the others have sent by
  // now, ahead of what they have printed. Not its own: they may be about this very output.
  virtual void read_messages_of_others(unsigned node, NodeEvents& events) = 0;

  virtual void send(unsigned node, BootstrapMessage kind, ByteView body) = 0;
  virtual void send_to_all(BootstrapMessage kind, ByteView body) = 0;
  // To the node and its process group. Nothing if the node is dead.
  virtual void signal(unsigned node, int number) = 0;
  // Nobody reads the stream any more: the node finds it closed.
  virtual void close_output(unsigned node, int stream) = 0;
  // True if a terminal sends its signals to the node itself.
  [[nodiscard]] virtual bool shares_terminal(unsigned node) const = 0;
  // For the user: the host's name.
  [[nodiscard]] virtual std::string host() const = 0;
  // For the user: node, process and host.
  [[nodiscard]] virtual std::string name_of(unsigned node) const = 0;

  // Looks at the nodes. The answer comes as an event, at once or later; none if the host is lost.
  virtual void look(const ViewQuestion& question, NodeEvents& events) = 0;

  // Called at least once a second while handle() is not: a host that hears nothing of its launcher
  // gives the job up.
  virtual void show_life() {}
  // Called some times in the limit for silence: a node that has been stopped for longer (SIGSTOP)
  // answers nobody, and fails with a sentence. Hosts with an agent have it look for that.
  virtual void look_for_stopped(std::chrono::milliseconds /*limit*/, NodeEvents& /*events*/) {}
  // The job is over: what the host still has is to go. Its destructor then waits for that.
  virtual void let_go() {}
  // The launcher is about to be stopped, which is no reason to give the job up.
  virtual void announce_pause() {}
};

}  // namespace weft
