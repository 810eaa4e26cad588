// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/watch/places.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>

#include "base/locks/lock_ids.hpp"

namespace weft {
namespace {

constexpr std::size_t kLongestText = 512;

// What is there up to a zero byte; of a page that is not there, nothing.
std::string text_in(pid_t process, std::uint64_t address) {
  char buffer[kLongestText] = {};
  constexpr std::uint64_t kPage = 4096;
  const std::size_t in_page = std::min<std::size_t>(kLongestText - 1, kPage - address % kPage);
  iovec here = {buffer, kLongestText - 1};
  iovec there[] = {{reinterpret_cast<void*>(address), in_page},
                   {reinterpret_cast<void*>(address + in_page), kLongestText - 1 - in_page}};
  if (process_vm_readv(process, &here, 1, there, 2, 0) <= 0) return {};
  std::string text = buffer;
  const bool is_printable =
      std::ranges::all_of(text, [](unsigned char each) { return each >= ' ' && each != 0x7f; });
  return is_printable ? text : std::string();
}

// As a user names it: below the folder where the job was started, from there.
std::string shown_file(const std::string& file) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return !error && file.starts_with(here) ? file.substr(here.size()) : file;
}

std::string demangled(const char* name) {
  if (!std::string_view(name).starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 ? readable.get() : name;
}

bool is_of_system(const char* file) { return std::string_view(file).starts_with("/usr/"); }

// The loaded objects of a process, as the kernel lists them.
class LoadedObjects {
 public:
  explicit LoadedObjects(pid_t process) : all_(dwfl_begin(&kCallbacks)) {
    unsetenv("DEBUGINFOD_URLS");  // nothing is to be asked of the network meanwhile
    if (all_ == nullptr) return;
    dwfl_linux_proc_report(all_, process);
    dwfl_report_end(all_, nullptr, nullptr);
  }
  ~LoadedObjects() {
    if (all_ != nullptr) dwfl_end(all_);
  }
  LoadedObjects(const LoadedObjects&) = delete;
  LoadedObjects& operator=(const LoadedObjects&) = delete;

  // Of the call that returns to the address.
  [[nodiscard]] std::optional<std::string> call_before(std::uint64_t address) const {
    const std::uint64_t call = address - 1;
    Dwfl_Module* const module = all_ == nullptr ? nullptr : dwfl_addrmodule(all_, call);
    if (module == nullptr) return std::nullopt;
    if (auto line = line_of(module, call)) return line;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* const name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr) return std::nullopt;
    return fmt::format("{}+{:#x} ({})", demangled(name), offset, file_name(module));
  }

  // The variable that has the address, by the symbols of whichever object has it.
  [[nodiscard]] std::optional<std::string> variable_at(std::uint64_t address) const {
    if (all_ == nullptr) return std::nullopt;
    Search search{address, {}};
    dwfl_getmodules(all_, look_for_variable, &search, 0);
    if (search.name.empty()) return std::nullopt;
    return search.name;
  }

 private:
  struct Search {
    std::uint64_t address;
    std::string name;
  };

  static int look_for_variable(Dwfl_Module* module, void**, const char*, Dwarf_Addr,
                               void* argument) {
    auto& search = *static_cast<Search*>(argument);
    const int count = dwfl_module_getsymtab(module);
    for (int each = 1; each < count; ++each) {
      GElf_Sym symbol;
      GElf_Addr value = 0;
      Elf* elf = nullptr;
      const char* const name =
          dwfl_module_getsym_info(module, each, &symbol, &value, nullptr, &elf, nullptr);
      const bool is_variable = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
                               symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;
      if (name == nullptr || !is_variable) continue;
      if (search.address < value || search.address - value >= symbol.st_size) continue;
      if (!is_loaded(elf, symbol)) continue;
      search.name = demangled(name);
      if (search.address > value) search.name += fmt::format("+{:#x}", search.address - value);
      return DWARF_CB_ABORT;
    }
    return DWARF_CB_OK;
  }

  // Some symbols name parts of the file that are never in memory.
  static bool is_loaded(Elf* elf, const GElf_Sym& symbol) {
    GElf_Shdr header;
    Elf_Scn* const section = elf_getscn(elf, symbol.st_shndx);
    return section != nullptr && gelf_getshdr(section, &header) != nullptr &&
           (header.sh_flags & SHF_ALLOC) != 0;
  }

  static std::string file_name(Dwfl_Module* module) {
    const char* const name =
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    return name == nullptr ? "?" : std::filesystem::path(name).filename().string();
  }

  // clang writes no table of addresses, which dwfl_module_addrdie() would need.
  static Dwarf_Die* unit_of(Dwfl_Module* module, std::uint64_t address, Dwarf_Addr& bias) {
    Dwarf_Die* unit = dwfl_module_nextcu(module, nullptr, &bias);
    while (unit != nullptr && dwarf_haspc(unit, address - bias) <= 0) {
      unit = dwfl_module_nextcu(module, unit, &bias);
    }
    return unit;
  }

  // In code that a header of the system has inlined: where the program has called that.
  static std::optional<std::string> line_of(Dwfl_Module* module, std::uint64_t address) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = unit_of(module, address, bias);
    Dwarf_Line* const at = unit == nullptr ? nullptr : dwarf_getsrc_die(unit, address - bias);
    int line = 0;
    const char* file = at == nullptr ? nullptr : dwarf_linesrc(at, nullptr, nullptr);
    if (file == nullptr || dwarf_lineno(at, &line) != 0) return std::nullopt;
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes(unit, address - bias, &scopes);
    for (int each = 0; each < count && is_of_system(file); ++each) {
      if (dwarf_tag(&scopes[each]) != DW_TAG_inlined_subroutine) continue;
      Dwarf_Word number = 0, call_line = 0;
      Dwarf_Attribute attribute;
      Dwarf_Files* files = nullptr;
      const bool is_known =
          dwarf_formudata(dwarf_attr(&scopes[each], DW_AT_call_file, &attribute), &number) == 0 &&
          dwarf_formudata(dwarf_attr(&scopes[each], DW_AT_call_line, &attribute), &call_line) ==
              0 &&
          dwarf_getsrcfiles(unit, &files, nullptr) == 0;
      const char* const caller =
          is_known ? dwarf_filesrc(files, number, nullptr, nullptr) : nullptr;
      if (caller == nullptr) break;
      file = caller;
      line = static_cast<int>(call_line);
    }
    const std::string text = fmt::format("{}:{}", shown_file(file), line);
    std::free(scopes);
    return text;
  }

  static constexpr Dwfl_Callbacks kCallbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                                .find_debuginfo = dwfl_standard_find_debuginfo,
                                                .section_address = nullptr,
                                                .debuginfo_path = nullptr};
  Dwfl* all_;
};

// Each address once.
class Texts {
 public:
  explicit Texts(pid_t process) : process_(process), objects_(process) {}

  void add_place(std::uint64_t place, std::uint64_t address) {
    bool has_place = false;
    if (place != 0 && is_new(place)) has_place = add(place, place_in(text_in(process_, place)));
    if (!has_place && address != 0 && is_new(address)) add(address, objects_.call_before(address));
  }
  void add_variable(std::uint64_t address) {
    if (address != 0 && is_new(address)) add(address, objects_.variable_at(address));
  }
  [[nodiscard]] std::vector<AddressText> take() { return std::move(all_); }

 private:
  bool is_new(std::uint64_t address) { return seen_.insert(address).second; }
  bool add(std::uint64_t address, std::optional<std::string> text) {
    if (text) all_.push_back({address, std::move(*text)});
    return text.has_value();
  }

  pid_t process_;
  LoadedObjects objects_;
  std::set<std::uint64_t> seen_;
  std::vector<AddressText> all_;
};

bool names_an_object(board::WaitKind kind) {
  using enum board::WaitKind;
  return kind == kCondition || kind == kSemaphore || kind == kRwLock || kind == kBarrierObject ||
         kind == kFutex;
}

}  // namespace

std::optional<std::string> place_in(const std::string& text) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    fields.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  constexpr std::size_t kFile = 1, kLine = 3;
  if (fields.size() <= kLine + 1 || !fields[0].empty() || fields[kFile].empty() ||
      fields[kFile] == "unknown" || fields[kLine] == "0") {
    return std::nullopt;
  }
  return fmt::format("{}:{}", shown_file(fields[kFile]), fields[kLine]);
}

std::vector<AddressText> texts_of(pid_t process, const board::NodeSnapshot& shown) {
  Texts texts(process);
  for (const board::ThreadSnapshot& thread : shown.threads) {
    if (thread.is_waiting) {
      texts.add_place(thread.place, thread.address);
      if (names_an_object(thread.kind)) texts.add_variable(thread.object);
      if (thread.kind == board::WaitKind::kLock) texts.add_variable(thread.object >> kLockKindBits);
    }
    for (const board::HeldLock& held : thread.held) {
      texts.add_place(held.place, held.address);
      texts.add_variable(held.lock >> kLockKindBits);
    }
  }
  return texts.take();
}

std::vector<std::string> places_of_calls(pid_t process, std::span<const std::uint64_t> addresses) {
  const LoadedObjects objects(process);
  std::vector<std::string> texts;
  for (const std::uint64_t each : addresses) {
    texts.push_back(objects.call_before(each).value_or(std::string()));
  }
  return texts;
}

}  // namespace weft
