// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/launchers/pmi_wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace weft {
namespace {

// Longer than any launcher's messages.
constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxValues = std::size_t{1} << 20;
constexpr std::size_t kLengthDigits = 6;
constexpr char kAfterCount = '.';

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

void add_field(PmiFields& fields, const std::string& field) {
  const std::size_t equals = field.find('=');
  if (equals == std::string::npos) return;  // a word of a message to users
  fields.emplace(field.substr(0, equals), field.substr(equals + 1));
}

PmiFields fields_of_line(const std::string& line) {
  PmiFields fields;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    add_field(fields, line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

PmiFields fields_of_message(const std::string& message) {
  PmiFields fields;
  std::string field;
  for (std::size_t at = 0; at < message.size(); ++at) {
    if (message[at] != ';') {
      field += message[at];
    } else if (at + 1 < message.size() && message[at + 1] == ';') {
      field += ';';
      ++at;
    } else {
      add_field(fields, field);
      field.clear();
    }
  }
  add_field(fields, field);
  return fields;
}

std::string escaped(const std::string& value) {
  std::string result;
  for (const char each : value) result.append(each == ';' ? 2 : 1, each);
  return result;
}

std::string as_text(ByteView bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const std::byte each : bytes) {
    bits = (bits << 8) | std::to_integer<std::uint32_t>(each);
    for (count += 8; count >= 6; count -= 6) text += kDigits[(bits >> (count - 6)) & 63];
  }
  if (count > 0) text += kDigits[(bits << (6 - count)) & 63];
  return text;
}

bool append_bytes(std::string_view text, Bytes& bytes) {
  std::uint32_t bits = 0;
  int count = 0;
  for (const char each : text) {
    const std::size_t digit = kDigits.find(each);
    if (digit == std::string_view::npos) return false;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>((bits >> count) & 255));
  }
  return true;
}

}  // namespace

std::string pmi_message(PmiVersion version,
                        const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string message;
  for (const auto& [name, value] : fields) {
    if (version == PmiVersion::k1) {
      message += fmt::format("{}{}={}", message.empty() ? "" : " ", name, value);
    } else {
      message += fmt::format("{}={};", name, escaped(value));
    }
  }
  return version == PmiVersion::k1 ? message + "\n" : fmt::format("{:6}", message.size()) + message;
}

std::optional<PmiFields> PmiReader::next() {
  if (!good_) return std::nullopt;
  return version_ == PmiVersion::k1 ? next_line() : next_counted();
}

std::optional<PmiFields> PmiReader::next_line() {
  const std::size_t end = buffer_.find('\n');
  good_ = std::min(end, buffer_.size()) <= kMaxMessageBytes;
  if (!good_ || end == std::string::npos) return std::nullopt;
  const std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return fields_of_line(line);
}

std::optional<PmiFields> PmiReader::next_counted() {
  if (buffer_.size() < kLengthDigits) return std::nullopt;
  std::string_view digits(buffer_.data(), kLengthDigits);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), kLengthDigits));
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  const auto length = number_in(digits);
  good_ = length.has_value();  // six digits are less than the longest message
  if (!good_ || buffer_.size() - kLengthDigits < *length) return std::nullopt;
  const std::string message = buffer_.substr(kLengthDigits, *length);
  buffer_.erase(0, kLengthDigits + *length);
  return fields_of_message(message);
}

std::vector<std::string> as_values(ByteView bytes, std::size_t most) {
  constexpr std::size_t kCountRoom = 8;  // of the first part, for their number
  const std::string text = as_text(bytes);
  const std::size_t room = most - kCountRoom;
  const std::size_t count = std::max<std::size_t>(1, (text.size() + room - 1) / room);
  std::vector<std::string> values;
  for (std::size_t part = 0; part < count; ++part) {
    values.push_back(text.substr(std::min(part * room, text.size()), room));
  }
  values.front() = fmt::format("{}{}{}", count, kAfterCount, values.front());
  return values;
}

std::optional<std::size_t> count_of_values(std::string_view first) {
  const std::size_t end = first.find(kAfterCount);
  if (end == std::string_view::npos) return std::nullopt;
  const auto count = number_in(first.substr(0, end));
  if (!count || *count == 0 || *count > kMaxValues) return std::nullopt;
  return count;
}

std::optional<Bytes> from_values(const std::vector<std::string>& values) {
  if (values.empty() || count_of_values(values.front()) != values.size()) return std::nullopt;
  std::string text = values.front().substr(values.front().find(kAfterCount) + 1);
  for (std::size_t part = 1; part < values.size(); ++part) text += values[part];
  Bytes bytes;
  if (!append_bytes(text, bytes)) return std::nullopt;
  return bytes;
}

}  // namespace weft
