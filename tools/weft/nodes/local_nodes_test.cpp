// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/nodes/local_nodes.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <memory>
#include <string>

namespace weft {
namespace {

// Of one node that prints a piece of a line and settles it as soon as it is read.
class PieceEvents final : public NodeEvents {
 public:
  PieceEvents(LocalNodes& nodes, int settled) : nodes_(nodes), settled_(settled) {}

  void on_message(unsigned, BootstrapMessage kind, const Bytes&) override {
    if (kind == BootstrapMessage::kSettled) told += "settled ";
  }
  void on_output(unsigned node, int, std::string_view bytes) override {
    // The message lies in the node's socket when the others' are looked at.
    char word[7];
    EXPECT_EQ(read(settled_, word, sizeof word), static_cast<ssize_t>(sizeof word));
    nodes_.read_messages_of_others(node, *this);
    told += bytes;
  }
  void on_output_end(unsigned, int) override {}
  void on_death(unsigned, NodeDeath) override { told += "death "; }
  void on_views(const HostViews&) override {}
  void on_host_lost(const NodeHost&, const std::string&) override {}

  std::string told;

 private:
  LocalNodes& nodes_;
  const int settled_;
};

TEST(LocalNodesTest, APieceIsHandedOverBeforeTheMessageThatItHasItsPlace) {
  int settled[2];
  ASSERT_EQ(pipe(settled), 0);
  SpawnPlan plan;
  plan.file = WEFT_JOB_PROGRAM;
  plan.arguments = {plan.file, "settle", std::to_string(settled[1])};
  plan.node_library = WEFT_NODE_LIBRARY;
  plan.descriptor_limit = {.rlim_cur = 1024, .rlim_max = 1024};
  auto nodes = LocalNodes::start(plan, 0, 1);
  ASSERT_TRUE(nodes) << nodes.error();
  close(settled[1]);
  PieceEvents events(*nodes.value(), settled[0]);
  while (events.told.find("settled") == std::string::npos &&
         events.told.find("death") == std::string::npos) {
    pollfd ready = {nodes.value()->descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&ready, 1, -1), 1);
    nodes.value()->handle(events);
  }
  nodes.value()->kill_all();
  close(settled[0]);
  EXPECT_EQ(events.told, "piece settled ");
}

}  // namespace
}  // namespace weft
