// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/hosts/network.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

namespace weft {
namespace {

// An address of either version, as bytes; its length tells the version.
using AddressBytes = std::vector<unsigned char>;

std::optional<AddressBytes> bytes_of(const std::string& text) {
  AddressBytes four(4), six(16);
  if (inet_pton(AF_INET, text.c_str(), four.data()) == 1) return four;
  if (inet_pton(AF_INET6, text.c_str(), six.data()) == 1) return six;
  return std::nullopt;
}

struct Network {
  AddressBytes address;
  unsigned prefix_bits = 0;

  [[nodiscard]] bool contains(const AddressBytes& other) const {
    if (other.size() != address.size()) return false;
    for (unsigned bit = 0; bit < prefix_bits; ++bit) {
      const unsigned mask = 0x80U >> (bit % 8);
      if (((address[bit / 8] ^ other[bit / 8]) & mask) != 0) return false;
    }
    return true;
  }
};

std::optional<Network> network_named(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto address = bytes_of(text.substr(0, slash));
  unsigned bits = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, bits);
  if (!address || error != std::errc() || stop != end || bits > 8 * address->size()) {
    return std::nullopt;
  }
  return Network{.address = *address, .prefix_bits = bits};
}

std::optional<Network> network_of(const HostAddress& address) {
  const auto bytes = bytes_of(address.address);
  if (!bytes) return std::nullopt;
  return Network{.address = *bytes, .prefix_bits = address.prefix_bits};
}

bool is_in(const HostAddress& address, const Network& network) {
  const auto bytes = bytes_of(address.address);
  return bytes && network.contains(*bytes);
}

// An address that each interface gives itself. It is no use without the name of the interface, and
// all hosts seem to have that network in common.
bool is_link_local(const HostAddress& address) {
  static const Network kFour = *network_named("169.254.0.0/16");
  static const Network kSix = *network_named("fe80::/10");
  return is_in(address, kFour) || is_in(address, kSix);
}

// Whether other hosts can be reached there at all.
bool leads_outside(const HostAddress& address) {
  return !address.is_loopback && !address.is_bridge && !is_link_local(address);
}

// Networks that lie inside of each host, as containers have them, give hosts the same address.
bool are_distinct(const std::vector<HostAddress>& chosen) {
  std::set<std::string> addresses;
  for (const HostAddress& each : chosen) addresses.insert(each.address);
  return addresses.size() == chosen.size();
}

std::string networks_of(const HostView& host) {
  std::vector<std::string> all;
  for (const HostAddress& each : host.addresses) {
    all.push_back(fmt::format("{} {}/{}", each.interface, each.address, each.prefix_bits));
  }
  return fmt::format("{} has {}", host.name,
                     all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", ")));
}

using Choice = std::function<bool(const HostAddress&)>;

// The first address of each host that fits; stops at the first host that has none.
std::vector<HostAddress> first_of_each(const std::vector<HostView>& hosts, const Choice& fits) {
  std::vector<HostAddress> chosen;
  for (const HostView& host : hosts) {
    const auto found = std::ranges::find_if(host.addresses, fits);
    if (found == host.addresses.end()) break;
    chosen.push_back(*found);
  }
  return chosen;
}

Result<std::vector<HostAddress>> choose_as_wished(const std::vector<HostView>& hosts,
                                                  const std::string& wish) {
  const auto network = network_named(wish);
  if (!network && wish.find('/') != std::string::npos) {
    return Failure{fmt::format("--net {}: that is no network, such as 10.1.0.0/16", wish)};
  }
  std::vector<HostAddress> chosen = first_of_each(hosts, [&](const HostAddress& each) {
    if (is_link_local(each)) return false;
    return network ? is_in(each, *network) : each.interface == wish;
  });
  if (chosen.size() == hosts.size()) return chosen;
  return Failure{fmt::format("--net {}: host {}", wish, networks_of(hosts[chosen.size()]))};
}

// The first of the list that all hosts have.
Result<std::vector<HostAddress>> choose_from_list(const std::vector<HostView>& hosts,
                                                  const std::string& list) {
  std::vector<std::string> reasons;
  std::istringstream wishes(list);
  for (std::string wish; std::getline(wishes, wish, ',');) {
    auto chosen = choose_as_wished(hosts, wish);
    if (chosen) return chosen;
    reasons.push_back(chosen.error());
  }
  return Failure{fmt::format("{}", fmt::join(reasons, "; "))};
}

// By the addresses at which the hosts were reached.
std::vector<HostAddress> choose_as_reached(const std::vector<HostView>& hosts) {
  std::vector<HostAddress> chosen;
  for (const HostView& host : hosts) {
    const auto found = std::ranges::find_if(host.addresses, [&](const HostAddress& each) {
      return each.address == host.reached_at && leads_outside(each);
    });
    if (found == host.addresses.end()) return {};
    chosen.push_back(*found);
  }
  return chosen;
}

std::vector<HostAddress> choose_in_common(const std::vector<HostView>& hosts) {
  for (const HostAddress& candidate : hosts.front().addresses) {
    const auto network = network_of(candidate);
    if (!network || !leads_outside(candidate)) continue;
    std::vector<HostAddress> chosen = first_of_each(hosts, [&](const HostAddress& each) {
      return leads_outside(each) && is_in(each, *network);
    });
    if (chosen.size() == hosts.size() && are_distinct(chosen)) return chosen;
  }
  return {};
}

}  // namespace

Result<std::vector<HostAddress>> choose_addresses(const std::vector<HostView>& hosts,
                                                  const std::string& wish) {
  if (!wish.empty()) return choose_from_list(hosts, wish);
  std::vector<HostAddress> chosen = choose_as_reached(hosts);
  if (chosen.empty()) chosen = choose_in_common(hosts);
  if (!chosen.empty()) return chosen;
  std::vector<std::string> all;
  for (const HostView& each : hosts) all.push_back(networks_of(each));
  return Failure{fmt::format(
      "no network reaches all hosts: {}. --net INTERFACE or --net NETWORK says which to use",
      fmt::join(all, "; "))};
}

}  // namespace weft
