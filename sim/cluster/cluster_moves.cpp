// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads outside the team that go on at other nodes, as src/pthread has them: by a post. A lock
// that one holds stays with the node at which it was taken. That one gives it up, asked by a post
// as well, and the thread waits for its answer.
#include "sim/checkers/failure.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/node.hpp"

namespace weft::sim {

// No node has the thread until it arrives. The job's first barrier tells all that there are such
// threads on each node; the product has one before the program begins.
void Cluster::move(Worker& worker, NodeId to) {
  const NodeId from(worker.node);
  if (from == to || !nodes_[to.value()]->has_met_others) return next_action(worker);
  worker.state = Worker::State::kWaiting;
  std::erase(nodes_[from.value()]->workers, &worker);
  post_move(from, to, MovePost::kArrives, worker);
}

void Cluster::release_elsewhere(Worker& worker, NodeId keeper) {
  worker.state = Worker::State::kWaiting;
  post_move(NodeId(worker.node), keeper, MovePost::kReleases, worker);
}

// A thread of the keeper's own does it.
void Cluster::release_there(Worker& worker, Action action) {
  const NodeId keeper(locks_[action.a].keeper);
  worker.state = Worker::State::kWaiting;
  give_up(action.a);
  post_move(keeper, NodeId(worker.node), MovePost::kHasReleased, worker);
}

void Cluster::post_move(NodeId from, NodeId to, MovePost what, const Worker& worker) {
  Bytes payload;
  ByteWriter writer(payload);
  writer.varint(plan_.phases.size() + static_cast<std::size_t>(what));
  writer.varint(worker.index);
  nodes_[from.value()]->enter([&](Engine& engine) { engine.handle_post(to, payload); });
}

void Cluster::on_move_post(Node& node, MovePost what, Worker& worker) {
  SIM_CHECK(worker.state == Worker::State::kWaiting, "thread {} moves twice", worker.index);
  switch (what) {
    case MovePost::kArrives:
      worker.node = node.id.value();
      node.workers.push_back(&worker);
      return next_action(worker);
    case MovePost::kReleases:
      worker.todo.front().kind = Action::Kind::kReleaseThere;
      return schedule(worker);
    case MovePost::kHasReleased:
      return next_action(worker);
  }
}

}  // namespace weft::sim
