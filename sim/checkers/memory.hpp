// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulated node's memory: the twin of src/memory. Arrays instead of mappings, and stricter
// than the real one: every call is checked against what page_memory.hpp allows, dropped pages are
// overwritten with rubbish, and other threads of the node may run in the middle of any call.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/numbers/random.hpp"
#include "protocol/interface/page_memory.hpp"

namespace weft::sim {

// What every page holds before anybody writes it, the same on all nodes.
class InitialContents {
 public:
  explicit InitialContents(std::byte all = {}) : plain_(kPageBytes, all) {}
  explicit InitialContents(Random& random);
  [[nodiscard]] ByteView of(PageIndex page) const;

 private:
  Bytes plain_, image_;
  std::uint64_t image_every_ = 0;  // one page in so many is the executable's; 0 for none
};

class Memory : public PageMemory {
 public:
  // Without a seed nothing is left to chance.
  Memory(const InitialContents& initial, std::optional<std::uint64_t> seed);

  void map_tracked(PageRange pages, Twin twin) override;
  void map_written(PageRange pages, Twin twin) override;
  std::uint64_t expect_writes(PageRange pages) override;
  void map_untracked(PageRange pages) override;
  void start_tracking(PageRange pages, Twin twin) override;
  void unmap(PageRange pages) override;
  [[nodiscard]] std::uint64_t unmap_calls() const { return unmap_calls_; }
  void forget_unmap_calls() { unmap_calls_ = 0; }
  void drop(PageRange pages) override;
  void begin_pause() override;
  void end_pause() override { paused_ = false; }
  void collect_written(PageRange pages, PageSet& written) override;
  void collect_at_rest(std::span<const PageRange> stretches, PhaseKey phase,
                       PageSet& written) override;
  [[nodiscard]] ByteView contents(PageIndex page) const override;
  [[nodiscard]] ByteView twin(PageIndex page) const override;
  void install(PageIndex page, ByteView contents) override;
  [[nodiscard]] std::span<std::byte> room(PageRange absent) override;
  [[nodiscard]] Bytes make_diff(PageIndex page) override;
  void apply_diff(PageIndex page, ByteView diff) override;
  void patch_diff(PageIndex page, ByteView diff) override;
  AtomicResult perform(const AtomicRequest& request) override;
  void merge(const AtomicRequest& request) override;
  bool patch(GlobalOffset where, ByteView expected, ByteView bytes) override;

  // --- for the program ---
  enum class Access : std::uint8_t { kAbsent, kTracked, kUntracked };
  [[nodiscard]] Access access(PageIndex page) const;
  // Of bytes within a page that is not absent.
  [[nodiscard]] ByteView read(GlobalOffset where, std::size_t size) const;
  void write(GlobalOffset where, ByteView bytes);

  // --- for the checkers ---
  [[nodiscard]] std::vector<PageIndex> pages_with(Access access) const;

  // Called in the middle of calls: other threads of the node may touch mapped pages.
  std::function<void()> interleave = [] {};

 private:
  std::uint64_t unmap_calls_ = 0;
  bool paused_ = false;
  struct Page {
    Access access = Access::kAbsent;
    bool written = false;
    bool has_twin = false;
    bool is_unlike = false;    // its twin
    bool is_expected = false;  // absent, and written once it is tracked
    Bytes contents, twin;
  };

  Page& at(PageIndex page);
  [[nodiscard]] std::byte rubbish();
  void set_twin(PageIndex index, Page& page, Twin twin);
  static void apply_to(PageIndex index, ByteView diff, Bytes& page);

  const InitialContents& initial_;
  std::optional<Random> random_;
  mutable std::map<PageIndex, Page> pages_;
};

}  // namespace weft::sim
