// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Claims of `single nowait` between nodes (Service::kSingle); see single_count.hpp.
#pragma once

#include "openmp/team/team.hpp"

namespace weft::openmp {

// Answers other nodes' claims, from now on, if this is node 0.
void serve_single_claims(Node& node);

// Whether the thread is to execute the single construct that it has come to; may ask node 0.
[[nodiscard]] bool claim_single(Member& member);

}  // namespace weft::openmp
