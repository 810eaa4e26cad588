// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/stream/stream_address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <cstring>
#include <sstream>

namespace weft {
namespace {

const sockaddr_in& as_four(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in&>(storage);
}
const sockaddr_in6& as_six(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in6&>(storage);
}
sockaddr_in& as_four(sockaddr_storage& storage) { return reinterpret_cast<sockaddr_in&>(storage); }
sockaddr_in6& as_six(sockaddr_storage& storage) { return reinterpret_cast<sockaddr_in6&>(storage); }

std::size_t bytes_of(int family) {
  if (family == AF_INET) return sizeof(sockaddr_in);
  return family == AF_INET6 ? sizeof(sockaddr_in6) : 0;
}

// Better ones are larger; 0: of no use.
int fitness(const ifaddrs& entry, const std::string& name) {
  if (entry.ifa_addr == nullptr || name != entry.ifa_name) return 0;
  if (entry.ifa_addr->sa_family == AF_INET) return 2;
  if (entry.ifa_addr->sa_family != AF_INET6) return 0;
  const auto& six = reinterpret_cast<const sockaddr_in6&>(*entry.ifa_addr);
  return IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr) ? 0 : 1;
}

}  // namespace

Result<StreamAddress> StreamAddress::of_text(const std::string& text) {
  StreamAddress address;
  if (inet_pton(AF_INET, text.c_str(), &as_four(address.storage_).sin_addr) == 1) {
    address.storage_.ss_family = AF_INET;
    return address;
  }
  if (inet_pton(AF_INET6, text.c_str(), &as_six(address.storage_).sin6_addr) == 1) {
    address.storage_.ss_family = AF_INET6;
    return address;
  }
  return Failure{fmt::format("'{}' is no address", text)};
}

Result<StreamAddress> StreamAddress::of_interfaces(const std::string& names) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return Failure{"the kernel does not tell the network interfaces"};
  StreamAddress address;
  int best = 0;
  std::istringstream each_name(names);
  for (std::string name; best == 0 && std::getline(each_name, name, ',');) {
    for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
      const int here = fitness(*entry, name);
      if (here <= best) continue;
      best = here;
      std::memcpy(&address.storage_, entry->ifa_addr, bytes_of(entry->ifa_addr->sa_family));
    }
  }
  freeifaddrs(all);
  if (best == 0) {
    return Failure{
        fmt::format("network interface '{}' has no address that other hosts can use", names)};
  }
  return address;
}

StreamAddress StreamAddress::of_socket(int socket) {
  StreamAddress address;
  socklen_t bytes = sizeof address.storage_;
  const int got = getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage_), &bytes);
  WEFT_ASSERT(got == 0, "errno {}", errno);
  return address;
}

Bytes StreamAddress::to_bytes() const {
  Bytes bytes;
  ByteWriter writer(bytes);
  const bool is_four = family() == AF_INET;
  writer.u8(is_four ? 4 : 6);
  if (is_four) {
    writer.raw(std::as_bytes(std::span(&as_four(storage_).sin_port, 1)));
    writer.raw(std::as_bytes(std::span(&as_four(storage_).sin_addr, 1)));
  } else {
    writer.raw(std::as_bytes(std::span(&as_six(storage_).sin6_port, 1)));
    writer.raw(std::as_bytes(std::span(&as_six(storage_).sin6_addr, 1)));
  }
  return bytes;
}

Result<StreamAddress> StreamAddress::of_bytes(ByteView bytes) {
  ByteReader reader(bytes);
  StreamAddress address;
  const std::uint8_t version = reader.u8();
  const ByteView port = reader.raw(sizeof(in_port_t));
  const ByteView host = reader.raw(version == 4 ? sizeof(in_addr) : sizeof(in6_addr));
  if (!reader.finished() || (version != 4 && version != 6)) {
    return Failure{"a node's address is malformed"};
  }
  address.storage_.ss_family = version == 4 ? AF_INET : AF_INET6;
  std::memcpy(&as_four(address.storage_).sin_port, port.data(), port.size());  // of both
  if (version == 4) {
    std::memcpy(&as_four(address.storage_).sin_addr, host.data(), host.size());
  } else {
    std::memcpy(&as_six(address.storage_).sin6_addr, host.data(), host.size());
  }
  return address;
}

socklen_t StreamAddress::raw_bytes() const { return static_cast<socklen_t>(bytes_of(family())); }

StreamAddress StreamAddress::without_port() const {
  StreamAddress address = *this;
  as_four(address.storage_).sin_port = 0;  // of both
  return address;
}

}  // namespace weft
