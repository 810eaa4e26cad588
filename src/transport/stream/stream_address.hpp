// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a node listens: an address of one of its host's interfaces, and a port.
#pragma once

#include <sys/socket.h>

#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weft {

class StreamAddress {
 public:
  StreamAddress() = default;
  // "10.1.0.7" or "fd00::7", with any port.
  [[nodiscard]] static Result<StreamAddress> of_text(const std::string& text);
  // Of the first of these interfaces (names, separated by commas) that has one: IPv4 if it has
  // both, never one that is valid on its link alone.
  [[nodiscard]] static Result<StreamAddress> of_interfaces(const std::string& names);
  // Where this socket is bound.
  [[nodiscard]] static StreamAddress of_socket(int socket);
  // Nothing but a failure for bytes that to_bytes() has not made.
  [[nodiscard]] static Result<StreamAddress> of_bytes(ByteView bytes);

  // Family, port and address.
  [[nodiscard]] Bytes to_bytes() const;
  [[nodiscard]] int family() const { return storage_.ss_family; }
  [[nodiscard]] const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t raw_bytes() const;
  // The same address with any port.
  [[nodiscard]] StreamAddress without_port() const;

 private:
  sockaddr_storage storage_ = {};
};

}  // namespace weft
