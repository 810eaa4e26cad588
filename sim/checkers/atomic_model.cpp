// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/checkers/atomic_model.hpp"

#include <algorithm>
#include <cstring>

#include "sim/checkers/failure.hpp"

namespace weft::sim {
namespace {

std::uint64_t load(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

std::int64_t as_signed(std::uint64_t value, std::uint8_t size) {
  const unsigned shift = 64 - 8 * size;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

std::uint64_t result_of(const AtomicRequest& request, std::uint64_t old) {
  const std::uint64_t operand = load(std::span(request.operand).first(request.size));
  const auto signed_less = as_signed(old, request.size) < as_signed(operand, request.size);
  switch (request.operation) {
    case AtomicOperation::kLoad:
      return old;
    case AtomicOperation::kStore:
    case AtomicOperation::kExchange:
      return operand;
    case AtomicOperation::kCompareExchange:
      return old == load(std::span(request.expected).first(request.size)) ? operand : old;
    case AtomicOperation::kAdd:
      return old + operand;
    case AtomicOperation::kSubtract:
      return old - operand;
    case AtomicOperation::kAnd:
      return old & operand;
    case AtomicOperation::kNand:
      return ~(old & operand);
    case AtomicOperation::kOr:
      return old | operand;
    case AtomicOperation::kXor:
      return old ^ operand;
    case AtomicOperation::kMax:
      return signed_less ? operand : old;
    case AtomicOperation::kMin:
      return signed_less ? old : operand;
    case AtomicOperation::kUnsignedMax:
      return std::max(old, operand);
    case AtomicOperation::kUnsignedMin:
      return std::min(old, operand);
    default:
      throw Failure("an atomic operation that is not simulated");
  }
}

}  // namespace

AtomicResult perform_model(const AtomicRequest& request, std::span<std::byte> memory) {
  SIM_CHECK(request.size <= 8 && memory.size() == request.size, "atomic of {} bytes", request.size);
  AtomicResult result;
  std::ranges::copy(memory, result.before);
  const std::uint64_t value = result_of(request, load(memory));
  std::memcpy(memory.data(), &value, request.size);
  std::ranges::copy(memory, result.after);
  return result;
}

}  // namespace weft::sim
