// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/loading/loading_messages.hpp"

#include <span>

namespace weft {
namespace {

void write_text(ByteWriter& writer, const std::string& text) {
  writer.string(std::as_bytes(std::span(text.data(), text.size())));
}

std::string read_text(ByteReader& reader) {
  const ByteView text = reader.string();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

}  // namespace

Bytes encode(const LoadRequest& request) {
  Bytes out;
  ByteWriter writer(out);
  writer.u64(request.waiter);
  writer.u64(request.handle);
  writer.varint(request.window);
  writer.u64(reinterpret_cast<std::uintptr_t>(request.open));
  writer.varint(request.has_file ? 1 : 0);
  write_text(writer, request.file);
  writer.varint(static_cast<std::uint32_t>(request.mode));
  writer.varint(request.objects.size());
  for (const std::string& object : request.objects) write_text(writer, object);
  return out;
}

LoadRequest decode_load_request(ByteView bytes) {
  ByteReader reader(bytes);
  LoadRequest request;
  request.waiter = reader.u64();
  request.handle = reader.u64();
  request.window = static_cast<unsigned>(reader.varint());
  request.open = reinterpret_cast<weft_dlopen_from>(reader.u64());
  request.has_file = reader.varint() != 0;
  request.file = read_text(reader);
  request.mode = static_cast<int>(reader.varint());
  const std::uint64_t count = reader.varint();
  for (std::uint64_t i = 0; i < count && reader.good(); ++i) {
    request.objects.push_back(read_text(reader));
  }
  return request;
}

Bytes encode(const LoadAnswer& answer) {
  Bytes out;
  ByteWriter writer(out);
  writer.u64(answer.waiter);
  writer.u64(answer.handle);
  write_text(writer, answer.complaint);
  return out;
}

LoadAnswer decode_load_answer(ByteView bytes) {
  ByteReader reader(bytes);
  LoadAnswer answer;
  answer.waiter = reader.u64();
  answer.handle = reader.u64();
  answer.complaint = read_text(reader);
  return answer;
}

}  // namespace weft
