// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values stand in a message. A message names its fields once, in a static `fields` function;
// the writer and the reader here both walk that list, so that they cannot disagree.
#pragma once

#include <type_traits>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/page_memory.hpp"
#include "protocol/messages/records.hpp"

namespace weft {

// Bytes that end a message and are not in it yet: a writer leaves them out, as they are sent from
// where they are (Effects::send_with); a reader finds them.
struct LentBytes {
  ByteView bytes;
};

class WireWriter {
 public:
  explicit WireWriter(Bytes& out) : out_(out) {}

  template <typename... Fields>
  void operator()(const Fields&... fields) {
    (put(fields), ...);
  }

 private:
  template <typename Tag, typename Representation>
  void put(const Id<Tag, Representation>& id) {
    out_.varint(id.value());
  }
  void put(ByteView bytes) { out_.string(bytes); }
  void put(const LentBytes&) {}
  void put(const Bytes& bytes) { out_.string(bytes); }
  void put(const PageSet& pages);
  void put(const AtomicRequest& request);
  void put(const AtomicResult& result);
  template <typename Element>
  void put(const std::vector<Element>& elements) {
    out_.varint(elements.size());
    for (const Element& element : elements) put(element);
  }
  template <typename Value>
  void put(const Value& value) {
    if constexpr (std::is_enum_v<Value> || std::is_integral_v<Value>) {
      out_.varint(static_cast<std::uint64_t>(value));
    } else {
      Value::fields(value, *this);
    }
  }

  ByteWriter out_;
};

class WireReader {
 public:
  explicit WireReader(ByteView in) : in_(in) {}

  template <typename... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }
  [[nodiscard]] bool finished() const { return in_.finished(); }

 private:
  template <typename Tag, typename Representation>
  void get(Id<Tag, Representation>& id) {
    id = Id<Tag, Representation>(static_cast<Representation>(in_.varint()));
  }
  // The view is into the message: it lives as long as that.
  void get(ByteView& bytes) { bytes = in_.string(); }
  void get(LentBytes& rest) { rest.bytes = in_.raw(in_.remaining()); }
  void get(Bytes& bytes) {
    const ByteView view = in_.string();
    bytes.assign(view.begin(), view.end());
  }
  void get(PageSet& pages);
  void get(AtomicRequest& request);
  void get(AtomicResult& result);
  template <typename Element>
  void get(std::vector<Element>& elements) {
    const std::uint64_t count = in_.varint();
    // An element takes at least a byte: a count beyond that is a malformed message.
    if (count > in_.remaining()) return fail();
    elements.resize(count);
    for (Element& element : elements) get(element);
  }
  template <typename Value>
  void get(Value& value) {
    if constexpr (std::is_enum_v<Value> || std::is_integral_v<Value>) {
      value = static_cast<Value>(in_.varint());
    } else {
      Value::fields(value, *this);
    }
  }
  void fail() { in_.raw(in_.remaining() + 1); }

  ByteReader in_;
};

}  // namespace weft
