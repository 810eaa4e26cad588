// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's link to whatever started it. It says which node this is and of how many, carries the
// addresses by which nodes find each other, and tells each side how the other ends. Nothing of the
// program's own traffic goes this way.
//
// One implementation stands here, for `weft run`, its agents, and `weft task`, which speaks for
// other launchers: messages over a socket that the node inherits (bootstrap.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"

namespace weft {

class Bootstrap {
 public:
  // The link of this process: nothing if no launcher started it as a node, a failure if what the
  // launcher left in the environment is unusable. Call once. From then on the process gets SIGKILL
  // when the launcher dies.
  static Result<std::unique_ptr<Bootstrap>> from_environment();

  virtual ~Bootstrap() = default;

  [[nodiscard]] virtual NodeId self() const = 0;
  [[nodiscard]] virtual unsigned node_count() const = 0;
  [[nodiscard]] virtual unsigned threads_per_node() const = 0;
  // True if all nodes of the job are on this machine.
  [[nodiscard]] virtual bool is_on_one_host() const = 0;
  // Else: the network interfaces by which the hosts reach each other, separated by commas.
  [[nodiscard]] virtual std::string net_devices() const = 0;
  // Which address of theirs, where the launcher has chosen one; else empty.
  [[nodiscard]] virtual std::string net_address() const { return {}; }
  // True if the job has more threads on this machine than it may use processors: whoever waits
  // should then yield rather than spin.
  [[nodiscard]] virtual bool oversubscribed() const = 0;

  // Every node gives its bytes, and gets those of all, by node number. Blocks until all have come;
  // fails when the job ends before. Every node must call it equally often.
  [[nodiscard]] virtual Result<std::vector<Bytes>> exchange(Bytes mine) = 0;

  // The program has ended: by node 0, that main has returned or exit() was called, and the others
  // are being shut down; by another node, that the program called exit() there, which ends the job.
  // Not needed before _exit(), nor by nodes that leave because node 0 has finished.
  virtual void report_finished(int status) = 0;
  // Something failed that must end the job. The launcher prints the sentence, with this node's
  // number, and ends all other nodes; this one then has a second to exit as it likes.
  virtual void report_failure(std::string_view sentence) = 0;
  // What this node has printed so far has been read: a line that has no end yet takes its place
  // now. Where other hosts print, too, blocks until the launcher has heard of it: what is printed
  // next may come there by a faster way. Any thread; several may call at once.
  virtual void report_settled_output() = 0;
  // The connection to a peer broke. If that peer has died, the launcher is going to say so itself;
  // only if it lives, this counts as a failure. The caller then waits to be ended.
  virtual void report_lost_peer(NodeId peer, std::string_view reason) = 0;
  // What the peer has sent cannot be read; as report_failure(), with the peer's name from the
  // launcher, which knows its host. `what`: "LockGrant of 25 bytes".
  virtual void report_unreadable(NodeId peer, std::string_view what) = 0;

  // Where the calls are in the program's source that return to these addresses, as far as whoever
  // started this process can tell: "heat.c:41", or "relax+0x12 (heat)"; else empty. Blocks for as
  // long as the program's files are read. By one thread.
  [[nodiscard]] virtual std::vector<std::string> places_of_calls(
      const std::vector<std::uint64_t>& addresses) {
    return std::vector<std::string>(addresses.size());
  }

  // Readable when the launcher has something to say or is gone; then job_ended() tells.
  [[nodiscard]] virtual int descriptor() const = 0;
  // True once the launcher is gone or has given the job up: leave at once. Does not block.
  [[nodiscard]] virtual bool job_ended() = 0;
};

// The descriptor of the board that the launcher has made for this node (runtime/board); -1 if there
// is none. Before restore_program_environment().
[[nodiscard]] int board_descriptor();

// Gives the program the environment that its user meant: takes the variables away that `weft run`
// added, and puts LD_PRELOAD back, so that what the program starts is no node.
void restore_program_environment();

}  // namespace weft
