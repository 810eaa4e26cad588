// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/agent/host_facts.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "runtime/bootstrap/this_host.hpp"

namespace weft {
namespace {

unsigned ones_in(const void* bytes, std::size_t count) {
  unsigned ones = 0;
  for (std::size_t each = 0; each < count; ++each) {
    ones += static_cast<unsigned>(std::popcount(static_cast<const unsigned char*>(bytes)[each]));
  }
  return ones;
}

// A bridge, or a network that containers or virtual machines have among themselves on one host.
bool is_bridge(const std::string& interface) {
  return std::filesystem::exists("/sys/class/net/" + interface + "/bridge");
}

std::optional<HostAddress> address_of(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || entry.ifa_netmask == nullptr) return std::nullopt;
  if ((entry.ifa_flags & IFF_UP) == 0) return std::nullopt;
  char text[INET6_ADDRSTRLEN] = {};
  HostAddress found;
  found.interface = entry.ifa_name;
  if (entry.ifa_addr->sa_family == AF_INET) {
    const auto& four = *reinterpret_cast<const sockaddr_in*>(entry.ifa_addr);
    const auto& mask = *reinterpret_cast<const sockaddr_in*>(entry.ifa_netmask);
    inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    found.prefix_bits = ones_in(&mask.sin_addr, sizeof mask.sin_addr);
  } else if (entry.ifa_addr->sa_family == AF_INET6) {
    const auto& six = *reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr);
    const auto& mask = *reinterpret_cast<const sockaddr_in6*>(entry.ifa_netmask);
    inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
    found.prefix_bits = ones_in(&mask.sin6_addr, sizeof mask.sin6_addr);
  } else {
    return std::nullopt;
  }
  found.address = text;
  found.is_loopback = (entry.ifa_flags & IFF_LOOPBACK) != 0;
  found.is_bridge = is_bridge(found.interface);
  return found;
}

std::vector<HostAddress> addresses_of_this_host() {
  std::vector<HostAddress> all;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return all;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (auto found = address_of(*each)) all.push_back(std::move(*found));
  }
  freeifaddrs(list);
  return all;
}

}  // namespace

AgentHello facts_of_this_host(const char* version) {
  AgentHello facts;
  facts.version = version;
  facts.host = host_name();
  facts.addresses = addresses_of_this_host();
  // "client's address, client's port, server's address, server's port"
  if (const char* const connection = std::getenv("SSH_CONNECTION")) {
    std::istringstream words(connection);
    std::string port;
    words >> facts.reached_from >> port >> facts.reached_at;
  }
  return facts;
}

}  // namespace weft
