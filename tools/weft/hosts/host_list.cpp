// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/hosts/host_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/ids.hpp"

namespace weft {
namespace {

constexpr std::string_view kSpace = " \t\r\f\v";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

Result<unsigned> parse_count(std::string_view text) {
  unsigned count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count == 0 || count > kMaxNodes) {
    return Failure{fmt::format("'{}' is no number of nodes from 1 to {}", text, kMaxNodes)};
  }
  return count;
}

// A name that a shell or ssh could take for something else is none.
bool is_name(std::string_view name) {
  const auto is_allowed = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || std::strchr("-_.@:%", letter) != nullptr;
  };
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, is_allowed);
}

// "b", "b:2", "[fe80::1]:2". Several colons without brackets are an address.
Result<Host> parse_host(std::string_view text) {
  std::string_view name = text, count;
  const std::size_t open = text.find('['), close = text.find(']');
  const std::size_t colon = text.rfind(':');
  std::string bare;
  if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
    // ssh wants the address without brackets.
    bare = std::string(text.substr(0, open)) + std::string(text.substr(open + 1, close - open - 1));
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') {
      return Failure{fmt::format("'{}' is no host", text)};
    }
    if (!rest.empty()) count = rest.substr(1);
    name = bare;
    if (!rest.empty() && count.empty()) return Failure{fmt::format("'{}' is no host", text)};
  } else if (colon != std::string_view::npos && text.find(':') == colon) {
    name = text.substr(0, colon);
    count = text.substr(colon + 1);
    if (count.empty()) return Failure{fmt::format("'{}' has no number after the colon", text)};
  }
  if (!is_name(name)) return Failure{fmt::format("'{}' is no name of a host", text)};
  Host host{.name = std::string(name), .nodes = {}};
  if (count.empty()) return host;
  const auto nodes = parse_count(count);
  if (!nodes) return Failure{nodes.error()};
  host.nodes = nodes.value();
  return host;
}

void add_host(std::vector<Host>& hosts, Host host) {
  const auto same = std::ranges::find(hosts, host.name, &Host::name);
  if (same == hosts.end()) {
    hosts.push_back(std::move(host));
  } else {
    same->nodes = same->nodes.value_or(1) + host.nodes.value_or(1);
  }
}

// What may follow a host's name in a line; a sentence if it may not.
std::string apply_word(const std::string& word, Host& host) {
  const std::size_t middle = word.find('=');
  if (middle == std::string::npos) return fmt::format("'{}' is not of the form name=value", word);
  const std::string name = word.substr(0, middle), value = word.substr(middle + 1);
  if (name == "user") {
    if (!is_name(value)) return fmt::format("'{}' is no name of a user", value);
    host.name = value + "@" + host.name;
    return {};
  }
  if (name != "slots" && name != "max_slots" && name != "max-slots") {
    return fmt::format("'{}' is not known; slots=, max_slots= and user= are", name);
  }
  const auto count = parse_count(value);
  if (!count) return count.error();
  // The most that a host may get says nothing of how many it should.
  if (name == "slots") host.nodes = count.value();
  return {};
}

Result<Host> parse_line(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string word;
  words >> word;
  Result<Host> host = parse_host(word);
  while (host && words >> word) {
    const std::string complaint = apply_word(word, host.value());
    if (!complaint.empty()) return Failure{complaint};
  }
  return host;
}

}  // namespace

Result<std::vector<Host>> parse_hosts(std::string_view text) {
  std::vector<Host> hosts;
  while (true) {
    const std::size_t comma = text.find(',');
    Result<Host> host = parse_host(trim(text.substr(0, comma)));
    if (!host) return Failure{host.error()};
    add_host(hosts, std::move(host.value()));
    if (comma == std::string_view::npos) return hosts;
    text.remove_prefix(comma + 1);
  }
}

Result<std::vector<Host>> parse_hostfile(std::string_view contents, const std::string& file) {
  std::vector<Host> hosts;
  for (unsigned number = 1; !contents.empty(); ++number) {
    const std::size_t end = contents.find('\n');
    std::string_view line = contents.substr(0, end);
    contents.remove_prefix(end == std::string_view::npos ? contents.size() : end + 1);
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    Result<Host> host = parse_line(line);
    if (!host) return Failure{fmt::format("{}:{}: {}", file, number, host.error())};
    add_host(hosts, std::move(host.value()));
  }
  if (hosts.empty()) return Failure{fmt::format("{}: no host is named there", file)};
  return hosts;
}

Result<std::vector<Host>> read_hostfile(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream contents;
  if (stream) contents << stream.rdbuf();
  if (!stream || stream.bad()) return Failure{fmt::format("{}: {}", file, std::strerror(errno))};
  return parse_hostfile(contents.str(), file);
}

Result<std::vector<unsigned>> divide_nodes(const std::vector<Host>& hosts,
                                           std::optional<unsigned> nodes) {
  std::vector<unsigned> room;
  unsigned all = 0;
  for (const Host& each : hosts) {
    room.push_back(each.nodes.value_or(1));
    all += room.back();
  }
  if (!nodes) return room;
  const bool says_how_many =
      std::ranges::any_of(hosts, [](const Host& each) { return each.nodes.has_value(); });
  if (says_how_many && *nodes > all) {
    return Failure{fmt::format("{} nodes are wanted, and the hosts have room for {}", *nodes, all)};
  }
  const auto count = static_cast<unsigned>(hosts.size());
  unsigned left = *nodes;
  for (unsigned host = 0; host < count; ++host) {
    const unsigned even = *nodes / count + (host < *nodes % count ? 1 : 0);
    room[host] = says_how_many ? std::min(room[host], left) : even;
    left -= room[host];
  }
  return room;
}

}  // namespace weft
