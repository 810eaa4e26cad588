// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kind's way with all pages, whatever they are used for: for experiments (protocol/pages.md,
// 18). Each is put together of rules that there are for some pages anyway, so none is a protocol of
// its own.
#pragma once

#include <cstdint>

#include "protocol/interface/engine_config.hpp"

namespace weft {

enum class PagePolicy : std::uint8_t {
  kAdaptive,  // each page by what becomes of it
  kSingleWriter,
  kMultipleWriter,
  kMigratory,
  kProducerConsumer,
  kReadMostly,
  kWriteShared,
};

// Sets the policies that make it up. All nodes of a job must have the same.
void force(PagePolicy policy, EngineConfig& config);

}  // namespace weft
