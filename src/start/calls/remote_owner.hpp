// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that this node has registered, and the keys that it has given out (weft/remote.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "include/weft/remote.h"

namespace weft::remote {

// Registers memory, with one key. `messages`: as a FIFO; else 0. Null, and errno.
void* add_memory(std::size_t bytes, std::uint32_t messages, std::uint32_t message_bytes,
                 weft_rights rights, weft_key& key);
// Of which `memory` is the beginning. WEFT_ERROR_RANGE.
int remove_memory(const void* memory);

}  // namespace weft::remote
