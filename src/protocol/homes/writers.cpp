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

void add(const WrittenRun& run, const PageSet& replaced, std::vector<WrittenRun>& runs) {
  PageIndex at = run.pages.first;
  const auto add_until = [&](PageIndex end, bool are_replaced) {
    if (at < end) runs.push_back({{at, end.value() - at.value()}, run.writers, are_replaced});
    at = end;
  };
  for (const PageRange& some : replaced.intersection(run.pages)) {
    add_until(some.first, false);
    add_until(some.end(), true);
  }
  add_until(run.pages.end(), false);
}

}  // namespace

std::vector<WrittenRun> written_runs(const std::vector<Notice>& notices, const PageSet& replaced) {
  std::vector<WrittenRun> segments;
  std::vector<NodeId> writers;
  PageIndex from;
  for (const Edge& edge : edges_of(notices)) {
    if (!writers.empty() && edge.page > from) {
      add({PageRange{from, edge.page.value() - from.value()}, writers}, replaced, segments);
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
