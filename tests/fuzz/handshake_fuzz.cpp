// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stranger's connection, before it has proved anything: at both ends, with TLS and without.
// Nothing that does not know the key opens it. The first byte chooses the end and the kind.
#include "fuzz/fuzzed.hpp"
#include "transport/stream/secure_link.hpp"

namespace {

weft::JobKey some_key() {
  weft::JobKey key;
  key.bytes.fill(std::byte{1});
  return key;
}

weft::LinkMaker& links(bool encrypted) {
  static const auto plain = weft::make_plain_links(weft::NodeId(3), some_key());
  static const auto tls = weft::make_tls_links(weft::NodeId(3), some_key());
  return encrypted ? *tls : *plain;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::ByteView bytes = weft::fuzzed::input(data, size);
  const unsigned which = weft::fuzzed::choice(bytes);
  // TLS takes a hundred times as long: it has a sixteenth of the inputs.
  weft::LinkMaker& maker = links(which % 16 == 0);
  const auto link = (which & 16) != 0 ? maker.call(weft::NodeId(5)) : maker.answer();
  weft::StreamFrameDecoder decoder;
  weft::fuzzed::in_pieces(bytes, [&](weft::ByteView piece) {
    link->receive(piece, decoder);
    link->outgoing().clear();
    WEFT_ASSERT(link->state() != weft::SecureLink::State::kOpen, "a stranger has opened it");
    WEFT_ASSERT(!decoder.next().has_value(), "a stranger's frame is taken");
  });
  return 0;
}
