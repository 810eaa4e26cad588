// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __weft_prefetch_indirect (base/compiler_abi.h): asks for the pages that a loop will use by
// subscripts that it loads. A call that takes longer than the faults that it saves is made less
// often the next times.
#include <algorithm>
#include <memory>

#include "base/page_range.hpp"
#include "runtime/compiled_code/asked_pages.hpp"
#include "runtime/compiled_code/heard_calls.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/inspecting/found_pages.hpp"
#include "runtime/inspecting/inspection.hpp"
#include "runtime/inspecting/kept_inspections.hpp"

namespace weft {
namespace {

using Ticks = PrefetchSite::Ticks;

// About the time that a thread is held up by one page that it has to ask for.
constexpr Ticks kTicksOfFault = 20'000;
// Fewer are left to faults.
constexpr std::uint64_t kFewestPages = 8;

// Of threads that are not this node's first one, too. Never destroyed: they may run to the end.
KeptInspections& kept_inspections() {
  static auto* const kept = new KeptInspections;
  return *kept;
}

class NodeSurroundings final : public InspectorSurroundings {
 public:
  explicit NodeSurroundings(Node& node) : node_(node) {}

  IndexMemory bring(std::span<const AddressRange> pages) override {
    const Ticks began = PrefetchSite::now();
    const std::vector<PageRange> wanted = shared(pages);
    saved_ += ask_for_pages(node_, wanted, MemoryUse::kLoads);
    await_asked_pages(node_);
    waited_ += PrefetchSite::now() - began;
    return read(pages);
  }
  [[nodiscard]] bool is_shared(std::uintptr_t first, std::uintptr_t end) const override {
    return shared_pages(node_, first, end).count != 0;
  }

  // What of them is here.
  [[nodiscard]] IndexMemory read(std::span<const AddressRange> pages) {
    std::vector<IndexMemory::Window> windows;
    readable_pages_ = 0;
    for (const AddressRange& each : pages) {
      const PageRange these = shared_pages(node_, each.first, each.end);
      for (const Node::ReadablePages& part : node_.readable(these)) {
        const std::uintptr_t first =
            each.first + (part.pages.first.value() - these.first.value()) * kPageBytes;
        windows.push_back({first, first + part.pages.count * kPageBytes, part.contents});
        readable_pages_ += part.pages.count;
      }
    }
    return IndexMemory(std::move(windows));
  }
  // Of the last read().
  [[nodiscard]] std::uint64_t readable_pages() const { return readable_pages_; }

  [[nodiscard]] std::vector<PageRange> shared(std::span<const AddressRange> ranges) const {
    std::vector<PageRange> pages;
    for (const AddressRange& each : ranges) {
      const PageRange these = shared_pages(node_, each.first, each.end);
      if (these.count != 0) pages.push_back(these);
    }
    return pages;
  }

  [[nodiscard]] std::uint64_t saved() const { return saved_; }  // of the subscripts themselves
  [[nodiscard]] Ticks waited() const { return waited_; }

 private:
  Node& node_;
  std::uint64_t saved_ = 0, readable_pages_ = 0;
  Ticks waited_ = 0;
};

std::uint64_t count_pages(std::span<const AddressRange> ranges) {
  std::uint64_t count = 0;
  for (const AddressRange& each : ranges) count += (each.end - each.first) / kPageBytes;
  return count;
}

std::shared_ptr<KeptInspection> still_valid(const SaidIndirect& said, std::uint64_t call,
                                            NodeSurroundings& surroundings) {
  auto kept = kept_inspections().find(call);
  if (kept == nullptr) return nullptr;
  IndexMemory memory = surroundings.read(kept->index_pages());
  // A page that is opened and not written takes it from those who read it.
  bool all = said.use == WEFT_USE_STORES;
  if (surroundings.readable_pages() != count_pages(kept->index_pages())) {
    memory = surroundings.bring(kept->index_pages());
    all = true;
  }
  return kept->is_valid(memory, all) ? kept : nullptr;
}

struct Found {
  std::shared_ptr<KeptInspection> inspection;
  bool is_new = false;
  Ticks longest = 0;  // that it may have taken: whoever took longer was held up
};

Found inspect_anew(const SaidIndirect& said, const HeardCall& call,
                   NodeSurroundings& surroundings) {
  count_at(call.counters, SiteCount::kInspected);
  Inspected inspected = inspect(said, kMostPrefetchedPages, surroundings);
  const auto longest = static_cast<Ticks>(20 * inspected.values) + 100'000;
  const IndexMemory memory = surroundings.read(pages_of(inspected.indices));
  auto made = std::make_shared<KeptInspection>(std::move(inspected), memory);
  kept_inspections().keep(call.digest, made);
  return {std::move(made), true, longest};
}

Found find(const SaidIndirect& said, const HeardCall& call, NodeSurroundings& surroundings) {
  auto kept = still_valid(said, call.digest, surroundings);
  if (kept == nullptr) return inspect_anew(said, call, surroundings);
  const auto longest = static_cast<Ticks>(1000 * count_pages(kept->index_pages())) + 50'000;
  return {std::move(kept), false, longest};
}

void prefetch(const SaidIndirect& said, const HeardCall& call, Ticks began) {
  NodeSurroundings surroundings(call.node);
  const Found found = find(said, call, surroundings);
  const std::vector<AddressRange>& pages = found.inspection->pages();
  Ticks took = PrefetchSite::now() - began - surroundings.waited();
  std::uint64_t saved = surroundings.saved();
  if (count_pages(pages) < kFewestPages) {
    count_at(call.counters, SiteCount::kTooSmall);
  } else {
    const MemoryUse use = said.use == WEFT_USE_STORES ? MemoryUse::kStores : MemoryUse::kLoads;
    saved += ask_for_pages(call.node, surroundings.shared(pages), use, call.counters);
  }
  if (saved == 0) took = PrefetchSite::now() - began;  // else that was the loop's own work
  call.site.note_balance(static_cast<Ticks>(saved) * kTicksOfFault, std::min(took, found.longest),
                         found.is_new);
}

std::uint64_t digest_of(std::uintptr_t place, const SaidIndirect& said) {
  CallDigest digest(place);
  digest.add(said.first);
  digest.add(said.bytes);
  for (const weft_stride& each : said.strides) {
    digest.add(static_cast<std::uint64_t>(each.bytes));
    digest.add(each.count);
  }
  const auto* words = reinterpret_cast<const std::uint64_t*>(said.indirections.data());
  for (const std::uint64_t word :
       std::span(words, WEFT_INDIRECTION_WORDS * said.indirections.size())) {
    digest.add(word);
  }
  return digest.value();
}

}  // namespace
}  // namespace weft

extern "C" [[gnu::visibility("default")]] void __weft_prefetch_indirect(
    const void* first, uint64_t bytes, const struct weft_stride* strides, uint32_t stride_count,
    const struct weft_indirection* indirections, uint32_t indirection_count, uint32_t use) {
  using namespace weft;
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const SaidIndirect said{reinterpret_cast<std::uintptr_t>(first),
                          bytes,
                          {strides, stride_count},
                          {indirections, indirection_count},
                          use};
  const Ticks now = PrefetchSite::now();
  const auto heard = hear_call(place, place, now, [&] { return digest_of(place, said); });
  if (heard) on_runtime_stack([&] { prefetch(said, *heard, now); });
}
