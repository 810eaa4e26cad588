// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/nodes/program.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/compiler_abi.h"

namespace weft {
namespace {

constexpr std::string_view kLibrary = "libweft.so";

// Reads an ELF file's structures by value; every offset in it may be wrong.
class ElfFile {
 public:
  explicit ElfFile(ByteView contents) : contents_(contents) {}

  template <typename T>
  [[nodiscard]] std::optional<T> read(std::uint64_t offset) const {
    if (offset > contents_.size() || contents_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, contents_.data() + offset, sizeof value);
    return value;
  }

  [[nodiscard]] std::string_view text(std::uint64_t offset) const {
    if (offset >= contents_.size()) return {};
    const char* const first = reinterpret_cast<const char*>(contents_.data()) + offset;
    return std::string_view(first, strnlen(first, contents_.size() - offset));
  }

  [[nodiscard]] std::vector<Elf64_Phdr> segments() const {
    std::vector<Elf64_Phdr> result;
    const auto header = read<Elf64_Ehdr>(0);
    if (!header || header->e_phentsize != sizeof(Elf64_Phdr)) return result;
    for (unsigned each = 0; each < header->e_phnum; ++each) {
      const auto segment = read<Elf64_Phdr>(header->e_phoff + each * sizeof(Elf64_Phdr));
      if (segment) result.push_back(*segment);
    }
    return result;
  }

  // Where in the file the byte at a link address is.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const Elf64_Phdr& segment : segments()) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
      const std::uint64_t distance = address - segment.p_vaddr;
      if (distance < segment.p_filesz) return segment.p_offset + distance;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<Elf64_Dyn> dynamic_entries() const {
    std::vector<Elf64_Dyn> result;
    for (const Elf64_Phdr& segment : segments()) {
      if (segment.p_type != PT_DYNAMIC) continue;
      for (std::uint64_t at = 0; at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
        const auto entry = read<Elf64_Dyn>(segment.p_offset + at);
        if (!entry || entry->d_tag == DT_NULL) break;
        result.push_back(*entry);
      }
    }
    return result;
  }

  // True if the file needs the library, in any version ("libweft.so", "libweft.so.1").
  [[nodiscard]] bool needs(std::string_view library) const {
    const std::vector<Elf64_Dyn> entries = dynamic_entries();
    std::optional<std::uint64_t> names;
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_STRTAB) names = offset_of(entry.d_un.d_ptr);
    }
    if (!names) return false;
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag != DT_NEEDED) continue;
      std::string_view name = text(*names + entry.d_un.d_val);
      name = name.substr(name.rfind('/') + 1);
      if (name == library) return true;
      if (name.starts_with(library) && name[library.size()] == '.') return true;
    }
    return false;
  }

  // The names of what the file gives to other objects or takes from them.
  [[nodiscard]] std::vector<std::string_view> dynamic_names() const {
    std::vector<std::string_view> result;
    const auto header = read<Elf64_Ehdr>(0);
    if (!header || header->e_shentsize != sizeof(Elf64_Shdr)) return result;
    const auto section = [&](std::uint64_t number) {
      return read<Elf64_Shdr>(header->e_shoff + number * sizeof(Elf64_Shdr));
    };
    for (unsigned each = 0; each < header->e_shnum; ++each) {
      const auto symbols = section(each);
      if (!symbols || symbols->sh_type != SHT_DYNSYM) continue;
      const auto names = section(symbols->sh_link);
      for (std::uint64_t at = 0; names && at < symbols->sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = read<Elf64_Sym>(symbols->sh_offset + at);
        if (!symbol) break;
        result.push_back(text(names->sh_offset + symbol->st_name));
      }
    }
    return result;
  }

  // True if at least one of the objects that the file was linked from has weftcc's note.
  [[nodiscard]] bool has_note_of_pass() const {
    for (const Elf64_Phdr& segment : segments()) {
      if (segment.p_type != PT_NOTE) continue;
      const auto padded = [](std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; };
      std::uint64_t at = 0;
      while (const auto note = read<Elf64_Nhdr>(segment.p_offset + at)) {
        const std::uint64_t name = at + sizeof *note;
        const std::uint64_t next = name + padded(note->n_namesz) + padded(note->n_descsz);
        if (next > segment.p_filesz) break;
        if (note->n_type == WEFT_NOTE_TYPE && text(segment.p_offset + name) == WEFT_NOTE_OWNER) {
          return true;
        }
        at = next;
      }
    }
    return false;
  }

 private:
  ByteView contents_;
};

bool is_of_sanitizer(std::string_view name) {
  for (const char* start : {"__asan_init", "__hwasan_init", "__lsan_init", "__msan_init",
                            "__tsan_init", "__sanitizer_print_stack_trace"}) {
    if (name == start) return true;
  }
  return name.starts_with("__ubsan_handle_") && name.find("_minimal") == name.npos;
}

// Runtimes that are linked into the program, but have to be each process's own.
std::string judge_for_several(const std::string& file, ByteView contents) {
  for (const std::string_view name : ElfFile(contents).dynamic_names()) {
    if (is_of_sanitizer(name)) {
      return fmt::format(
          "{} was compiled with a sanitizer (-fsanitize=...), whose memory several nodes cannot "
          "share. Start it on one node, or compile it without (-fsanitize-trap works)",
          file);
    }
    if (name == "mcount" || name == "_mcount") {
      return fmt::format(
          "{} was compiled for gprof (-pg), whose memory several nodes cannot share. Start it on "
          "one node, or compile it without",
          file);
    }
  }
  return {};
}

// Everything but the reading of the file itself, which is mapped.
std::string judge(const std::string& file, ByteView contents) {
  const std::string_view start(reinterpret_cast<const char*>(contents.data()), contents.size());
  if (start.starts_with("#!")) {
    return fmt::format(
        "{} is a script; weft run starts the program itself, compiled by weftcc, or (--binding) a "
        "script that joins the job, such as Python's import weft",
        file);
  }
  const ElfFile elf(contents);
  const auto header = elf.read<Elf64_Ehdr>(0);
  if (!start.starts_with(ELFMAG) || !header) return fmt::format("{} is not a program", file);
#if defined(__x86_64__)
  constexpr unsigned kMachine = EM_X86_64;
#else
  constexpr unsigned kMachine = EM_AARCH64;
#endif
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != kMachine) {
    return fmt::format("{} is a program for another kind of processor", file);
  }
  if (header->e_type != ET_EXEC && header->e_type != ET_DYN) {
    return fmt::format("{} is not a program", file);
  }
  if (!elf.needs(kLibrary)) {
    return fmt::format(
        "{} was not built by weftcc; compile it with weftcc, weftc++ or weftfc, or start it "
        "without weft run. Python scripts that import weft are started with --binding",
        file);
  }
  if (!elf.has_note_of_pass()) {
    return fmt::format(
        "{} was linked by weftcc, but not compiled by weftcc: its atomic operations would not work "
        "across nodes. Compile its sources with weftcc, weftc++ or weftfc too",
        file);
  }
  return {};
}

std::string why_not_executable(const std::string& file) {
  struct stat status;
  if (stat(file.c_str(), &status) != 0) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "is a directory";
  if (!S_ISREG(status.st_mode)) return "is not a file";
  if (access(file.c_str(), X_OK) != 0) return std::strerror(errno);
  return {};
}

}  // namespace

Result<std::string> find_program(const std::string& name, const std::string& path) {
  if (name.empty()) return Failure{"the program's name is empty"};
  if (name.find('/') != std::string::npos) {
    const std::string reason = why_not_executable(name);
    if (reason.empty()) return name;
    return Failure{fmt::format("{}: {}", name, reason)};
  }
  std::string found_but;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = end == begin ? "." : path.substr(begin, end - begin);
    const std::string file = folder + "/" + name;
    const std::string reason = why_not_executable(file);
    if (reason.empty()) return file;
    if (access(file.c_str(), F_OK) == 0) found_but = fmt::format("{}: {}", file, reason);
    begin = end + 1;
  }
  if (!found_but.empty()) return Failure{found_but};
  const std::string hint = access(name.c_str(), X_OK) == 0 ? "; did you mean ./" + name + "?" : "";
  return Failure{fmt::format("{}: not found in PATH{}", name, hint)};
}

namespace {

std::string read_and_judge(const std::string& file,
                           std::string (*judges)(const std::string& file, ByteView contents)) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fmt::format("{}: {}", file, std::strerror(errno));
  struct stat status;
  if (fstat(descriptor, &status) != 0 || status.st_size == 0) {
    close(descriptor);
    return fmt::format("{} is not a program", file);
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (mapped == MAP_FAILED) return fmt::format("{}: {}", file, std::strerror(errno));
  std::string reason = judges(file, ByteView(static_cast<const std::byte*>(mapped), bytes));
  munmap(mapped, bytes);
  return reason;
}

}  // namespace

std::string why_not_a_node(const std::string& file) { return read_and_judge(file, judge); }

std::string why_not_several(const std::string& file) {
  return read_and_judge(file, judge_for_several);
}

Result<std::string> readable_library(const std::string& file) {
  if (access(file.c_str(), R_OK) == 0) return std::filesystem::absolute(file).string();
  return Failure{fmt::format("{} is missing; Weft is not completely built or installed", file)};
}

// Libraries are in the folder lib beside this command's folder, built or installed.
Result<std::string> library_beside_command(const char* name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return readable_library((self.parent_path().parent_path() / "lib" / name).string());
}

}  // namespace weft
