// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/watching/back_end.hpp"

#include <sys/utsname.h>

#include <cstdio>
#include <cstring>

#include "memory/watching/mprotect_watcher.hpp"

namespace weft {
namespace {

// Watches two pages and does with them what a node does, in an order that raises no fault.
Status try_back_end(const BackEnd& back_end) {
  auto region = Region::create({{.name = "probe", .address = {}, .bytes = 2 * kPageBytes}});
  if (!region.ok()) return Failure{region.error()};
  auto watcher = make_watcher(back_end, *region.value());
  if (!watcher.ok()) return Failure{watcher.error()};
  const PageRange pages{PageIndex(0), 2};
  std::memset(region.value()->page_pointer(PageIndex(1)), 7, kPageBytes);
  if (Status status = watcher.value()->map_tracked(pages); !status) return status;
  auto* second = reinterpret_cast<volatile unsigned char*>(
      region.value()->program_address(GlobalOffset(kPageBytes)).value());
  if (second[0] != 7) return Failure{"a mapped page shows the wrong contents"};
  PageSet written;
  if (watcher.value()->traits().traps_writes) {
    if (Status status = watcher.value()->stop_tracking(pages); !status) return status;
    second[0] = 8;
    if (Status status = watcher.value()->start_tracking(pages); !status) return status;
  } else {
    second[0] = 8;
    if (Status status = watcher.value()->collect_written(pages, written); !status) return status;
    if (written != PageSet{{PageIndex(1), 1}}) return Failure{"the kernel misreports writes"};
  }
  if (second[0] != 8) return Failure{"a written page shows the wrong contents"};
  return watcher.value()->unmap(pages, written);
}

// The variants of a back end, best first.
std::vector<BackEnd> variants(std::string_view name, const BackEndWish& wish) {
  if (name == "mprotect") return {BackEnd{}};
  std::vector<BackEnd> result;
  for (const bool user_mode_only : {false, true}) {
    if (wish.user_mode_only && !user_mode_only) continue;
    for (const bool maps_write_protected : {true, false}) {
      const bool asynchronous = name == "uffd-async";
      if (asynchronous && !maps_write_protected) continue;  // no such kernel
      result.push_back({BackEnd::Kind::kUffd,
                        {.asynchronous = asynchronous,
                         .user_mode_only = user_mode_only,
                         .by_signal = wish.by_signal,
                         .maps_write_protected = maps_write_protected}});
    }
  }
  return result;
}

// The first variant that works, or why the first one does not.
Result<BackEnd> choose_variant(std::string_view name, const BackEndWish& wish) {
  std::string why;
  for (const BackEnd& back_end : variants(name, wish)) {
    const Status status = try_back_end(back_end);
    if (status) return back_end;
    if (!why.empty()) why += "; ";
    why += status.error();
  }
  return Failure{fmt::format("page watching by {} is not possible here: {}", name, why)};
}

constexpr const char* kNames[] = {"uffd-async", "uffd-sync", "mprotect"};

std::string first_line(const char* path) {
  char line[256] = "unknown";
  if (std::FILE* file = std::fopen(path, "re"); file != nullptr) {
    if (std::fgets(line, sizeof line, file) == nullptr) std::strcpy(line, "unknown");
    std::fclose(file);
  }
  line[std::strcspn(line, "\n")] = '\0';
  return line;
}

}  // namespace

std::string BackEnd::name() const {
  if (kind == Kind::kMprotect) return "mprotect";
  return uffd.asynchronous ? "uffd-async" : "uffd-sync";
}

std::string BackEnd::description() const {
  if (kind == Kind::kMprotect) return "page protections and SIGSEGV";
  std::string text = "userfaultfd";
  text += uffd.asynchronous ? ", the kernel notes writes" : ", first writes are faults";
  if (uffd.user_mode_only) text += ", faults in user mode alone";
  if (uffd.by_signal) text += ", SIGBUS to the faulting thread";
  if (!uffd.maps_write_protected) text += ", tracked pages are mapped by copying";
  return text;
}

Result<BackEnd> choose_back_end(const BackEndWish& wish) {
  std::string why;
  for (const char* name : kNames) {
    if (wish.name != "auto" && wish.name != name) continue;
    auto chosen = choose_variant(name, wish);
    if (chosen.ok()) return chosen;
    if (!why.empty()) why += "; ";
    why += chosen.error();
  }
  if (why.empty()) {
    why = fmt::format("\"{}\" is not a way to watch pages: auto, uffd-async, uffd-sync, mprotect",
                      wish.name);
  }
  return Failure{why};
}

Result<std::unique_ptr<PageWatcher>> make_watcher(const BackEnd& back_end, Region& region) {
  return back_end.kind == BackEnd::Kind::kMprotect ? MprotectWatcher::create(region)
                                                   : UffdWatcher::create(region, back_end.uffd);
}

std::vector<BackEndReport> report_back_ends() {
  std::vector<BackEndReport> reports;
  for (const char* name : kNames) {
    const auto chosen = choose_variant(name, {});
    reports.push_back(
        {name, chosen.ok(), chosen.ok() ? chosen.value().description() : chosen.error()});
  }
  return reports;
}

std::string describe_host() {
  utsname system = {};
  uname(&system);
  std::string text = fmt::format("kernel {} on {}\n", system.release, system.machine);
  for (const BackEndReport& report : report_back_ends()) {
    text += fmt::format("{:<12} {}: {}\n", report.name, report.works ? "works" : "does not work",
                        report.remark);
  }
  text += fmt::format("vm.max_map_count {} (matters to mprotect)\n",
                      first_line("/proc/sys/vm/max_map_count"));
  text +=
      fmt::format("vm.unprivileged_userfaultfd {} (1: system calls on absent pages just work)\n",
                  first_line("/proc/sys/vm/unprivileged_userfaultfd"));
  text += fmt::format("vm.overcommit_memory {} (2 refuses large sparse regions)\n",
                      first_line("/proc/sys/vm/overcommit_memory"));
  text += fmt::format("huge pages in shared memory: {} (\"always\" wastes memory on sparse data)\n",
                      first_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled"));
  return text;
}

}  // namespace weft
