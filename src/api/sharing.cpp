// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit sharing: memory that a thread checks out before it uses it, and commits before it
// releases it. Checking out is a prefetch (docs/internals/protocol/fetching.md, 28) or an overwrite
// (intervals.md, 25), and then waiting; a commit is an early diff (intervals.md, 30). All of them
// are hints, but for the promise of WEFT_OVERWRITE.
#include "api/sharing.hpp"

#include <cstdint>

#include "api/performing.hpp"
#include "include/weft/weft.h"
#include "runtime/compiled_code/page_portions.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/interface/node.hpp"

namespace weft::api {
namespace {

// All of the call's memory is shared and one piece, so each part of it is.
PageSet pages_of(const Node& node, const Blocks& blocks) {
  PageSet pages;
  blocks.for_each_run_of_pages([&](std::uintptr_t first, std::uintptr_t end) {
    pages.insert(shared_pages(node, first, end));
  });
  return pages;
}

void check_out(Node& node, const Blocks& blocks, weft_access access, bool waits) {
  const bool overwrites = (access & WEFT_OVERWRITE) != 0;
  if (overwrites) overwrite_whole_pages(node, blocks);
  const std::vector<PageRange> asked =
      ask_for(node, pages_to_have(node, blocks, overwrites),
              access == WEFT_READ ? MemoryUse::kLoads : MemoryUse::kStores);
  if (!waits) return;
  for (const PageRange& range : asked) node.fetch(range);
}

int check_out(const SharedCall& call, weft_access access, bool waits) {
  return perform(call,
                 [=](Node& node, const Blocks& blocks) { check_out(node, blocks, access, waits); });
}

}  // namespace

std::vector<PageRange> pages_to_have(const Node& node, const Blocks& blocks, bool overwrites) {
  PageSet pages = pages_of(node, blocks);
  if (overwrites) {
    blocks.for_each_run_of_whole_pages([&](std::uintptr_t first, std::uintptr_t end) {
      pages.erase(shared_pages(node, first, end));
    });
  }
  return pages.ranges();
}

std::vector<PageRange> ask_for(Node& node, const std::vector<PageRange>& pages, MemoryUse use) {
  std::vector<PageRange> asked;
  PagePortions portions(most_pages_to_ask_for(node), [&](const std::vector<PageRange>& some) {
    (void)node.prefetch(some, use);
    asked.insert(asked.end(), some.begin(), some.end());
  });
  for (const PageRange& range : pages) portions.add(range);
  portions.end();
  return asked;
}

void overwrite_whole_pages(Node& node, const Blocks& blocks) {
  blocks.for_each_run_of_whole_pages([&](std::uintptr_t first, std::uintptr_t end) {
    (void)node.overwrite(shared_pages(node, first, end));
  });
}

void commit(Node& node, const Blocks& blocks) {
  PagePortions portions(UINT64_MAX,
                        [&](const std::vector<PageRange>& some) { (void)node.commit(some); });
  for (const PageRange& range : pages_to_have(node, blocks, false)) portions.add(range);
  portions.end();
}

}  // namespace weft::api

using weft::SharedCall;

extern "C" {

[[gnu::visibility("default")]] int weft_check_out(const void* address, size_t bytes,
                                                  weft_access access) {
  return weft::api::check_out(SharedCall::of(address, bytes, 0, 1, access), access, true);
}

[[gnu::visibility("default")]] int weft_check_out_begin(const void* address, size_t bytes,
                                                        weft_access access) {
  return weft::api::check_out(SharedCall::of(address, bytes, 0, 1, access), access, false);
}

[[gnu::visibility("default")]] int weft_check_out_strided(const void* address, size_t block_bytes,
                                                          size_t stride_bytes, size_t count,
                                                          weft_access access) {
  return weft::api::check_out(SharedCall::of(address, block_bytes, stride_bytes, count, access),
                              access, true);
}

[[gnu::visibility("default")]] int weft_check_out_strided_begin(const void* address,
                                                                size_t block_bytes,
                                                                size_t stride_bytes, size_t count,
                                                                weft_access access) {
  return weft::api::check_out(SharedCall::of(address, block_bytes, stride_bytes, count, access),
                              access, false);
}

[[gnu::visibility("default")]] int weft_commit(const void* address, size_t bytes) {
  return weft::api::perform(SharedCall::of(address, bytes, 0, 1), weft::api::commit);
}

[[gnu::visibility("default")]] int weft_commit_strided(const void* address, size_t block_bytes,
                                                       size_t stride_bytes, size_t count) {
  return weft::api::perform(SharedCall::of(address, block_bytes, stride_bytes, count),
                            weft::api::commit);
}

}  // extern "C"
