// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sockets as StreamTransport has them: never blocking, closed by exec, without delay, and with
// numbers that the program's own files do not need.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/result.hpp"
#include "transport/stream/stream_address.hpp"

namespace weft {

// Listens at the address, at a port that the kernel chooses.
[[nodiscard]] Result<int> listening_socket(const StreamAddress& at);
// Connects to there from this address; that is still under way.
[[nodiscard]] Result<int> calling_socket(const StreamAddress& to, const StreamAddress& from,
                                         std::chrono::milliseconds silence_limit);
// The same socket as it should be, maybe by another number. It ends when the other host has been
// silent for so long; 0: never.
[[nodiscard]] int prepared(int socket, std::chrono::milliseconds silence_limit);

// epoll_ctl, which cannot fail for a descriptor that is open.
void watch_descriptor(int epoll, int operation, int descriptor, std::uint32_t events, void* what);

}  // namespace weft
