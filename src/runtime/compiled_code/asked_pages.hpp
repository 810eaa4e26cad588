// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that a thread asks for before a loop, and those that it has not waited for.
#pragma once

#include <cstdint>
#include <span>

#include "base/page_range.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

// Of what is not here all is asked for at once, kMostPrefetchedPages at most, and nobody waits.
// Returns how many pages a thread would have faulted on.
inline constexpr std::uint64_t kMostPrefetchedPages = 65536;
std::uint64_t ask_for_pages(Node& node, std::span<const PageRange> pages, MemoryUse use);

// The same, as the calls of a place count it.
std::uint64_t ask_for_pages(Node& node, std::span<const PageRange> pages, MemoryUse use,
                            SiteCounters* counters);

// For what this thread has asked for, but not for long. On its runtime stack.
void await_asked_pages(Node& node);
[[nodiscard]] bool has_asked_for_pages();

}  // namespace weft
