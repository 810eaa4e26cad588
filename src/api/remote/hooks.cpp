// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that libweft.so calls for remote memory operations (base/remote/remote_abi.hpp), as
// far as they are about messages, waiting and shared memory.
#include <optional>
#include <vector>

#include "api/remote/links.hpp"
#include "api/remote/multicasts.hpp"
#include "api/remote/serving.hpp"
#include "api/remote/shared.hpp"
#include "base/remote/remote_abi.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft::remote {
namespace {

// From the program's stack, which may go away while messages are handled.
std::optional<Notice> copy_of(const Notice* notice) {
  return notice == nullptr ? std::nullopt : std::optional(*notice);
}

Record& record_of(void** record) {
  if (*record == nullptr) *record = &begin_record();
  return *static_cast<Record*>(*record);
}

// The child of a fork is no node, and its memory is its own.
bool is_node() { return this_node() != nullptr; }

}  // namespace
}  // namespace weft::remote

using namespace weft::remote;

extern "C" {

[[gnu::visibility("default")]] int __weft_remote_send(int node, const Operation* operation,
                                                      const Notice* notice, void** record) {
  if (!is_node()) return WEFT_ERROR_NODE;
  if (weft::is_in_signal_handler()) return WEFT_ERROR_HANDLER;
  weft::on_runtime_stack([&] {
    const Operation own = *operation;
    const std::optional<Notice> own_notice = copy_of(notice);
    send_operation(weft::NodeId(static_cast<std::uint16_t>(node)), own,
                   own_notice ? &*own_notice : nullptr, record_of(record));
  });
  return WEFT_OK;
}

[[gnu::visibility("default")]] int __weft_remote_send_all(const Target* targets, std::size_t count,
                                                          const Operation* operation,
                                                          void** record) {
  if (!is_node()) return WEFT_ERROR_NODE;
  if (weft::is_in_signal_handler()) return WEFT_ERROR_HANDLER;
  weft::on_runtime_stack([&] {
    const std::vector<Target> own(targets, targets + count);
    const Operation put = *operation;
    send_multicast(own, put, record_of(record));
  });
  return WEFT_OK;
}

[[gnu::visibility("default")]] int __weft_remote_sent(void* record, int error, const Notice* notice,
                                                      weft_request* request) {
  const bool has_request = request != nullptr;
  if (has_request) *request = {.state = record, .error = WEFT_OK};
  weft::on_runtime_stack([&] {
    const std::optional<Notice> own = copy_of(notice);
    end_sending(*static_cast<Record*>(record), error, own, has_request);
  });
  return WEFT_OK;
}

[[gnu::visibility("default")]] int __weft_remote_wait(weft_request* request) {
  if (!is_node()) return WEFT_ERROR_NODE;
  if (weft::is_in_signal_handler()) return WEFT_ERROR_HANDLER;
  auto* const record = static_cast<Record*>(request->state);
  const int error = weft::on_runtime_stack([=] { return wait_for_record(*record); });
  *request = {.state = nullptr, .error = error};
  return error;
}

[[gnu::visibility("default")]] int __weft_remote_test(weft_request* request) {
  if (!is_node()) return WEFT_ERROR_NODE;
  if (weft::is_in_signal_handler()) return WEFT_ERROR_HANDLER;
  auto* const record = static_cast<Record*>(request->state);
  weft::on_runtime_stack([] { advance_shared_operations(); });
  if (record->state.load(std::memory_order_acquire) == Record::kOver)
    return __weft_remote_wait(request);
  weft::on_runtime_stack([] { hurry_operations(false); });
  return WEFT_PENDING;
}

[[gnu::visibility("default")]] int __weft_remote_fence(std::size_t at_most) {
  if (!is_node()) return WEFT_OK;
  if (weft::is_in_signal_handler()) return WEFT_ERROR_HANDLER;
  return weft::on_runtime_stack([=] { return wait_for_account(at_most); });
}

[[gnu::visibility("default")]] void __weft_remote_await(Bell* bell, std::uint32_t seen,
                                                        bool (*is_over)(const void*),
                                                        const void* argument) {
  if (!is_node()) return bell->sleep(seen);
  weft::on_runtime_stack([=] {
    finish_shared_operations();  // whose notice the thread may be waiting for
    weft::this_node()->wait_for_ring(*bell, seen, [=] { return is_over(argument); });
  });
}

[[gnu::visibility("default")]] void __weft_remote_made_room(std::uint32_t number) {
  if (!is_node()) return;
  weft::on_runtime_stack([=] { try_waiting_appends(number); });
}

[[gnu::visibility("default")]] int __weft_remote_is_in_handler(void) {
  return weft::is_in_signal_handler() ? 1 : 0;
}

}  // extern "C"
