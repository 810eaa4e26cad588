// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a part of the engine needs around it in a unit test: effects that are written down, and
// memory that is a few arrays and no more.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "protocol/context/context.hpp"

namespace weft {

struct WrittenEffects : Effects {
  struct Sent {
    NodeId to;
    Bytes message;
  };

  void send(NodeId to, Priority, Bytes message) override {
    sent.push_back({to, std::move(message)});
  }
  void complete(WaitId) override {}
  void complete_barrier(WaitId, std::uint8_t) override {}
  void complete_gather(WaitId, std::vector<Contribution>) override {}
  void complete_atomic(WaitId, const AtomicResult&) override {}
  void complete_try(WaitId, bool) override {}
  void try_again(WaitId) override {}
  void deliver_publication(ByteView) override {}
  void deliver_post(NodeId, ByteView) override {}

  std::vector<Sent> sent;
};

struct ArrayMemory : PageMemory {
  void map_tracked(PageRange, Twin) override {}
  void map_written(PageRange, Twin) override {}
  void map_untracked(PageRange) override {}
  void start_tracking(PageRange, Twin) override {}
  void unmap(PageRange) override {}
  void drop(PageRange) override {}
  void begin_pause() override {}
  void end_pause() override {}
  void collect_written(PageRange, PageSet&) override {}
  [[nodiscard]] ByteView contents(PageIndex page) const override { return at(page); }
  [[nodiscard]] ByteView twin(PageIndex page) const override { return at(page); }
  void install(PageIndex page, ByteView contents) override {
    at(page).assign(contents.begin(), contents.end());
  }
  [[nodiscard]] Bytes make_diff(PageIndex) override { return {}; }
  void apply_diff(PageIndex, ByteView) override {}
  void patch_diff(PageIndex, ByteView) override {}
  AtomicResult perform(const AtomicRequest&) override { return {}; }
  void merge(const AtomicRequest&) override {}
  bool patch(GlobalOffset, ByteView, ByteView) override { return true; }

  Bytes& at(PageIndex page) const { return pages.try_emplace(page, kPageBytes).first->second; }
  mutable std::map<PageIndex, Bytes> pages;
};

// A node of so many, with so many pages, which all have one home.
inline EngineConfig config_with_one_home(NodeId self, std::uint16_t nodes, std::uint64_t pages,
                                         NodeId home) {
  EngineConfig config;
  config.self = self;
  config.node_count = nodes;
  config.page_count = pages;
  config.initial_homes = {{PageRange{PageIndex(0), pages}, home}};
  return config;
}

// One node's.
struct Surroundings {
  explicit Surroundings(const EngineConfig& config)
      : context{.config = config, .memory = memory, .effects = effects, .exposed = exposed} {}
  ArrayMemory memory;
  WrittenEffects effects;
  ExposedMemory exposed;
  Context context;
};

}  // namespace weft
