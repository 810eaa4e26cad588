// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values stand in what is sent. A structure names its fields once, by WEFT_FIELDS or a `fields`
// function of its own; the writer and the reader both walk that list, so that they cannot disagree:
//
//   struct Claim {
//     NodeId by;
//     std::vector<std::uint64_t> blocks;
//     WEFT_FIELDS(self.by, self.blocks)
//   };
//   const Bytes sent = to_bytes(claim);
//   const std::optional<Claim> received = from_bytes<Claim>(sent);
//
//   integers, enums, bool, Id          LEB128, negative ones as 64 bits
//   pointers                           8 bytes
//   Bytes, ByteView, std::string       a length and the bytes
//   std::vector                        a length and the elements
//   std::optional                      whether it is there, and the value
//   rest(bytes)                        the bytes alone: they end the message
//
// Any other type is one by put_value() and get_value() in its namespace. A reader turns bad where
// bytes are missing or a number is too large for its field.
//
// Rejected: a table of fields by reflection of aggregates. A field can then be sent by mistake, and
// one that is sent only with another needs a way around it.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/peers/sender.hpp"

// The fields of a structure, in the order in which they are sent.
#define WEFT_FIELDS(...)                                        \
  template <typename Self, typename Wire>                       \
  static void fields([[maybe_unused]] Self& self, Wire& wire) { \
    wire(__VA_ARGS__);                                          \
  }

namespace weft {

// Bytes that a message ends with, without their length.
template <typename Text>
struct RestOfMessage {
  Text& bytes;  // Bytes, ByteView or std::string
};
template <typename Text>
RestOfMessage<Text> rest(Text& bytes) {
  return {bytes};
}

template <typename Value>
concept WireInteger = std::integral<Value> || std::is_enum_v<Value>;

// Bytes of another type.
template <typename Value>
concept WireText =
    std::same_as<Value, Bytes> || std::same_as<Value, ByteView> || std::same_as<Value, std::string>;

class WireWriter {
 public:
  explicit WireWriter(Bytes& out) : out_(out) {}

  template <typename... Fields>
  void operator()(const Fields&... fields) {
    (put(fields), ...);
  }
  // For values that are more than their fields.
  [[nodiscard]] ByteWriter& bytes() { return out_; }

 private:
  template <typename Tag, typename Representation>
  void put(const Id<Tag, Representation>& id) {
    out_.varint(id.value());
  }
  template <WireText Text>
  void put(const Text& text) {
    out_.string(std::as_bytes(std::span(text)));
  }
  template <typename Text>
  void put(const RestOfMessage<Text>& rest) {
    out_.raw(std::as_bytes(std::span(rest.bytes)));
  }
  template <typename Element>
    requires(!WireText<std::vector<Element>>)
  void put(const std::vector<Element>& elements) {
    out_.varint(elements.size());
    for (const Element& element : elements) put(element);
  }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename Value>
  void put(const Value& value) {
    if constexpr (WireInteger<Value>) {
      out_.varint(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_pointer_v<Value>) {
      out_.u64(reinterpret_cast<std::uintptr_t>(value));
    } else if constexpr (requires { put_value(*this, value); }) {
      put_value(*this, value);
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
  void operator()(Fields&&... fields) {
    (get(fields), ...);
  }
  // True when everything was read and all of it made sense.
  [[nodiscard]] bool finished() const { return in_.finished(); }
  // For values that are more than their fields.
  [[nodiscard]] ByteReader& bytes() { return in_; }
  // What was read makes no sense.
  void fail() { (void)in_.raw(in_.remaining() + 1); }

 private:
  template <typename Tag, typename Representation>
  void get(Id<Tag, Representation>& id) {
    Representation value = 0;
    get(value);
    id = Id<Tag, Representation>(value);
  }
  template <WireText Text>
  void get(Text& text) {
    set(text, in_.string());
  }
  template <typename Text>
  void get(RestOfMessage<Text>& rest) {
    set(rest.bytes, in_.raw(in_.remaining()));
  }
  // The view is into the message: it lives as long as that.
  static void set(ByteView& bytes, ByteView read) { bytes = read; }
  static void set(Bytes& bytes, ByteView read) { bytes.assign(read.begin(), read.end()); }
  static void set(std::string& text, ByteView read) {
    text.assign(reinterpret_cast<const char*>(read.data()), read.size());
  }
  template <typename Element>
    requires(!WireText<std::vector<Element>>)
  void get(std::vector<Element>& elements) {
    const std::uint64_t count = in_.varint();
    // An element takes at least a byte: a count beyond that is a malformed message.
    if (count > in_.remaining()) return fail();
    elements.resize(count);
    for (Element& element : elements) get(element);
  }
  template <typename Value>
  void get(std::optional<Value>& value) {
    bool is_there = false;
    get(is_there);
    value.reset();
    if (is_there) get(value.emplace());
  }
  template <typename Value>
  void get(Value& value) {
    if constexpr (WireInteger<Value>) {
      const std::uint64_t read = in_.varint();
      value = static_cast<Value>(read);
      if (static_cast<std::uint64_t>(value) != read) fail();
    } else if constexpr (std::is_pointer_v<Value>) {
      value = reinterpret_cast<Value>(in_.u64());
    } else if constexpr (requires { get_value(*this, value); }) {
      get_value(*this, value);
    } else {
      Value::fields(value, *this);
    }
  }

  ByteReader in_;
};

// The values, one after the other.
template <typename... Values>
[[nodiscard]] Bytes to_bytes(const Values&... values) {
  Bytes out;
  out.reserve(64);  // most messages are small: it need not grow as it is written
  WireWriter wire(out);
  wire(values...);
  return out;
}

// False if the bytes are not such values and nothing else.
template <typename... Values>
[[nodiscard]] bool from_bytes(ByteView bytes, Values&&... values) {
  WireReader wire(bytes);
  wire(values...);
  return wire.finished();
}

// Nothing if the bytes are not such a value.
template <typename Value>
[[nodiscard]] std::optional<Value> from_bytes(ByteView bytes) {
  std::optional<Value> value(std::in_place);
  if (!from_bytes(bytes, *value)) value.reset();
  return value;
}

// The same of bytes that another node has made by to_bytes(), which is the one that is noted as the
// sender (base/peers/sender.hpp). Ends the job if they are not such a value.
template <typename Value>
[[nodiscard]] Value value_of(ByteView bytes) {
  Value value;
  if (!from_bytes(bytes, value)) [[unlikely]] {
    fail_unreadable(type_name<Value>(), bytes.size());
  }
  return value;
}

}  // namespace weft
