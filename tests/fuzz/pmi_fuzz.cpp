// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launcher that speaks PMI-1 or PMI-2 says, and the bytes that other tasks have put there.
#include "fuzz/fuzzed.hpp"
#include "weft/launchers/pmi_wire.hpp"

namespace {

void check_values(std::string_view text) {
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    values.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  (void)weft::count_of_values(values.front());
  const auto bytes = weft::from_values(values);
  if (bytes) WEFT_ASSERT(weft::from_values(weft::as_values(*bytes, 64)) == bytes, "they change");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::ByteView bytes = weft::fuzzed::input(data, size);
  const unsigned which = weft::fuzzed::choice(bytes);
  if (which % 3 == 0) return check_values(weft::fuzzed::text(bytes)), 0;
  weft::PmiReader reader;
  if (which % 3 == 1) reader.speak(weft::PmiVersion::k2);
  weft::fuzzed::in_pieces(bytes, [&reader](weft::ByteView piece) {
    reader.append(weft::fuzzed::text(piece));
    while (reader.next()) {
    }
  });
  return 0;
}
