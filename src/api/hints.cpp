// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints of the program's: what is refused, and what goes to runtime/hints.
#include "include/weft/hints.h"
#include "api/performing.hpp"
#include "base/locks/critical_names.hpp"
#include "include/weft/weft.h"
#include "runtime/hints/hints.hpp"
#include "runtime/interface/node.hpp"

namespace weft::api {
namespace {

int say(HintKind kind, const void* address, std::size_t bytes, std::size_t unit_bytes = 1,
        weft_distribution distribution = WEFT_BLOCK) {
  if (!is_division(unit_bytes, distribution, weft_nodes())) return WEFT_ERROR_DISTRIBUTION;
  return perform(SharedCall::of(address, bytes, 0, 1), [=](Node& node, const Blocks& blocks) {
    say_hint(node, {.kind = kind,
                    .first = blocks.first,
                    .bytes = blocks.bytes,
                    .distribution = distribution,
                    .unit_bytes = unit_bytes});
  });
}

}  // namespace
}  // namespace weft::api

using weft::SharedCall;

using weft::HintKind;

extern "C" {

[[gnu::visibility("default")]] int weft_broadcast(const void* address, size_t bytes) {
  return weft::api::say(HintKind::kBroadcast, address, bytes);
}

[[gnu::visibility("default")]] int weft_scatter(const void* address, size_t bytes,
                                                size_t unit_bytes, weft_distribution distribution) {
  return weft::api::say(HintKind::kScatter, address, bytes, unit_bytes, distribution);
}

[[gnu::visibility("default")]] int weft_gather(const void* address, size_t bytes) {
  return weft::api::say(HintKind::kGather, address, bytes);
}

[[gnu::visibility("default")]] int weft_alltoall(const void* address, size_t bytes) {
  return weft::api::say(HintKind::kAllToAll, address, bytes);
}

[[gnu::visibility("default")]] int weft_read_mostly(const void* address, size_t bytes) {
  return weft::api::say(HintKind::kReadMostly, address, bytes);
}

[[gnu::visibility("default")]] int weft_home(const void* address, size_t bytes, size_t unit_bytes,
                                             weft_distribution distribution) {
  return weft::api::say(HintKind::kHome, address, bytes, unit_bytes, distribution);
}

[[gnu::visibility("default")]] int weft_private_after_init(const void* address, size_t bytes) {
  return weft::api::say(HintKind::kPrivateAfterInit, address, bytes);
}

[[gnu::visibility("default")]] int weft_migrate_with(const void* address, size_t bytes,
                                                     const void* lock) {
  const weft::Node* const node = weft::this_node();
  if (lock == nullptr || (node != nullptr && !node->is_shared(lock))) return WEFT_ERROR_RANGE;
  return weft::api::perform(
      SharedCall::of(address, bytes, 0, 1), [=](weft::Node& here, const weft::Blocks& blocks) {
        weft::say_hint(here, {.kind = HintKind::kMigrate,
                              .first = blocks.first,
                              .bytes = blocks.bytes,
                              .lock = reinterpret_cast<std::uintptr_t>(lock)});
      });
}

// The linker is not to be asked by a handler, which may have interrupted it.
[[gnu::visibility("default")]] int weft_migrate_with_critical(const void* address, size_t bytes,
                                                              const char* name) {
  if (weft::is_in_signal_handler()) return WEFT_OK;
  const void* const lock = weft::critical_lock(name);
  return lock == nullptr ? WEFT_ERROR_NAME : weft_migrate_with(address, bytes, lock);
}

[[gnu::visibility("default")]] int weft_forget_hints(const void* address, size_t bytes) {
  return weft::api::perform(SharedCall::of(address, bytes, 0, 1),
                            [](weft::Node&, const weft::Blocks& blocks) {
                              weft::forget_hints(blocks.first, blocks.end());
                            });
}

}  // extern "C"
