// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launcher and its agent on another host say to each other: frames
// (runtime/bootstrap/frames.hpp) on the agent's standard input and output, which ssh carries.
//
//   launcher                                  agent (`weft agent` on the host)
//      │── starts it through ssh ───────────────►│
//      │◄─ Hello: who and what the host is ──────│
//      │── Start: program, environment, nodes ──►│ starts the nodes
//      │◄─ Started: their processes ─────────────│ or Refused: why not
//      │── ToNode, ToAll, Signal, Input ────────►│
//      │◄─ FromNode, Output, OutputEnd, Death ───│
//      │── Taken: of an Output ─────────────────►│ drops it from the node's pipe
//      │── Look: at the nodes ──────────────────►│
//      │◄─ Views: what they do ──────────────────│
//      │◄─ Alive ── and ── Alive ───────────────►│ several times in the limit for silence
//
// An agent reaches further hosts for the launcher. Frames to and from the agent of such a host go
// through it, wrapped, and it may reach others in turn:
//
//   launcher                    agent of host a               agent of host b
//      │── Reach: b's command ────►│── starts it through ssh ────►│
//      │◄─ Below { Hello } ────────│◄─ Hello ─────────────────────│
//      │── Below { Start } ───────►│── Start ────────────────────►│
//      │── ToAll ─────────────────►│── ToAll ────────────────────►│  goes to all below by itself
//      │◄─ BelowEnded: why ────────│ b is silent, or its stream has ended
//
// Signs of life go between neighbours alone: each agent watches over those that it has reached.
// There is one exception: while files go down to a host before its agent starts (--stage), a
// Below { Alive } now and then tells the launcher that they do.
//
// Either side takes the other for lost when the stream ends, or nothing comes for longer than the
// limit. The agent then kills its nodes and leaves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/codec.hpp"
#include "runtime/bootstrap/bootstrap_wire.hpp"
#include "weft/nodes/node_host.hpp"
#include "weft/processors/processors.hpp"
#include "weft/watch/node_view.hpp"

namespace weft {

enum class AgentMessage : std::uint8_t {
  // launcher to agent
  kStart = 1,    // AgentPlan
  kToNode,       // NodeMessage
  kToAll,        // NodeMessage without a node
  kSignal,       // NodeSignal
  kTaken,        // NodeStream
  kCloseOutput,  // NodeStream
  kInput,        // bytes for node 0; none: the end of its input
  kExamine,      // nothing: a question of `weft doctor`, before or in place of kStart
  kListen,       // likewise: ListenRequest (examination/examination.hpp)
  kProbe,        // likewise: ProbeTarget (examination/probe.hpp)
  kPause,        // the launcher is going to be silent; until its next frame that is no fault
  kReach,        // AgentReach
  kLook,         // ViewQuestion
  // agent to launcher
  kHello,       // AgentHello
  kStarted,     // std::vector<pid_t>
  kRefused,     // a sentence
  kFromNode,    // NodeMessage
  kOutput,      // NodeOutput
  kOutputEnd,   // NodeStream
  kDeath,       // NodeEnd
  kViews,       // HostViews: the answer to a kLook, in the order of the questions
  kBelowEnded,  // BelowEnd
  kExamined,    // Examination
  kListening,   // Listening
  kProbed,      // ProbeResult
  // both
  kAlive,
  kBelow,  // BelowFrame
};

// Where the agent's host has an address.
struct HostAddress {
  std::string interface, address;  // "eth0", "10.0.0.2" or "fe80::1"
  unsigned prefix_bits = 0;        // of its network
  bool is_loopback = false, is_bridge = false;
  WEFT_FIELDS(self.interface, self.address, self.prefix_bits, self.is_loopback, self.is_bridge)
};

struct AgentHello {
  std::string version;                // of Weft there
  std::string host;                   // its name
  std::vector<Processor> processors;  // that nodes may use; empty: not asked for
  std::vector<HostAddress> addresses;
  std::string reached_at, reached_from;  // addresses of the connection, where ssh tells them
  WEFT_FIELDS(self.version, self.host, self.processors, self.addresses, self.reached_at,
              self.reached_from)
};

struct AgentPlan {
  std::string file, folder, node_library;  // absolute paths
  std::vector<std::string> arguments;      // argv, with the program's name
  std::vector<std::string> environment;    // of the launcher: NAME=VALUE
  std::vector<std::string> options;        // of the nodes: NAME=VALUE
  unsigned first = 0, nodes_here = 0, nodes = 0, threads = 0;
  unsigned file_mask = 0;                // umask
  std::uint64_t stack_limit = 0;         // RLIMIT_STACK, bytes
  std::vector<ProcessorSet> processors;  // to which each node is bound; none: they are not
  unsigned processors_here = 0;          // that they may use together
  std::uint64_t silence_limit_ms = 0;    // after which the launcher is lost; 0: never
  std::vector<std::string> libraries;    // absolute paths, that the host must have
  bool joins_itself = false;             // the program is no node by weftcc (nodes/spawn.hpp)
  WEFT_FIELDS(self.file, self.folder, self.node_library, self.arguments, self.environment,
              self.options, self.first, self.nodes_here, self.nodes, self.threads, self.file_mask,
              self.stack_limit, self.processors, self.processors_here, self.silence_limit_ms,
              self.libraries, self.joins_itself)
};

// A further host that the agent is to reach.
struct AgentReach {
  unsigned channel = 0;  // its number among those below this agent
  std::vector<std::string> command;
  bool staged = false;  // the command first reads the files that this agent came with
  WEFT_FIELDS(self.channel, self.command, self.staged)
};
// A frame to the agent of a host below, or from it.
struct BelowFrame {
  unsigned channel = 0;
  std::uint8_t kind = 0;  // AgentMessage
  Bytes body;
  WEFT_FIELDS(self.channel, self.kind, self.body)
};
struct BelowEnd {
  unsigned channel = 0;
  std::string reason;
  WEFT_FIELDS(self.channel, self.reason)
};

struct NodeMessage {
  unsigned node = 0;
  BootstrapMessage kind = BootstrapMessage::kExchange;
  Bytes body;
  WEFT_FIELDS(self.node, self.kind, self.body)
};
struct NodeSignal {
  unsigned node = 0;
  int signal = 0;
  WEFT_FIELDS(self.node, self.signal)
};
struct NodeStream {
  unsigned node = 0;
  int stream = 0;
  WEFT_FIELDS(self.node, self.stream)
};
struct NodeOutput {
  unsigned node = 0;
  int stream = 0;
  std::string bytes;
  WEFT_FIELDS(self.node, self.stream, self.bytes)
};
struct NodeEnd {
  unsigned node = 0;
  NodeDeath death;
  WEFT_FIELDS(self.node, self.death)
};

}  // namespace weft
