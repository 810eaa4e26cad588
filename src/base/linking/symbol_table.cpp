// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/linking/symbol_table.hpp"

#include <elf.h>

namespace weft {
namespace {

constexpr std::uint32_t kWordBits = 8 * sizeof(ElfW(Addr));
constexpr ElfW(Versym) kHiddenVersion = 0x8000;

std::size_t length_of(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

bool is_bit_set(ElfW(Addr) word, std::uint32_t bit) { return (word >> (bit % kWordBits) & 1) != 0; }

}  // namespace

std::uintptr_t dynamic_value(const ElfW(Dyn) * dynamic, ElfW(Sxword) tag) {
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == tag) return dynamic->d_un.d_val;
  }
  return 0;
}

HashedName::HashedName(const char* text, std::size_t length)
    : text(text), length(length), hash(5381) {
  for (std::size_t i = 0; i < length; ++i) hash = hash * 33 + static_cast<unsigned char>(text[i]);
}

HashedName::HashedName(const char* text) : HashedName(text, length_of(text)) {}

SymbolTable::SymbolTable(const ElfW(Dyn) * dynamic)
    : symbols_(reinterpret_cast<const ElfW(Sym) *>(dynamic_value(dynamic, DT_SYMTAB))),
      strings_(reinterpret_cast<const char*>(dynamic_value(dynamic, DT_STRTAB))),
      versions_(reinterpret_cast<const ElfW(Versym) *>(dynamic_value(dynamic, DT_VERSYM))) {
  const auto* table = reinterpret_cast<const std::uint32_t*>(dynamic_value(dynamic, DT_GNU_HASH));
  if (table == nullptr) return;
  bucket_count_ = table[0];
  first_symbol_ = table[1];
  filter_words_ = table[2];
  filter_shift_ = table[3];
  filter_ = reinterpret_cast<const ElfW(Addr)*>(table + 4);
  buckets_ = reinterpret_cast<const std::uint32_t*>(filter_ + filter_words_);
  hashes_ = buckets_ + bucket_count_;
}

// Two bits for each name in the table.
bool SymbolTable::may_define(std::uint32_t hash) const {
  const ElfW(Addr) word = filter_[hash / kWordBits % filter_words_];
  return is_bit_set(word, hash) && is_bit_set(word, hash >> filter_shift_);
}

bool SymbolTable::is_definition(std::size_t index, const HashedName& name) const {
  const ElfW(Sym) & symbol = symbols_[index];
  if (symbol.st_shndx == SHN_UNDEF) return false;
  if (versions_ != nullptr && (versions_[index] & kHiddenVersion) != 0) return false;
  const char* const text = name_of(symbol);
  for (std::size_t i = 0; i < name.length; ++i) {
    if (text[i] != name.text[i]) return false;
  }
  return text[name.length] == '\0';
}

std::size_t SymbolTable::end_of_definitions() const {
  std::uint32_t last = 0;
  for (std::uint32_t bucket = 0; bucket < bucket_count_; ++bucket) {
    if (buckets_[bucket] > last) last = buckets_[bucket];
  }
  if (last < first_symbol_) return first_symbol_;  // there are none
  while ((hashes_[last - first_symbol_] & 1) == 0) ++last;
  return last + 1;
}

const ElfW(Sym) * SymbolTable::definition_of(const HashedName& name) const {
  if (bucket_count_ == 0 || filter_words_ == 0 || !may_define(name.hash)) return nullptr;
  std::uint32_t symbol = buckets_[name.hash % bucket_count_];
  if (symbol < first_symbol_) return nullptr;
  for (;; ++symbol) {
    const std::uint32_t candidate = hashes_[symbol - first_symbol_];
    if ((candidate | 1) == (name.hash | 1) && is_definition(symbol, name)) return symbols_ + symbol;
    if ((candidate & 1) != 0) return nullptr;
  }
}

}  // namespace weft
