// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON for scripts, in one line. Only what is written here is needed: objects and lists of numbers
// and texts. Rejected: a library for it, such as nlohmann's. It is one more package for everybody
// who builds Weft, and would save these forty lines.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// In quotes. Bytes that are not UTF-8 become U+FFFD, as JSON knows no others.
[[nodiscard]] std::string json_string(std::string_view text);
// Of values that are JSON already.
[[nodiscard]] std::string json_list(const std::vector<std::string>& values);

class JsonObject {
 public:
  // `value` is JSON already.
  JsonObject& add_json(std::string_view name, std::string_view value) {
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : ", ", json_string(name), value);
    return *this;
  }
  JsonObject& add(std::string_view name, std::integral auto number) {
    return add_json(name, std::to_string(number));
  }
  JsonObject& add(std::string_view name, std::string_view text) {
    return add_json(name, json_string(text));
  }
  [[nodiscard]] std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace weft
