// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which polls look at quiet messages, where these have a way of their own. To look there costs as
// much as to look at the loud ones, over TCP a system call. So who needs none looks now and then.
#pragma once

#include "transport/transport.hpp"

namespace weft {

class QuietLooks {
 public:
  // Whether this poll does. `has_early`: a loud message is here and a quiet one before it is not.
  [[nodiscard]] bool next(ArmedFor what, bool has_early) {
    const bool is_due =
        what == ArmedFor::kAll || has_early || ++polls_without_ >= Transport::kPollsPerQuietLook;
    if (is_due) polls_without_ = 0;
    return is_due;
  }

 private:
  unsigned polls_without_ = 0;
};

}  // namespace weft
