// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between a task and a launcher that speaks PMI, on a socket that the task inherits:
//
//   version 1   cmd=get kvsname=kvs_1 key=k\n            a line
//   version 2       22cmd=kvs-get;key=k;...              six characters of length; `;;` is a `;`
//
// Values are short texts. So bytes go as text, cut to what the launcher takes. What comes is
// believed by nobody: it is cut into fields, and each field is looked at where it is used.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace weft {

enum class PmiVersion { k1, k2 };

using PmiFields = std::map<std::string, std::string>;

// The message as it goes on the socket. Fields keep their order: `cmd` must be first.
[[nodiscard]] std::string pmi_message(
    PmiVersion version, const std::vector<std::pair<std::string, std::string>>& fields);

// Cuts what comes into messages.
class PmiReader {
 public:
  // From now on messages are of this version; at first of version 1, in which both begin.
  void speak(PmiVersion version) { version_ = version; }
  void append(std::string_view received) { buffer_ += received; }
  // The next whole message, if there is one.
  [[nodiscard]] std::optional<PmiFields> next();
  // False once something came that is no message.
  [[nodiscard]] bool good() const { return good_; }

 private:
  [[nodiscard]] std::optional<PmiFields> next_line();
  [[nodiscard]] std::optional<PmiFields> next_counted();

  PmiVersion version_ = PmiVersion::k1;
  std::string buffer_;
  bool good_ = true;
};

// Bytes as text of letters, digits, - and _, in parts of at most `most` characters (at least 32).
// The first part says how many there are. There is always one.
[[nodiscard]] std::vector<std::string> as_values(ByteView bytes, std::size_t most);
// How many parts there are, by the first one; nothing if it is none.
[[nodiscard]] std::optional<std::size_t> count_of_values(std::string_view first);
// The bytes of all parts; nothing if these are not such parts.
[[nodiscard]] std::optional<Bytes> from_values(const std::vector<std::string>& values);

}  // namespace weft
