// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/doctor/doctor.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "memory/watching/back_end.hpp"
#include "runtime/bootstrap/this_host.hpp"
#include "weft/examination/examination.hpp"

namespace weft {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

std::string yes_or_no(bool works, const char* if_not) {
  return works ? "yes" : fmt::format("no: {}", if_not);
}

}  // namespace

int examine_host(std::string& report) {
  report = describe_host();
  struct sysinfo system = {};
  sysinfo(&system);
  const double unit = static_cast<double>(system.mem_unit) / kGiB;
  report += fmt::format("processors   {} usable of {}\n", usable_processors(),
                        sysconf(_SC_NPROCESSORS_ONLN));
  report += fmt::format("memory       {:.1f} GiB, {:.1f} GiB free\n",
                        static_cast<double>(system.totalram) * unit,
                        static_cast<double>(system.freeram) * unit);
  const bool fixed = may_fix_addresses();
  report += fmt::format("equal addresses in all nodes  {}\n",
                        yes_or_no(fixed,
                                  "address randomisation cannot be switched off here; a "
                                  "container may need --security-opt seccomp=unconfined"));
  const bool memfd = has_memfd();
  report += fmt::format("shared memory without files   {}\n",
                        yes_or_no(memfd, "memfd_create does not work here"));
  const std::vector<BackEndReport> back_ends = report_back_ends();
  const bool watched = std::any_of(back_ends.begin(), back_ends.end(),
                                   [](const BackEndReport& each) { return each.works; });
  const bool healthy = fixed && memfd && watched;
  report += healthy ? "Jobs can run here.\n" : "Jobs cannot run here.\n";
  return healthy ? 0 : 1;
}

}  // namespace weft
