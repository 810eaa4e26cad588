// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libraries/opening.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "runtime/libraries/loaded_objects.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft {
namespace {

// What the file holds, in this order, and behind it the strings. All of it is one segment.
struct Image {
  Elf64_Ehdr header = {};
  Elf64_Phdr segments[3] = {};
  Elf64_Sym symbols[2] = {};
  Elf64_Rela relocation = {};
  std::uint64_t constructor = 0;
  Elf64_Dyn dynamic[14] = {};
};

class Strings {
 public:
  std::uint64_t add(std::string_view text) {
    const std::uint64_t at = text_.size();
    text_.append(text).push_back('\0');
    return at;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_{'\0'};
};

void fill_header(Image& image) {
  Elf64_Ehdr& header = image.header;
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = offsetof(Image, segments);
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = std::size(image.segments);
}

void fill_segments(Image& image, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const auto segment = [](Elf64_Word type, std::size_t begin, std::size_t size) {
    return Elf64_Phdr{.p_type = type,
                      .p_flags = PF_R | PF_W,
                      .p_offset = begin,
                      .p_vaddr = begin,
                      .p_paddr = begin,
                      .p_filesz = size,
                      .p_memsz = size,
                      .p_align = type == PT_LOAD ? kPage : 8};
  };
  image.segments[0] = segment(PT_LOAD, 0, bytes);
  image.segments[1] = segment(PT_DYNAMIC, offsetof(Image, dynamic), sizeof image.dynamic);
  image.segments[2] = segment(PT_GNU_STACK, 0, 0);
}

void fill_dynamic(Image& image, Strings& strings, const Opening& opening) {
  const RunPath path = run_path_of(opening.caller);
  const std::uint64_t needed = strings.add(with_origin(opening.file, opening.caller));
  const std::uint64_t name = strings.add(kOpeningName);
  const std::uint64_t folders = strings.add(path.folders);
  Elf64_Dyn* next = image.dynamic;
  const auto add = [&next](Elf64_Sxword tag, std::uint64_t value) {
    *next++ = {.d_tag = tag, .d_un = {.d_val = value}};
  };
  add(DT_NEEDED, needed);
  add(DT_SONAME, name);
  if (!path.folders.empty()) add(path.comes_first ? DT_RPATH : DT_RUNPATH, folders);
  add(DT_STRTAB, sizeof image);
  add(DT_STRSZ, strings.text().size());
  add(DT_SYMTAB, offsetof(Image, symbols));
  add(DT_SYMENT, sizeof(Elf64_Sym));
  add(DT_RELA, offsetof(Image, relocation));
  add(DT_RELASZ, sizeof image.relocation);
  add(DT_RELAENT, sizeof(Elf64_Rela));
  add(DT_INIT_ARRAY, offsetof(Image, constructor));
  add(DT_INIT_ARRAYSZ, sizeof image.constructor);
  add(DT_FLAGS_1, DF_1_INITFIRST | DF_1_NOW);
  add(DT_NULL, 0);
}

std::string library_that_needs(const Opening& opening) {
  Image image;
  Strings strings;
  image.symbols[1].st_name = static_cast<Elf64_Word>(strings.add("__weft_loading_begins"));
  image.symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  image.relocation = {.r_offset = offsetof(Image, constructor),
                      .r_info = ELF64_R_INFO(1, R_X86_64_64),
                      .r_addend = 0};
  fill_header(image);
  fill_dynamic(image, strings, opening);
  fill_segments(image, sizeof image + strings.text().size());
  return std::string(reinterpret_cast<const char*>(&image), sizeof image) + strings.text();
}

// A name that no object has had: the dynamic linker takes equal ones for the same object.
std::string name_of_file(int file) {
  static unsigned count = 0;  // under the lock of the job's loads
  std::string name = kOpeningFolder;
  for (unsigned i = 0; i < count; ++i) name += "./";
  ++count;
  return fmt::format("{}fd/{}", name, file);
}

bool open_library(const std::string& contents, int mode) {
  const int file = memfd_create("weft-opening", MFD_CLOEXEC);
  if (file < 0) return false;
  const bool is_written =
      write(file, contents.data(), contents.size()) == static_cast<ssize_t>(contents.size());
  const bool is_open =
      is_written && dlopen(name_of_file(file).c_str(), mode | RTLD_NODELETE) != nullptr;
  close(file);
  if (!is_open) (void)dlerror();  // whoever opens the file itself hears why
  return is_open;
}

thread_local const std::function<void()>* at_beginning = nullptr;

std::string folder_of(const void* code) {
  std::string path = object_at(code).path;
  if (path.empty()) {
    char executable[4096];
    const ssize_t length = readlink("/proc/self/exe", executable, sizeof executable);
    path.assign(executable, length > 0 ? static_cast<std::size_t>(length) : 0);
  }
  return path.substr(0, path.rfind('/'));
}

}  // namespace

bool open_before_constructors(const Opening& opening,
                              const std::function<void()>& before_constructors) {
  at_beginning = &before_constructors;
  const bool is_open = open_library(library_that_needs(opening), opening.mode);
  at_beginning = nullptr;
  return is_open;
}

RunPath run_path_of(const void* code) {
  const std::vector<LoadedObject> objects = loaded_objects();
  const std::string path = object_at(code).path;
  const auto caller = std::ranges::find(objects, path, &LoadedObject::path);
  if (caller == objects.end()) return {};
  const auto* strings = reinterpret_cast<const char*>(dynamic_value(*caller, DT_STRTAB));
  std::uintptr_t folders = dynamic_value(*caller, DT_RUNPATH);
  const bool comes_first = folders == 0;
  if (comes_first) folders = dynamic_value(*caller, DT_RPATH);
  if (folders == 0) return {};
  return {.folders = with_origin(strings + folders, code), .comes_first = comes_first};
}

std::string with_origin(std::string text, const void* code) {
  for (const std::string_view token : {"$ORIGIN", "${ORIGIN}"}) {
    for (std::size_t at; (at = text.find(token)) != std::string::npos;) {
      text.replace(at, token.size(), folder_of(code));
    }
  }
  return text;
}

}  // namespace weft

extern "C" [[gnu::visibility("default")]] void __weft_loading_begins() {
  if (weft::at_beginning != nullptr) (*weft::at_beginning)();
}
