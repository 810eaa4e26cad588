// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the protocol's own values stand in a message, beside those of base/codec.hpp.
#pragma once

#include "base/bytes.hpp"
#include "base/codec.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/page_memory.hpp"
#include "protocol/messages/records.hpp"

namespace weft {

// Bytes that end a message and are not in it yet: a writer leaves them out, as they are sent from
// where they are (Effects::send_with); a reader finds them.
struct LentBytes {
  ByteView bytes;
};
inline void put_value(WireWriter&, const LentBytes&) {}
inline void get_value(WireReader& wire, LentBytes& lent) { wire(rest(lent.bytes)); }

void put_value(WireWriter& wire, const PageSet& pages);
void get_value(WireReader& wire, PageSet& pages);
void put_value(WireWriter& wire, const StoreUnderWay& store);
void get_value(WireReader& wire, StoreUnderWay& store);
void put_value(WireWriter& wire, const AtomicRequest& request);
void get_value(WireReader& wire, AtomicRequest& request);
void put_value(WireWriter& wire, const AtomicResult& result);
void get_value(WireReader& wire, AtomicResult& result);

}  // namespace weft
