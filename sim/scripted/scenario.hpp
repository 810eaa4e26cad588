// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scenarios: small clusters driven by hand, one input at a time, in text that says what is done and
// what follows from it (sim/scenarios; in the manner of etcd/raft's testdata).
//
//   cluster nodes=2 pages=4 homes=0,1     a new cluster; pages' homes in turn
//   touch NODE PAGE                       the program touches a page
//   write NODE PAGE OFFSET BYTE           and writes or reads a byte of it
//   read NODE PAGE OFFSET
//   fill NODE PAGE OFFSET BYTE            or writes all of it from the offset on
//   race NODE PAGE OFFSET BYTE            or a byte in the midst of the next call to memory
//   acquire|try|release NODE LOCK
//   begin NODE LOCK PAGE OFFSET           a section that only adds to 4 bytes begins
//   sum NODE LOCK RIGHT PAGE OFFSET VALUE [PAGE OFFSET]    and is done by a right; its term was
//                                         read from 4 other bytes
//   barrier NODE [CONTRIBUTION [release]]     gather NODE     publish TEXT
//   advance|await NODE SEQUENCER VALUE
//   post NODE TO TEXT
//   fence NODE [polled|confirms]     flush NODE    an explicit flush; one that is implied
//   poll NODE TIMES                       many explicit flushes, of which nothing is said
//   evict NODE PAGES                      memory is short by so many
//   send NODE                             what the node holds back may wait no longer
//   add|load NODE PAGE OFFSET [VALUE] relaxed|acquire|release    an atomic operation on 4 bytes
//   wait NODE PAGE OFFSET EXPECTED ORDER  a load that stays at the home while the value is this
//   hurry NODE WAIT                       but now no longer
//   add NODE PAGE OFFSET VALUE merged     the same, and nobody waits for it
//   deliver FROM TO control|data          the next message of one channel arrives
//   deliver all                           everything arrives, until nothing is in flight
//   meanwhile COMMAND                     is run while the next page is read without its home's
//   help state PAGE                            home and access, as each node sees them kinds the
//   pages of each home, by what they are used for
//
// Each command is answered by all that the engines do: memory calls, messages, completions.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocol/engine.hpp"
#include "sim/checkers/memory.hpp"
#include "sim/cluster/exposed_host.hpp"

namespace weft::sim {

class CoverageTable;

class Scenario {
 public:
  // With a table (of the build with deliberate bugs), what its engines go through is added to it.
  explicit Scenario(CoverageTable* table = nullptr);
  ~Scenario();

  // Runs one command and returns what happened, a line each.
  std::string run(const std::string& command);

 private:
  struct Node;
  struct InFlight {
    NodeId from, to;
    Priority priority;
    Bytes message;
    std::vector<ByteView> lent;  // to be read when it arrives
  };

  void execute(const std::string& command);
  void make_cluster(const std::vector<std::string>& words);
  void end_cluster();
  void run_meanwhile(NodeId home, const char* what);
  void run_memory_command(const std::vector<std::string>& words);
  bool run_synchronisation(const std::vector<std::string>& words);
  bool run_adding(Engine& engine, LockId lock, const std::vector<std::string>& words);
  void run_atomic(const std::vector<std::string>& words);
  void deliver_all();
  void deliver(const InFlight& message);
  void show_state(PageIndex page);
  void show_kinds();
  void say(const std::string& line) { output_ += line + "\n"; }
  Node& node(const std::string& word);

  [[maybe_unused]] CoverageTable* table_;
  EngineConfig config_;
  bool reads_late_ = false;
  Random random_{1};
  std::unique_ptr<InitialContents> initial_;
  std::unique_ptr<ExposedHosts> hosts_;
  std::string meanwhile_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::deque<InFlight> in_flight_;
  std::string output_;
  std::uint64_t last_wait_ = 0;
};

}  // namespace weft::sim
