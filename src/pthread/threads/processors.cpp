// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/processors.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/threads/own_calls.hpp"
#include "pthread/threads/elsewhere.hpp"
#include "runtime/interface/job_processors.hpp"

namespace weft::pthread {
namespace {

NodeProcessors* own = nullptr;  // never destroyed

NodeProcessors ask(NodeId node) {
  if (node == this_node()->self()) return *own;
  const ThreadAnswer answer = ask_about_thread(node, {}, {ThreadCall::kProcessors});
  return value_of<NodeProcessors>(answer.bytes);
}

const std::vector<NodeProcessors>& of_all_nodes() {
  static const std::vector<NodeProcessors>& all = *[] {
    auto* const answers = new std::vector<NodeProcessors>;
    for (NodeId node(0); node.value() < this_node()->node_count(); ++node) {
      answers->push_back(ask(node));
    }
    return answers;
  }();
  return all;
}

bool have_common(const cpu_set_t& a, const cpu_set_t& b) {
  cpu_set_t common;
  CPU_AND(&common, &a, &b);
  return CPU_COUNT(&common) > 0;
}

}  // namespace

cpu_set_t set_of(ByteView bytes) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::memcpy(&set, bytes.data(), std::min(bytes.size(), sizeof set));
  return set;
}

void note_processors_of_node() {
  const cpu_set_t set = processors_of(0);
  const ByteView bytes = std::as_bytes(std::span(&set, 1));
  own = new NodeProcessors{.host = {}, .set = {bytes.begin(), bytes.end()}};
  const OwnCalls own_calls;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> own->host;
}

const NodeProcessors& processors_of_node() { return *own; }

bool is_bound_by_program() {
  const cpu_set_t present = processors_of(0), of_node = set_of(own->set),
                  of_job = processors_of_job_here();
  return CPU_EQUAL(&present, &of_node) == 0 && CPU_EQUAL(&present, &of_job) == 0;
}

void use_processors_of_job() {
  if (!this_node()->is_on_one_host() || is_bound_by_program()) return;
  let_run_on(processors_of_job_here());
}

std::vector<NodeId> nodes_with_one_of(const cpu_set_t& wanted) {
  std::vector<NodeId> nodes;
  NodeId node(0);
  for (const NodeProcessors& each : of_all_nodes()) {
    const bool fits = each.host == own->host && have_common(set_of(each.set), wanted);
    if (fits) nodes.push_back(node);
    ++node;
  }
  return nodes;
}

}  // namespace weft::pthread
