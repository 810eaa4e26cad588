// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/checkers/atomic_model.hpp"

#include <algorithm>
#include <span>

#include "base/atomic_operation.hpp"
#include "sim/checkers/failure.hpp"

namespace weft::sim {

AtomicResult perform_model(const AtomicRequest& request, std::span<std::byte> memory) {
  SIM_CHECK(memory.size() == request.size, "atomic of {} bytes", request.size);
  AtomicResult result;
  std::ranges::copy(memory, result.before);
  if (request.operation != AtomicOperation::kCompareExchange ||
      std::ranges::equal(memory, std::span(request.expected).first(request.size))) {
    SIM_CHECK(change_contents(request.operation, request.type, request.size, memory.data(),
                              request.operand),
              "no atomic operation {} on type {} of {} bytes", static_cast<int>(request.operation),
              static_cast<int>(request.type), request.size);
  }
  std::ranges::copy(memory, result.after);
  return result;
}

}  // namespace weft::sim
