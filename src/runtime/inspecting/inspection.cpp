// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspecting/inspection.hpp"

#include <algorithm>
#include <utility>

#include "base/accesses/indirect.hpp"
#include "runtime/inspecting/found_pages.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kMostValues = std::uint64_t{1} << 24;
// Of memory that holds values: rows that do not follow each other, say.
constexpr std::size_t kMostStretches = std::size_t{1} << 18;

void add_stretch(std::vector<AddressRange>& stretches, std::uintptr_t first, std::uintptr_t end) {
  if (!stretches.empty() && stretches.back().end == first) {
    stretches.back().end = end;
  } else {
    stretches.push_back({first, end});
  }
}

class Inspector {
 public:
  Inspector(std::uint64_t most_pages, InspectorSurroundings& surroundings)
      : surroundings_(surroundings),
        found_(most_pages, [&](std::uintptr_t first, std::uintptr_t end) {
          return surroundings_.is_shared(first, end);
        }) {}

  Inspected run(std::vector<AddressRange> stretches, std::span<const weft_indirection> how) {
    for (; how.size() > 1; how = how.subspan(1)) {
      std::vector<AddressRange> next;
      follow(stretches, how.front(), [&](std::uintptr_t first, std::uintptr_t end) {
        if (surroundings_.is_shared(first, end)) add_stretch(next, first, end);
        return next.size() < kMostStretches;
      });
      stretches = std::move(next);
    }
    follow(stretches, how.front(),
           [&](std::uintptr_t first, std::uintptr_t end) { return found_.add(first, end); });
    inspected_.indices = joined(std::move(inspected_.indices), kPageBytes);
    inspected_.pages = std::move(found_).take();
    return std::move(inspected_);
  }

 private:
  template <typename Visit>
  void follow(const std::vector<AddressRange>& stretches, const weft_indirection& how,
              Visit visit) {
    const std::vector<AddressRange> values = joined(with_counts(stretches, how), kPageBytes);
    inspected_.indices.insert(inspected_.indices.end(), values.begin(), values.end());
    Leads<IndexMemory> leads(how, surroundings_.bring(pages_of(values)));
    bool goes_on = true;
    for (const AddressRange& each : stretches) {
      leads.follow(each.first, each.end, [&](std::uintptr_t first, std::uintptr_t end) {
        return goes_on = visit(first, end) && ++inspected_.values < kMostValues;
      });
      if (!goes_on) return;
    }
  }

  // And the memory of the values that count rows.
  static std::vector<AddressRange> with_counts(const std::vector<AddressRange>& stretches,
                                               const weft_indirection& how) {
    std::vector<AddressRange> all = stretches;
    const auto add = [&](std::int64_t distance) {
      const auto way = static_cast<std::uint64_t>(distance);
      const auto more = static_cast<std::uint64_t>(std::abs(how.counted));
      for (const AddressRange& each : stretches) {
        if (each.end + way + more > each.first + way)
          all.push_back({each.first + way, each.end + way + more});
      }
    };
    if (how.counted == 0) return all;
    add(how.upper);
    if (how.lower != WEFT_NO_LOWER) add(how.lower);
    return all;
  }

  InspectorSurroundings& surroundings_;
  FoundPages found_;
  Inspected inspected_;
};

}  // namespace

Inspected inspect(const SaidIndirect& said, std::uint64_t most_pages,
                  InspectorSurroundings& surroundings) {
  const auto section = Strided::of(said.first, said.bytes, said.strides);
  const std::size_t levels = said.indirections.size();
  if (!section || levels == 0 || levels > WEFT_MOST_INDIRECTIONS) return {};
  std::vector<AddressRange> stretches;
  for_each_stretch(section->first, section->bytes, section->dimensions(),
                   [&](std::uintptr_t first, std::uintptr_t end) {
                     add_stretch(stretches, first, end);
                     return stretches.size() < kMostStretches;
                   });
  return Inspector(most_pages, surroundings).run(std::move(stretches), said.indirections);
}

}  // namespace weft
