// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the nodes of a job know and nobody else: node 0 makes it, and it goes to the others by the
// launcher's own channel. Proofs and keys are derived from it, each for one purpose and one pair of
// nodes, so that nothing made for one use serves for another.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"

namespace weft {

using Digest = std::array<std::byte, 32>;

struct JobKey {
  Digest bytes{};
};

// Bytes of the kernel that nobody can guess.
[[nodiscard]] Result<Digest> random_digest();

// HKDF-Expand with SHA-256 (RFC 5869) to 32 bytes; the job's key is as random as what HKDF-Extract
// would make of it. `from` has opened the connection, to `to`.
[[nodiscard]] Digest derive(const JobKey& key, std::string_view purpose, NodeId from, NodeId to,
                            ByteView more = {});

// In a time that does not tell where they differ.
[[nodiscard]] bool equal_secretly(ByteView one, ByteView other);

}  // namespace weft
