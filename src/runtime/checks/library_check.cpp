// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checks/library_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "base/codec.hpp"
#include "runtime/libraries/library_kinds.hpp"
#include "runtime/libraries/symbols.hpp"

namespace weft {
namespace {

constexpr std::size_t kWordBytes = 8;
using Words = std::vector<std::uint64_t>;  // numbers of words in a library's data, ascending

struct OwnData {
  std::string path;
  std::uintptr_t base;
  const std::byte* data;
  std::vector<std::byte> at_start;
};
std::vector<OwnData>* libraries = nullptr;  // equal on all nodes, but for what is in them

Words changed_words(const OwnData& library) {
  Words changed;
  for (std::size_t at = 0; at < library.at_start.size(); at += kWordBytes) {
    if (std::memcmp(library.data + at, &library.at_start[at], kWordBytes) != 0) {
      changed.push_back(at / kWordBytes);
    }
  }
  return changed;
}

std::vector<Words> changes_here() {
  std::vector<Words> changes;
  for (const OwnData& library : *libraries) changes.push_back(changed_words(library));
  return changes;
}

std::string place(const OwnData& library, std::uint64_t word) {
  const auto address = reinterpret_cast<std::uintptr_t>(library.data) + word * kWordBytes;
  const std::string name = variable_at(library.path, address - library.base);
  return fmt::format("{} at {:#x}", name.empty() ? "a variable without a name" : name, address);
}

void say_difference(const OwnData& library, const Words& changed, NodeId by, const Words& elsewhere,
                    NodeId other) {
  Words only;
  std::ranges::set_difference(changed, elsewhere, std::back_inserter(only));
  if (only.empty()) return;
  std::fprintf(stderr,
               "weft: WEFT_CHECK=libraries: %s: its static data is each node's own, and %zu words "
               "of it have changed on node %u and not on node %u; the first is %s. What the "
               "library was told on the one, the other has to be told, too, if it is to use it\n",
               library.path.c_str(), only.size(), by.value(), other.value(),
               place(library, only[0]).c_str());
}

}  // namespace

void begin_library_check(Node& node) {
  libraries = new std::vector<OwnData>;
  for (const auto& [object, own_because] : foreign_libraries()) {
    if (own_because.empty() || object.data.bytes() == 0) continue;
    libraries->push_back({.path = object.path,
                          .base = object.base,
                          .data = object.data.begin,
                          .at_start = std::vector(object.data.begin, object.data.end)});
  }
  node.serve(Service::kOwnData, [](NodeId, ByteView) { return to_bytes(changes_here()); });
}

void end_library_check(Node& node) {
  if (libraries == nullptr || libraries->empty()) return;
  const std::vector<Words> mine = changes_here();
  for (NodeId other(1); other.value() < node.node_count(); ++other) {
    const auto theirs = value_of<std::vector<Words>>(node.call(other, Service::kOwnData, {}));
    WEFT_ASSERT(theirs.size() == libraries->size(), "other libraries at node {}", other.value());
    for (std::size_t i = 0; i < libraries->size(); ++i) {
      say_difference((*libraries)[i], mine[i], NodeId(0), theirs[i], other);
      say_difference((*libraries)[i], theirs[i], other, mine[i], NodeId(0));
    }
  }
}

}  // namespace weft
