// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Put, get and atomic operations of weft/remote.h.
#include "base/remote/atomic_types.hpp"
#include "start/calls/remote_beginning.hpp"
#include "start/calls/remote_views.hpp"
#include "start/visibility.hpp"

namespace weft::remote {
namespace {

// Blocks there and here. False: they overlap, or end beyond the last address.
bool set_blocks(Operation& operation, std::uint64_t offset, std::size_t stride, void* near,
                std::size_t near_stride, std::size_t bytes, std::size_t count) {
  const auto address = reinterpret_cast<std::uintptr_t>(near);
  if (!Blocks::of(offset, bytes, stride, count) || !Blocks::of(address, bytes, near_stride, count))
    return false;
  operation.offset = offset;
  operation.stride = count > 1 ? stride : 0;
  operation.bytes = bytes;
  operation.count = count;
  operation.near = static_cast<std::byte*>(near);
  operation.near_stride = count > 1 ? near_stride : 0;
  if (count > 1 && stride == bytes && near_stride == bytes) {  // one block
    operation.bytes = bytes * count;
    operation.count = 1;
    operation.stride = operation.near_stride = 0;
  }
  return true;
}

int transfer(Kind kind, const weft_key* key, std::uint64_t offset, std::size_t stride, void* near,
             std::size_t near_stride, std::size_t bytes, std::size_t count,
             const weft_notice* notice, weft_request* request) {
  Beginning beginning(notice, request);
  Operation operation{.kind = kind};
  if (set_blocks(operation, offset, stride, near, near_stride, bytes, count)) {
    beginning.add(*key, operation, true);
  } else {
    beginning.refuse(WEFT_ERROR_SIZE);
  }
  return beginning.end();
}

// Most operations: a copy where the memory is mapped. False: it takes the other way.
template <Kind kind>
[[gnu::always_inline]] inline bool copy_at_once(const weft_key& key, std::uint64_t offset,
                                                void* near, std::size_t bytes,
                                                weft_request* request, int& error) {
  const View* const view = known_view(key.node);
  if (view == nullptr || bytes > SIZE_MAX - offset) return false;
  Use use(*view->table, own_place(key.node, *view->table), view->is_light, key.number, key.secret,
          right_for(kind), offset, bytes);
  error = use.error();
  if (error == WEFT_OK) {
    const Grant& grant = use.grant();
    std::byte* const memory = view->memory(grant.piece);
    if (memory == nullptr) return false;
    std::byte* const there = memory + grant.begin + offset;
    auto* const here = static_cast<std::byte*>(near);
    if constexpr (kind == Kind::kPut) {
      copy_block(there, here, bytes);
      view->table->pieces[grant.piece].bell.ring();
    } else {
      copy_block(here, there, bytes);
    }
  }
  if (request != nullptr) *request = {.state = nullptr, .error = error};
  return true;
}

// The same for atomic operations.
bool change_at_once(const weft_key& key, const Operation& change, weft_request* request,
                    int& error) {
  const View* const view = known_view(key.node);
  if (view == nullptr) return false;
  Use use(*view->table, own_place(key.node, *view->table), view->is_light, key.number, key.secret,
          WEFT_RIGHT_ATOMIC, change.offset, change.bytes);
  error = use.error();
  if (error == WEFT_OK) {
    const Grant& grant = use.grant();
    std::byte* const memory = view->memory(grant.piece);
    if (memory == nullptr) return false;
    error = change_there(memory + grant.begin + change.offset, change);
    if (error == WEFT_OK) view->table->pieces[grant.piece].bell.ring();
  }
  if (request != nullptr) *request = {.state = nullptr, .error = error};
  return true;
}

int transfer_list(Kind kind, const weft_key* key, const weft_piece* pieces, std::size_t count,
                  const weft_notice* notice, weft_request* request) {
  Beginning beginning(notice, request);
  for (std::size_t i = 0; i < count; ++i) {
    Operation operation{.kind = kind};
    if (set_blocks(operation, pieces[i].offset, 0, pieces[i].memory, 0, pieces[i].bytes, 1)) {
      beginning.add(*key, operation, i + 1 == count);
    } else {
      beginning.refuse(WEFT_ERROR_SIZE);
    }
  }
  return beginning.end();
}

void* unconst(const void* memory) { return const_cast<void*>(memory); }

}  // namespace
}  // namespace weft::remote

using namespace weft::remote;

extern "C" {

WEFT_EXPORT int weft_put(const weft_key* to, size_t offset, const void* from, size_t bytes,
                         const weft_notice* notice, weft_request* request) {
  int error = WEFT_OK;
  if (notice == nullptr &&
      copy_at_once<Kind::kPut>(*to, offset, unconst(from), bytes, request, error)) {
    return error;
  }
  return transfer(Kind::kPut, to, offset, 0, unconst(from), 0, bytes, 1, notice, request);
}

WEFT_EXPORT int weft_get(void* into, const weft_key* from, size_t offset, size_t bytes,
                         const weft_notice* notice, weft_request* request) {
  int error = WEFT_OK;
  if (notice == nullptr && copy_at_once<Kind::kGet>(*from, offset, into, bytes, request, error)) {
    return error;
  }
  return transfer(Kind::kGet, from, offset, 0, into, 0, bytes, 1, notice, request);
}

WEFT_EXPORT int weft_put_strided(const weft_key* to, size_t offset, size_t to_stride,
                                 const void* from, size_t from_stride, size_t block_bytes,
                                 size_t count, const weft_notice* notice, weft_request* request) {
  return transfer(Kind::kPut, to, offset, to_stride, unconst(from), from_stride, block_bytes, count,
                  notice, request);
}

WEFT_EXPORT int weft_get_strided(void* into, size_t into_stride, const weft_key* from,
                                 size_t offset, size_t from_stride, size_t block_bytes,
                                 size_t count, const weft_notice* notice, weft_request* request) {
  return transfer(Kind::kGet, from, offset, from_stride, into, into_stride, block_bytes, count,
                  notice, request);
}

WEFT_EXPORT int weft_put_list(const weft_key* to, const weft_piece* pieces, size_t count,
                              const weft_notice* notice, weft_request* request) {
  return transfer_list(Kind::kPut, to, pieces, count, notice, request);
}

WEFT_EXPORT int weft_get_list(const weft_key* from, const weft_piece* pieces, size_t count,
                              const weft_notice* notice, weft_request* request) {
  return transfer_list(Kind::kGet, from, pieces, count, notice, request);
}

WEFT_EXPORT int weft_put_multicast(const weft_key* to, size_t count, size_t offset,
                                   const void* from, size_t bytes, const weft_notice* notices,
                                   weft_request* request) {
  Beginning beginning(nullptr, request);
  Gathered gathered;
  beginning.gather(gathered);
  for (size_t i = 0; i < count; ++i) {
    Operation operation{.kind = Kind::kPut};
    if (notices != nullptr) beginning.set_notice(&notices[i]);
    const bool is_own = notices != nullptr && notices[i].key->node != to[i].node;
    if (is_own) {
      beginning.refuse(WEFT_ERROR_NODE);
    } else if (set_blocks(operation, offset, 0, unconst(from), 0, bytes, 1)) {
      beginning.add(to[i], operation, true);
    } else {
      beginning.refuse(WEFT_ERROR_SIZE);
    }
  }
  beginning.send_gathered();
  return beginning.end();
}

WEFT_EXPORT int weft_atomic(const weft_key* on, size_t offset, weft_atomic_op operation,
                            weft_type type, const void* operand, const void* expected, void* old,
                            const weft_notice* notice, weft_request* request) {
  const auto kind = atomic_kind(operation, type);
  const bool compares = operation == WEFT_OP_COMPARE_SWAP;
  if (!kind || (kind->has_operand && operand == nullptr) || (compares && expected == nullptr)) {
    if (request != nullptr) *request = {.state = nullptr, .error = WEFT_ERROR_OPERATION};
    return WEFT_ERROR_OPERATION;
  }
  Operation change{.kind = Kind::kAtomic,
                   .offset = offset,
                   .bytes = kind->bytes,
                   .near = static_cast<std::byte*>(old)};
  change.change = kind->operation;
  change.type = kind->type;
  if (kind->has_operand) copy_number(change.operand, operand, kind->bytes);
  if (compares) copy_number(change.expected, expected, kind->bytes);
  int error = WEFT_OK;
  if (notice == nullptr && change_at_once(*on, change, request, error)) return error;
  Beginning beginning(notice, request);
  beginning.add(*on, change, true);
  return beginning.end();
}

}  // extern "C"
