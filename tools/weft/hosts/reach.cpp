// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/hosts/reach.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>

#include "runtime/bootstrap/this_host.hpp"
#include "weft/agent/host_facts.hpp"

namespace weft {
namespace {

// For a host to take a connection, where there is no limit for silence.
constexpr unsigned kConnectSeconds = 60;

std::set<std::string> own_addresses() {
  std::set<std::string> all;
  for (const HostAddress& each : facts_of_this_host("").addresses) all.insert(each.address);
  return all;
}

std::string text_of(const addrinfo& entry) {
  char text[NI_MAXHOST] = {};
  getnameinfo(entry.ai_addr, entry.ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return text;
}

// Whoever started ssh notices a silent host first, and says it. ssh's own limit is for one that was
// left alone: it asks twice, and ends when it should have asked once more.
std::vector<std::string> options_of_ssh(unsigned lost_after_seconds) {
  constexpr unsigned kAsked = 2;
  const unsigned interval = lost_after_seconds / kAsked + lost_after_seconds % kAsked;
  return {"-xT", "-oBatchMode=yes",
          fmt::format("-oConnectTimeout={}",
                      lost_after_seconds == 0 ? kConnectSeconds : lost_after_seconds),
          fmt::format("-oServerAliveInterval={}", interval),
          fmt::format("-oServerAliveCountMax={}", kAsked)};
}

// For a shell on the host, which may be any.
std::string quoted(const std::string& text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char each) {
    return (each >= 'a' && each <= 'z') || each == '-';
  });
  if (is_plain) return text;
  std::string result = "'";
  for (const char each : text) result += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return result + "'";
}

}  // namespace

bool is_this_host(const std::string& name) {
  if (name == "localhost" || name == host_name()) return true;
  if (name.find('@') != std::string::npos) return false;  // as another user, perhaps
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return false;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  const std::set<std::string> own = own_addresses();
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (own.contains(text_of(*each))) return true;
  }
  return false;
}

std::string own_command() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::vector<std::string> command_of_agent() { return {own_command(), "agent"}; }

std::vector<std::string> command_to_reach(const std::string& host, const std::string& shell,
                                          unsigned lost_after_seconds,
                                          const std::vector<std::string>& command) {
  std::vector<std::string> words;
  std::istringstream all(shell.empty() ? "ssh" : shell);
  for (std::string word; all >> word;) words.push_back(word);
  if (words.empty()) words.emplace_back("ssh");
  if (std::filesystem::path(words.front()).filename() == "ssh") {
    for (const std::string& option : options_of_ssh(lost_after_seconds)) words.push_back(option);
  }
  words.push_back(host);
  std::string there = "exec";
  for (const std::string& each : command) there += " " + quoted(each);
  words.push_back(std::move(there));
  return words;
}

}  // namespace weft
