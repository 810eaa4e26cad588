// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the doctor has found on several hosts and between them, which of it is a fault, and how it
// is told: as tables or as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/agent/agent_messages.hpp"
#include "weft/examination/examination.hpp"
#include "weft/examination/probe.hpp"

namespace weft {

struct HostReport {
  std::string name;     // as the user says it
  std::string failure;  // why nothing is known of it; else empty
  AgentHello hello;
  Examination found;
  HostAddress network;        // by which the others reach it; empty: none was found
  std::int64_t ahead_ns = 0;  // its clock, of this host's
};

// One connection, from one host to another, both by their place in the list.
struct PairReport {
  std::size_t from = 0, to = 0;
  ProbeResult result;
};

struct Fault {
  std::string where;   // a host, or "a to b"
  std::string what;    // what is wrong
  std::string remedy;  // what the user can do
};

struct Findings {
  std::string version;  // of Weft here
  std::vector<HostReport> hosts;
  std::string no_network;  // why no network reaches all of them; else empty
  std::vector<PairReport> pairs;
};

// In the order of the hosts, then of the pairs.
[[nodiscard]] std::vector<Fault> faults_of(const Findings& findings);

// For people: a table of the hosts, one of the pairs, and the faults.
[[nodiscard]] std::string as_text(const Findings& findings);
// One object; its fields are documented in docs/reference/weft-doctor.md.
[[nodiscard]] std::string as_json(const Findings& findings);

}  // namespace weft
