// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/calls/remote_beginning.hpp"

#include <utility>

#include "base/remote/remote_abi.hpp"
#include "start/calls/remote_patience.hpp"
#include "start/calls/remote_views.hpp"

namespace weft::remote {
namespace {

// Where a node's pieces are, for the calling thread.
struct MemoryOf {
  int node;
  const View* view;

  std::byte* operator()(std::uint32_t piece) const {
    std::byte* const memory = view->memory(piece);
    return memory != nullptr || node == self() ? memory : __weft_remote_memory(node, piece);
  }
};

Reached<MemoryOf> reached(int node, const View& view) {
  return {*view.table, own_place(node, *view.table), view.is_light, {node, &view}};
}

Notice of(const weft_notice& notice) {
  return {.number = notice.key->number,
          .secret = notice.key->secret,
          .offset = notice.offset,
          .value = notice.value,
          .stores = notice.how == WEFT_NOTICE_STORE};
}

// The FIFO is full. Whoever takes a message rings.
int append_when_there_is_room(int node, const View& view, const Operation& operation) {
  const std::uint32_t piece = view.table->grants[operation.number].piece;
  if (piece >= kMostPieces) return WEFT_ERROR_KEY;
  Bell& bell = view.table->pieces[piece].bell;
  const Bell::Waiting waiting(bell);
  for (;;) {
    const std::uint32_t seen = bell.rung().load();
    const int error = perform_at(node, view, operation);
    if (error != WEFT_ERROR_FULL) return error;
    __weft_remote_await(&bell, seen, never, nullptr);
  }
}

int share(const weft_key& key, const Operation& operation, void** record) {
  const std::uint64_t span = operation.span();
  if (operation.kind == Kind::kAppend || operation.kind == Kind::kTryAppend)
    return WEFT_ERROR_RIGHT;
  if (operation.offset > key.bytes || span > key.bytes - operation.offset) return WEFT_ERROR_RANGE;
  if (span == 0) return WEFT_OK;
  auto* const there = reinterpret_cast<std::byte*>(key.address + operation.offset);
  if (operation.kind == Kind::kAtomic &&
      reinterpret_cast<std::uintptr_t>(there) % operation.bytes != 0) {
    return WEFT_ERROR_OPERATION;
  }
  return __weft_remote_share(there, &operation, record);
}

}  // namespace

int perform_at(int node, const View& view, const Operation& operation) {
  return reached(node, view).perform(operation);
}

int notify_at(int node, const View& view, const Notice& notice) {
  return reached(node, view).notify(notice);
}

// Before anything is done.
int Beginning::check_notice(const weft_key& key) const {
  if (notice_ == nullptr) return WEFT_OK;
  const int node = notice_->key->node;
  if (node < 0 || (node != key.node && node != self())) return WEFT_ERROR_NODE;
  if (notice_->how != WEFT_NOTICE_ADD && notice_->how != WEFT_NOTICE_STORE)
    return WEFT_ERROR_OPERATION;
  return WEFT_OK;
}

void Beginning::keep_own_notice() {
  if (notice_ == nullptr) return;
  own_ = of(*notice_);
  has_own_ = true;
}

int Beginning::send(const weft_key& key, Operation operation, bool with_notice) {
  const bool is_own = notice_ != nullptr && notice_->key->node != key.node;
  if (is_own) keep_own_notice();
  const bool tells = notice_ != nullptr && !is_own;
  const bool appends = operation.kind == Kind::kAppend || operation.kind == Kind::kTryAppend;
  operation.is_message = request_ == nullptr && (tells || appends);
  const Notice there = tells ? of(*notice_) : Notice();
  if (gathered_ != nullptr) {
    if (gathered_->count == Gathered::kMost) send_gathered();
    gathered_->put = operation;
    gathered_->targets[gathered_->count++] = {key.node, key.number, key.secret, tells, there};
    return WEFT_OK;
  }
  return __weft_remote_send(key.node, &operation, tells && with_notice ? &there : nullptr,
                            &record_);
}

void Beginning::send_gathered() {
  if (gathered_->count == 0) return;
  const auto count = static_cast<std::size_t>(std::exchange(gathered_->count, 0));
  const int error = __weft_remote_send_all(gathered_->targets, count, &gathered_->put, &record_);
  if (error != WEFT_OK) refuse(error);
}

int Beginning::begin(const weft_key& key, const Operation& operation, bool with_notice) {
  if (const int error = check_notice(key); error != WEFT_OK) return error;
  if (key.node == WEFT_SHARED) {
    const int error = share(key, operation, &record_);
    if (error != WEFT_OK) return error;
    if (record_ != nullptr && with_notice) keep_own_notice();
    if (record_ != nullptr) return WEFT_OK;
  } else {
    int error = WEFT_OK;
    const View* const view = view_of(key.node, error);
    if (view == nullptr && error == WEFT_OK) return send(key, operation, with_notice);
    if (error == WEFT_OK) error = perform_at(key.node, *view, operation);
    if (error == WEFT_ERROR_FULL && operation.kind == Kind::kAppend)
      error = append_when_there_is_room(key.node, *view, operation);
    if (error != WEFT_OK) return error;
  }
  if (!with_notice || notice_ == nullptr) return WEFT_OK;
  int error = WEFT_OK;
  const int node = notice_->key->node;
  const View* const view = view_of(node, error);
  return view == nullptr ? error : notify_at(node, *view, of(*notice_));
}

void Beginning::add(const weft_key& key, Operation operation, bool with_notice) {
  operation.number = key.number;
  operation.secret = key.secret;
  if (const int error = begin(key, operation, with_notice); error != WEFT_OK) refuse(error);
}

int Beginning::end() {
  if (record_ != nullptr) {
    return __weft_remote_sent(record_, error_, has_own_ ? &own_ : nullptr, request_);
  }
  if (request_ != nullptr) *request_ = {.state = nullptr, .error = error_};
  return error_;
}

}  // namespace weft::remote
