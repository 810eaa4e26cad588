// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The socket between a launcher and a node: the stream of frames, and what is in them.
#include "fuzz/fuzzed.hpp"
#include "runtime/bootstrap/bootstrap_wire.hpp"

namespace {

void check_message(weft::BootstrapMessage kind, weft::ByteView body) {
  using weft::BootstrapMessage;
  if (kind == BootstrapMessage::kFinished) weft::fuzzed::check_value<int>(body);
  if (kind == BootstrapMessage::kLostPeer) weft::fuzzed::check_value<weft::LostPeer>(body);
  if (kind == BootstrapMessage::kUnreadable) {
    weft::fuzzed::check_value<weft::UnreadablePeer>(body);
  }
  if (kind == BootstrapMessage::kCallPlaces) weft::fuzzed::check_value<weft::CallPlaces>(body);
  if (kind == BootstrapMessage::kCallTexts) weft::fuzzed::check_value<weft::CallTexts>(body);
  if (kind == BootstrapMessage::kExchanged) {
    weft::fuzzed::check_value<std::vector<weft::Bytes>>(body);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::BootstrapReader reader;
  weft::fuzzed::in_pieces(weft::fuzzed::input(data, size), [&reader](weft::ByteView piece) {
    reader.append(piece);
    while (const auto message = reader.next()) check_message(message->first, message->second);
  });
  return 0;
}
