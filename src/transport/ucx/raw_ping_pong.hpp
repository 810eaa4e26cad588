// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What UCX can do on this machine with nothing of Weft around it: the physical limit to print
// beside Weft's own figures. Two workers, each driven by a thread that spins, exchange active
// messages.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.hpp"
#include "transport/ucx/ucx_library.hpp"

namespace weft {

// The time of each round trip of `message_bytes` there and as many back, in microseconds, in the
// order in which they were made. Some rounds to warm up are made before and not reported.
Result<std::vector<double>> raw_ping_pong(const UcxLibraryOptions& options,
                                          std::size_t message_bytes, unsigned rounds);

// Bytes a second one way, in messages of `message_bytes`, until `total_bytes` have arrived.
Result<double> raw_bandwidth(const UcxLibraryOptions& options, std::size_t message_bytes,
                             std::size_t total_bytes);

// The same from one block of memory of that size to another: what is sent is read and what arrives
// is written there, as bulk data is.
Result<double> raw_memory_bandwidth(const UcxLibraryOptions& options, std::size_t message_bytes,
                                    std::size_t total_bytes);

}  // namespace weft
