// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulated nodes that share memory with the others of their host.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/interface/exposed_memory.hpp"
#include "protocol/interface/page_memory.hpp"

namespace weft::sim {

class ExposedHosts;

// What one node shows, and its look at the others.
class ExposedNode : public ExposedMemory {
 public:
  ExposedNode(ExposedHosts& hosts, NodeId self, PageMemory& memory)
      : hosts_(hosts), self_(self), memory_(memory) {}

  void begin_epoch(Epoch epoch) override { epoch_ = ShownEpoch{epoch}; }
  void end_epoch() override {
    if (epoch_) epoch_->has_ended = true;
    words_.clear();
  }
  void note_applied(NodeId writer, UpdateSequence sequence) override {
    applied_[writer] = sequence;
  }
  void expose(PageRange pages) override { exposed_.insert(pages); }
  void withdraw(PageRange pages) override { exposed_.erase(pages); }
  void open(PageIndex page) override { open_.insert(page); }
  void close(PageRange pages) override { open_.erase(pages); }
  [[nodiscard]] bool take_operated() override { return std::exchange(operated_, false); }
  void show_word(const ShownWord& word) override { words_[word.where] = word; }
  void hide_word(GlobalOffset where) override { words_.erase(where); }
  [[nodiscard]] std::uint64_t loads_of(GlobalOffset where) const override {
    const auto loads = loads_.find(where);
    return loads == loads_.end() ? 0 : loads->second;
  }
  void note_known(NodeId writer, IntervalNumber number) override {
    known_.resize(std::max<std::size_t>(known_.size(), writer.value() + 1U));
    known_[writer.value()] = number;
  }
  void forget_known() override { known_.clear(); }

  [[nodiscard]] inline bool reaches(NodeId home) const override;
  [[nodiscard]] inline std::optional<ShownEpoch> epoch_of(NodeId home) const override;
  [[nodiscard]] inline UpdateSequence applied_at(NodeId home, NodeId writer) const override;
  [[nodiscard]] inline bool is_exposed(NodeId home, PageIndex page) const override;
  [[nodiscard]] inline bool copy(NodeId home, PageIndex first,
                                 std::span<std::byte> contents) override;
  [[nodiscard]] inline bool is_open(NodeId home, PageIndex page) const override;
  [[nodiscard]] inline std::optional<AtomicResult> operate(
      NodeId home, const AtomicRequest& request, const std::function<bool()>& may) override;
  [[nodiscard]] inline std::optional<ShownWord> load_word(NodeId home, GlobalOffset where,
                                                          std::uint8_t size) override;
  [[nodiscard]] inline bool knows_no_more(NodeId home,
                                          std::span<const IntervalNumber> clock) const override;
  [[nodiscard]] inline Meeting* meeting() override;

 private:
  ExposedHosts& hosts_;
  NodeId self_;
  PageMemory& memory_;
  std::optional<ShownEpoch> epoch_;
  std::map<NodeId, UpdateSequence> applied_;
  PageSet exposed_, open_;
  bool operated_ = false;
  std::map<GlobalOffset, ShownWord> words_;
  std::map<GlobalOffset, std::uint64_t> loads_;
  std::vector<IntervalNumber> known_;  // by writer
};

class ExposedHosts {
 public:
  // Nodes of each host, in the order of their numbers.
  explicit ExposedHosts(std::uint16_t nodes_per_host) : nodes_per_host_(nodes_per_host) {}

  // In the order of their numbers. The memory outlives this.
  ExposedNode& add(PageMemory& memory) {
    const NodeId self(static_cast<std::uint16_t>(nodes_.size()));
    return *nodes_.emplace_back(std::make_unique<ExposedNode>(*this, self, memory));
  }
  [[nodiscard]] ExposedNode& node(NodeId node) const { return *nodes_[node.value()]; }
  // Where all nodes are on one host.
  [[nodiscard]] Meeting* meeting() {
    return nodes_.size() <= nodes_per_host_ ? &meeting_ : nullptr;
  }
  [[nodiscard]] bool are_together(NodeId one, NodeId other) const {
    return one.value() / nodes_per_host_ == other.value() / nodes_per_host_;
  }

  // The home does what it likes before its page is read, though it has been looked at.
  std::function<void(NodeId)> meanwhile = [](NodeId) {};
  // The same before an atomic operation is done there.
  std::function<void(NodeId)> before_operation = [](NodeId) {};
  // A word is loaded there.
  std::function<void(NodeId)> on_load = [](NodeId) {};

 private:
  std::uint16_t nodes_per_host_;
  std::vector<std::unique_ptr<ExposedNode>> nodes_;
  Meeting meeting_;
};

bool ExposedNode::reaches(NodeId home) const { return hosts_.are_together(self_, home); }

std::optional<ShownEpoch> ExposedNode::epoch_of(NodeId home) const {
  return hosts_.node(home).epoch_;
}

UpdateSequence ExposedNode::applied_at(NodeId home, NodeId writer) const {
  const auto& applied = hosts_.node(home).applied_;
  const auto last = applied.find(writer);
  return last == applied.end() ? UpdateSequence() : last->second;
}

bool ExposedNode::is_exposed(NodeId home, PageIndex page) const {
  return hosts_.node(home).exposed_.contains(page);
}

bool ExposedNode::copy(NodeId home, PageIndex first, std::span<std::byte> contents) {
  hosts_.meanwhile(home);
  for (PageIndex page = first; !contents.empty(); ++page) {
    std::ranges::copy(hosts_.node(home).memory_.contents(page), contents.begin());
    contents = contents.subspan(kPageBytes);
  }
  return true;
}

bool ExposedNode::is_open(NodeId home, PageIndex page) const {
  return hosts_.node(home).open_.contains(page);
}

std::optional<AtomicResult> ExposedNode::operate(NodeId home, const AtomicRequest& request,
                                                 const std::function<bool()>& may) {
  hosts_.before_operation(home);
  if (!may()) return std::nullopt;
  ExposedNode& there = hosts_.node(home);
  there.operated_ = true;
  return there.memory_.perform(request);
}

std::optional<ShownWord> ExposedNode::load_word(NodeId home, GlobalOffset where,
                                                std::uint8_t size) {
  ExposedNode& there = hosts_.node(home);
  const auto word = there.words_.find(where);
  if (word == there.words_.end() || word->second.size != size) return std::nullopt;
  const ByteView now = there.memory_.contents(where.page()).subspan(where.within_page(), size);
  if (!std::ranges::equal(now, ByteView(word->second.value).first(size))) return std::nullopt;
  ++there.loads_[where];
  hosts_.on_load(home);
  return word->second;
}

bool ExposedNode::knows_no_more(NodeId home, std::span<const IntervalNumber> clock) const {
  const std::vector<IntervalNumber>& known = hosts_.node(home).known_;
  for (std::size_t writer = 0; writer < known.size(); ++writer) {
    const IntervalNumber mine = writer < clock.size() ? clock[writer] : IntervalNumber();
    if (mine < known[writer]) return false;
  }
  return true;
}

Meeting* ExposedNode::meeting() { return hosts_.meeting(); }

}  // namespace weft::sim
