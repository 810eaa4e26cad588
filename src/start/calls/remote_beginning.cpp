// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/calls/remote_beginning.hpp"

#include "base/remote/remote_abi.hpp"

namespace weft::remote {
namespace {

// Where a node's pieces are, for the calling thread.
struct MemoryOf {
  int node;
  const Table* own;  // null: it is another node's

  std::byte* operator()(std::uint32_t piece) const {
    return own != nullptr ? own->pieces[piece].memory.load() : __weft_remote_memory(node, piece);
  }
};

Reached<MemoryOf> reached(int node, Table& table) {
  const int self = weft_node();
  return {table, static_cast<unsigned>(self), {node, node == self ? &table : nullptr}};
}

Notice of(const weft_notice& notice) {
  return {.number = notice.key->number,
          .secret = notice.key->secret,
          .offset = notice.offset,
          .value = notice.value,
          .stores = notice.how == WEFT_NOTICE_STORE};
}

// WEFT_OK and null: by messages.
int reach(int node, Table*& table) {
  table = nullptr;
  if (node < 0 || node >= weft_nodes()) return WEFT_ERROR_NODE;
  if (node != weft_node()) return __weft_remote_reach(node, &table);
  table = __weft_remote_own_table(0);
  if (table == nullptr) return WEFT_ERROR_KEY;
  return WEFT_OK;
}

// The FIFO is full. Whoever takes a message rings.
int append_when_there_is_room(int node, Table& table, const Operation& operation) {
  const std::uint32_t piece = table.grants[operation.number].piece;
  if (piece >= kMostPieces) return WEFT_ERROR_KEY;
  Bell& bell = table.pieces[piece].bell;
  const Bell::Waiting waiting(bell);
  for (;;) {
    const std::uint32_t seen = bell.rung().load();
    const int error = perform_at(node, table, operation);
    if (error != WEFT_ERROR_FULL) return error;
    __weft_remote_await(&bell, seen);
  }
}

int share(const weft_key& key, const Operation& operation) {
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
  return __weft_remote_share(there, &operation);
}

}  // namespace

int perform_at(int node, Table& table, const Operation& operation) {
  return reached(node, table).perform(operation);
}

int notify_at(int node, Table& table, const Notice& notice) {
  return reached(node, table).notify(notice);
}

// Before anything is done.
int Beginning::check_notice(const weft_key& key) const {
  if (notice_ == nullptr) return WEFT_OK;
  const int node = notice_->key->node;
  if (node < 0 || (node != key.node && node != weft_node())) return WEFT_ERROR_NODE;
  if (notice_->how != WEFT_NOTICE_ADD && notice_->how != WEFT_NOTICE_STORE)
    return WEFT_ERROR_OPERATION;
  return WEFT_OK;
}

int Beginning::send(const weft_key& key, const Operation& operation, bool with_notice) {
  const bool is_own = notice_ != nullptr && notice_->key->node != key.node;
  if (is_own) {
    own_ = of(*notice_);
    has_own_ = true;
  }
  if (!with_notice || notice_ == nullptr || is_own)
    return __weft_remote_send(key.node, &operation, nullptr, &record_);
  const Notice there = of(*notice_);
  return __weft_remote_send(key.node, &operation, &there, &record_);
}

int Beginning::begin(const weft_key& key, const Operation& operation, bool with_notice) {
  if (const int error = check_notice(key); error != WEFT_OK) return error;
  if (key.node == WEFT_SHARED) {
    const int error = share(key, operation);
    if (error != WEFT_OK) return error;
  } else {
    Table* table = nullptr;
    if (const int error = reach(key.node, table); error != WEFT_OK) return error;
    if (table == nullptr) return send(key, operation, with_notice);
    int error = perform_at(key.node, *table, operation);
    if (error == WEFT_ERROR_FULL && operation.kind == Kind::kAppend)
      error = append_when_there_is_room(key.node, *table, operation);
    if (error != WEFT_OK) return error;
  }
  if (!with_notice || notice_ == nullptr) return WEFT_OK;
  Table* table = nullptr;
  const int node = notice_->key->node;
  if (const int error = reach(node, table); error != WEFT_OK) return error;
  return notify_at(node, *table, of(*notice_));
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
