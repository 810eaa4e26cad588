// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/homes/writers.hpp"

#include <algorithm>
#include <tuple>

namespace weft {
namespace {

// A place where the set of writers changes.
struct Edge {
  PageIndex page;
  bool begins;
  NodeId writer;
};

std::vector<Edge> edges_of(const std::vector<Notice>& notices) {
  std::vector<Edge> edges;
  for (const Notice& notice : notices) {
    for (const PageRange& range : notice.pages.ranges()) {
      edges.push_back({range.first, true, notice.writer});
      edges.push_back({range.end(), false, notice.writer});
    }
  }
  std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
    return std::tie(a.page, a.begins, a.writer) < std::tie(b.page, b.begins, b.writer);
  });
  return edges;
}

}  // namespace

std::vector<WrittenRun> written_runs(const std::vector<Notice>& notices) {
  std::vector<WrittenRun> segments;
  std::vector<NodeId> writers;
  PageIndex from;
  for (const Edge& edge : edges_of(notices)) {
    if (!writers.empty() && edge.page > from) {
      segments.push_back({PageRange{from, edge.page.value() - from.value()}, writers});
    }
    from = edge.page;
    const auto place = std::ranges::lower_bound(writers, edge.writer);
    if (edge.begins) {
      writers.insert(place, edge.writer);
    } else {
      writers.erase(place);
    }
  }
  return segments;
}

}  // namespace weft
