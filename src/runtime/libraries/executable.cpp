// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libraries/executable.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/ids.hpp"

namespace weft {
namespace {

std::uintptr_t round_up(std::uintptr_t address) {
  return (address + kPageBytes - 1) & ~(kPageBytes - 1);
}

std::uintptr_t round_down(std::uintptr_t address) { return address & ~(kPageBytes - 1); }

std::string executable_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

// The build id in a loaded object's notes, in hexadecimal; empty if it has none.
std::string build_id(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = object.dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* note = reinterpret_cast<const char*>(object.dlpi_addr + header.p_vaddr);
    const char* end = note + header.p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) fields;
      std::memcpy(&fields, note, sizeof fields);
      const char* name = note + sizeof fields;
      const char* description = name + ((fields.n_namesz + 3) & ~3U);
      if (fields.n_type == NT_GNU_BUILD_ID && fields.n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0) {
        std::string hexadecimal;
        for (unsigned byte = 0; byte < fields.n_descsz; ++byte) {
          hexadecimal += fmt::format("{:02x}", static_cast<unsigned char>(description[byte]));
        }
        return hexadecimal;
      }
      note = description + ((fields.n_descsz + 3) & ~3U);
    }
  }
  return {};
}

std::string file_identity(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return "no file";
  return fmt::format("{} bytes of {}.{:09}", status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

int add_line(dl_phdr_info* object, std::size_t, void* lines) {
  const std::string line = fingerprint_of(*object);
  if (!line.empty()) static_cast<std::vector<std::string>*>(lines)->push_back(line);
  return 0;
}

}  // namespace

DataSegment data_segment_of(const dl_phdr_info& object) {
  std::uintptr_t relro_end = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = object.dlpi_phdr[i];
    if (header.p_type == PT_GNU_RELRO) relro_end = header.p_vaddr + header.p_memsz;
  }
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & header = object.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const std::uintptr_t segment_end = header.p_vaddr + header.p_memsz;
    if (segment_end <= relro_end) continue;  // a segment of its own for RELRO, as lld makes it
    begin = std::min(begin, std::max<std::uintptr_t>(header.p_vaddr, relro_end));
    end = std::max(end, segment_end);
  }
  if (end == 0) return {};  // no writable data at all
  if (begin != round_down(begin) && begin == relro_end) begin = round_up(begin);
  if (round_down(begin) >= round_up(end)) return {};
  return {reinterpret_cast<std::byte*>(object.dlpi_addr + round_down(begin)),
          reinterpret_cast<std::byte*>(object.dlpi_addr + round_up(end))};
}

std::string fingerprint_of(const dl_phdr_info& object) {
  // The executable is the one without a name; so is the kernel's own object on some systems.
  const bool is_executable = object.dlpi_name[0] == '\0';
  const std::string path = is_executable ? executable_path() : std::string(object.dlpi_name);
  if (path.empty() || path.starts_with("linux-vdso")) return {};
  std::string identity = build_id(object);
  if (identity.empty()) identity = file_identity(path);
  return fmt::format("{} at {:#x}, {}", path, object.dlpi_addr, identity);
}

std::vector<std::string> program_fingerprint() {
  std::vector<std::string> lines;
  dl_iterate_phdr(add_line, &lines);
  return lines;
}

std::string fingerprint_difference(const std::vector<std::string>& mine,
                                   const std::vector<std::string>& other) {
  for (std::size_t i = 0; i < std::max(mine.size(), other.size()); ++i) {
    const std::string here = i < mine.size() ? mine[i] : "nothing";
    const std::string there = i < other.size() ? other[i] : "nothing";
    if (here != there) return fmt::format("here {}; there {}", here, there);
  }
  return {};
}

}  // namespace weft
