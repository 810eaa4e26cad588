// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on shared memory: as the calling thread would do them, after one request for all pages
// that they need. Atomic operations are those of compiled code.
#include "base/compiler_abi.h"
#include "base/remote/remote_abi.hpp"
#include "runtime/interface/node.hpp"

namespace weft::remote {
namespace {

constexpr std::uint32_t kSequentiallyConsistent = 5;

// For pages of no use this asks nobody. What it refuses, the copy below finds out.
void check_out(const std::byte* there, const Operation& operation, weft_access access) {
  (void)weft_check_out_strided(there, operation.bytes, operation.stride, operation.count, access);
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

}  // namespace
}  // namespace weft::remote

extern "C" [[gnu::visibility("default")]] int __weft_remote_share(
    std::byte* there, const weft::remote::Operation* operation) {
  using namespace weft::remote;
  const Operation& own = *operation;
  if (own.kind == Kind::kAtomic) return change(there, own);
  if (own.kind == Kind::kPut) {
    check_out(there, own, WEFT_OVERWRITE);
    copy_blocks(there, own.stride, own.near, own.near_stride, own.bytes, own.count);
    (void)weft_commit_strided(there, own.bytes, own.stride, own.count);
  } else {
    check_out(there, own, WEFT_READ);
    copy_blocks(own.near, own.near_stride, there, own.stride, own.bytes, own.count);
  }
  return WEFT_OK;
}
