// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/page_table.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "protocol/context/context.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

std::size_t branch_count(const EngineConfig& config, std::uint64_t branch_leaves) {
  const std::uint64_t pages = branch_leaves << config.leaf_shift;
  return (config.page_count + pages - 1) / pages;
}

}  // namespace

PageTable::PageTable(const EngineConfig& config)
    : config_(config),
      leaf_mask_((std::uint64_t{1} << config.leaf_shift) - 1),
      branches_(branch_count(config, kBranch)),
      remembered_(config.remembered_homes) {
  PageIndex next;
  for (const InitialHome& part : config.initial_homes) {
    WEFT_ASSERT(part.pages.first == next, "initial homes leave out page {}", next.value());
    WEFT_ASSERT(part.home.value() < config.node_count, "no node {}", part.home.value());
    next = part.pages.end();
  }
  WEFT_ASSERT(next.value() == config.page_count, "initial homes end at page {}", next.value());
}

const Page* PageTable::find(PageIndex page) const {
  const Page* leaf = leaf_at(leaf_index(page));
  return leaf ? &leaf[page.value() & leaf_mask_] : nullptr;
}

NodeId PageTable::home_of(PageIndex page) const {
  const Page* known = find(page);
  return known ? known->home : initial_entry(page).home;
}

PageState PageTable::state_of(PageIndex page) const {
  const Page* known = find(page);
  return known ? known->state : initial_entry(page).state;
}

NodeId PageTable::initial_home(PageIndex page) const {
  const auto& parts = config_.initial_homes;
  const auto after =
      std::upper_bound(parts.begin(), parts.end(), page,
                       [](PageIndex p, const InitialHome& part) { return p < part.pages.first; });
  return std::prev(after)->home;
}

std::vector<HomeRun> PageTable::initial_homes(PageRange pages) const {
  std::vector<HomeRun> runs;
  const auto& parts = config_.initial_homes;
  auto part =
      std::upper_bound(parts.begin(), parts.end(), pages.first,
                       [](PageIndex p, const InitialHome& each) { return p < each.pages.first; });
  for (--part; part != parts.end() && part->pages.first < pages.end(); ++part) {
    const PageIndex first = std::max(part->pages.first, pages.first);
    const PageIndex end = std::min(part->pages.end(), pages.end());
    runs.push_back({{first, end.value() - first.value()}, {part->home, kNoNode, kNoNode}});
  }
  return runs;
}

// Of a page that has none so far.
Page PageTable::initial_entry(PageIndex page) const {
  Page entry;
  if (noticed_.contains(page)) {
    entry.state = Machine<PageStates>(PageState::kInvalid);
    static_cast<HomeFacts&>(entry) = remembered_.find(page).value_or(HomeFacts());
    return entry;
  }
  entry.home = initial_home(page);
  if (entry.home != config_.self) return entry;
  // Alone, a node has nobody to track writes for.
  entry.state =
      Machine<PageStates>(config_.node_count == 1 ? PageState::kExclusive : PageState::kShared);
  return entry;
}

PageRange PageTable::leaf_of(PageIndex page) const {
  const std::uint64_t first = page.value() & ~leaf_mask_;
  return {PageIndex(first), std::min(leaf_mask_ + 1, config_.page_count - first)};
}

Page* PageTable::make_leaf(std::uint64_t leaf) {
  std::unique_ptr<Branch>& branch = branches_[leaf / kBranch];
  if (!branch) branch = std::make_unique<Branch>();
  const PageRange pages = leaf_of(PageIndex(leaf << config_.leaf_shift));
  auto entries = std::make_unique<Page[]>(pages.count);
  for_each_page(pages,
                [&](PageIndex page) { entries[page.value() & leaf_mask_] = initial_entry(page); });
  noticed_.erase(pages);
  remembered_.forget(pages);
  std::unique_ptr<Page[]>& place = (*branch)[leaf % kBranch];
  place = std::move(entries);
  return place.get();
}

// --- pages that others write ---

NodeId PageTable::directory_of(PageIndex page) const {
  return keeper_of(leaf_index(page), config_.node_count);
}

// Pages of one leaf. Its home so far must know when one is written, and its directory always.
bool PageTable::needs_entries(PageRange pages) const {
  if (leaf_at(leaf_index(pages.first))) return true;
  if (directory_of(pages.first) == config_.self && !WEFT_BUG(kDirectoryForgets)) return true;
  bool is_home = false;
  for_each_page(pages, [&](PageIndex page) {
    is_home |= initial_home(page) == config_.self && !noticed_.contains(page);
  });
  return is_home;
}

PageRange PageTable::beginning_in_leaf(PageRange pages) const {
  const PageIndex end = std::min(pages.end(), leaf_of(pages.first).end());
  return {pages.first, end.value() - pages.first.value()};
}

std::vector<HomeRun> PageTable::note_elsewhere(PageRange pages) {
  std::vector<HomeRun> known = remembered_.within(pages);
  PageSet first_written{pages};
  for (const PageRange& range : noticed_.intersection(pages)) first_written.erase(range);
  for (const PageRange& range : first_written.ranges()) {
    for (const HomeRun& run : initial_homes(range)) known.push_back(run);
  }
  if (!WEFT_BUG(kUnknownStaysPristine)) noticed_.insert(pages);
  return known;
}

std::vector<HomeRun> PageTable::homes_in_leaf(PageIndex page) {
  std::vector<HomeRun> runs;
  for_each_page(leaf_of(page), [&](PageIndex each) {
    const HomeFacts& facts = at(each);
    WEFT_ASSERT(facts.home != kNoNode, "the directory does not know the home of page {}",
                each.value());
    if (!runs.empty() && runs.back().facts == facts) {
      ++runs.back().pages.count;
    } else {
      runs.push_back({{each, 1}, facts});
    }
  });
  return runs;
}

void PageTable::learn(const std::vector<HomeRun>& runs) {
  for (const HomeRun& run : runs) {
    for_each_page(run.pages, [&](PageIndex page) {
      Page& entry = at(page);
      WEFT_ASSERT(!entry.has_known_home() || entry == run.facts,
                  "the directory takes node {} for the home of page {}, and not node {}",
                  run.facts.home.value(), page.value(), entry.home.value());
      static_cast<HomeFacts&>(entry) = run.facts;
    });
  }
}

PageSet PageTable::used_pages(PageRange pages) const {
  PageSet used;
  for (const PageRange& range : noticed_.intersection(pages)) used.insert(range);
  const std::uint64_t end = pages.end().value();
  for (std::uint64_t at = pages.first.value(); at < end;) {
    const std::uint64_t leaf = at >> config_.leaf_shift;
    const std::uint64_t leaf_end = std::min((leaf + 1) << config_.leaf_shift, end);
    const Page* const entries = leaf_at(leaf);
    for (; entries && at < leaf_end; ++at) {
      const Page& entry = entries[at & leaf_mask_];
      if (entry.state != PageState::kPristine || entry.mapped) used.insert(PageIndex(at));
    }
    // A branch without leaves is left out at once.
    const bool is_bare = !branches_[leaf / kBranch];
    at = is_bare ? (leaf / kBranch + 1) * kBranch << config_.leaf_shift : leaf_end;
  }
  return used;
}

PageSet PageTable::invalid_pages() const {
  PageSet pages = noticed_;
  for_each_entry([&pages](const Page& entry, PageIndex page) {
    if (entry.state == PageState::kInvalid) pages.insert(page);
  });
  return pages;
}

}  // namespace weft
