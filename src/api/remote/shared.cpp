// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on shared memory: as the calling thread would do them, after one request for all pages
// that they need. Puts and gets may wait for these (shared_queue.hpp). Atomic operations are those
// of compiled code.
#include "api/remote/shared.hpp"

#include "api/performing.hpp"
#include "api/remote/link.hpp"
#include "api/remote/links.hpp"
#include "api/remote/shared_queue.hpp"
#include "api/sharing.hpp"
#include "base/compiler_abi.h"
#include "base/remote/remote_abi.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft::remote {
namespace {

constexpr std::uint32_t kSequentiallyConsistent = 5;

// Of this node. Memory that is not shared, or not any more, has no pages; the copy finds that out.
class OwnPages final : public SharedPages {
 public:
  explicit OwnPages(Node& node) : node_(node) {}

  std::vector<PageRange> ask(std::byte* there, const Operation& operation) override {
    const Blocks blocks = blocks_of(there, operation);
    if (blocks.empty()) return {};
    const bool puts = operation.kind == Kind::kPut;
    return api::ask_for(node_, api::pages_to_have(node_, blocks, puts),
                        puts ? MemoryUse::kStores : MemoryUse::kLoads);
  }
  bool are_under_way(const std::vector<PageRange>& pages) override {
    return node_.is_under_way(pages);
  }
  void fetch(const std::vector<PageRange>& pages) override {
    for (const PageRange& range : pages) node_.fetch(range);
  }
  std::uint64_t losses() override { return node_.access_losses(); }
  void perform(std::byte* there, const Operation& operation) override {
    if (operation.kind == Kind::kGet) return copy(there, operation);
    const Blocks blocks = blocks_of(there, operation);
    if (!blocks.empty()) api::overwrite_whole_pages(node_, blocks);
    copy(there, operation);
    if (!blocks.empty()) api::commit(node_, blocks);
  }
  void end(Record& record) override {
    const std::lock_guard guard(links->lock);
    (void)end_operation(record, WEFT_OK);
  }

  static void copy(std::byte* there, const Operation& own) {
    if (own.kind == Kind::kPut) {
      copy_blocks(there, own.stride, own.near, own.near_stride, own.bytes, own.count);
    } else {
      copy_blocks(own.near, own.near_stride, there, own.stride, own.bytes, own.count);
    }
  }

 private:
  [[nodiscard]] Blocks blocks_of(std::byte* there, const Operation& operation) const {
    const SharedCall call =
        SharedCall::of(there, operation.bytes, operation.stride, operation.count);
    if (call.error != WEFT_OK || call.blocks.empty()) return {};
    const PageRange all = shared_pages(node_, call.blocks.first, call.blocks.end());
    return all.count == 0 ? Blocks() : call.blocks;
  }

  Node& node_;
};

SharedQueue& own_queue() {
  thread_local SharedQueue mine;
  return mine;
}

int change(std::byte* there, const Operation& operation) {
  const auto bytes = static_cast<std::uint32_t>(operation.bytes);
  const auto kind = static_cast<std::uint32_t>(operation.change);
  const auto type = static_cast<std::uint32_t>(operation.type);
  if (operation.change == AtomicOperation::kCompareExchange) {
    std::byte found[8];
    std::memcpy(found, operation.expected, sizeof found);
    (void)__weft_atomic_compare_exchange(there, found, operation.operand, bytes,
                                         kSequentiallyConsistent, kSequentiallyConsistent);
    if (operation.near != nullptr) std::memcpy(operation.near, found, operation.bytes);
  } else if (operation.change == AtomicOperation::kLoad) {
    if (operation.near != nullptr) {
      __weft_atomic_load(there, operation.near, bytes, kSequentiallyConsistent);
    }
  } else if (operation.change == AtomicOperation::kStore) {
    __weft_atomic_store(there, operation.operand, bytes, kSequentiallyConsistent);
  } else {
    __weft_atomic_rmw(there, operation.operand, operation.near, bytes, kind, type,
                      kSequentiallyConsistent);
  }
  return WEFT_OK;
}

Record& share_of(void** record) {
  if (*record == nullptr) *record = &begin_record();
  auto& mine = *static_cast<Record*>(*record);
  const std::lock_guard guard(links->lock);
  ++mine.operations;
  return mine;
}

}  // namespace

void advance_shared_operations() {
  if (own_queue().empty()) return;
  OwnPages pages(*this_node());
  own_queue().advance(pages);
}

void finish_shared_operations() {
  if (own_queue().empty()) return;
  OwnPages pages(*this_node());
  own_queue().finish_all(pages);
}

void finish_shared_operations_of(const Record& record) {
  OwnPages pages(*this_node());
  own_queue().finish(pages, own_queue().count_until(record));
}

void finish_oldest_shared_operations(std::size_t records) {
  OwnPages pages(*this_node());
  own_queue().finish(pages, own_queue().count_of_oldest(records));
}

}  // namespace weft::remote

// A handler may have interrupted its thread amid the queue, and the child of a fork has no node to
// ask.
extern "C" [[gnu::visibility("default")]] int __weft_remote_share(
    std::byte* there, const weft::remote::Operation* operation, void** record) {
  using namespace weft::remote;
  weft::Node* const node = weft::this_node();
  const bool is_at_once = node == nullptr || weft::is_in_signal_handler();
  if (operation->kind == Kind::kAtomic) {
    if (!is_at_once) weft::on_runtime_stack([] { finish_shared_operations(); });
    return change(there, *operation);
  }
  if (is_at_once) {
    OwnPages::copy(there, *operation);
    return WEFT_OK;
  }
  weft::on_runtime_stack([&] {
    const Operation own = *operation;
    OwnPages pages(*node);
    (void)own_queue().begin(pages, there, own, [&]() -> Record& { return share_of(record); });
  });
  return WEFT_OK;
}

extern "C" [[gnu::visibility("default")]] int __weft_remote_check_shared(const void* address,
                                                                         std::size_t bytes) {
  return weft::api::perform(weft::SharedCall::of(address, bytes, 0, 1),
                            [](weft::Node&, const weft::Blocks&) {});
}
