// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/launchers/pmix_link.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pmix.h>

#include <cstring>
#include <utility>

#include "base/ids.hpp"

namespace weft {
namespace {

constexpr const char* kLibrary = "libpmix.so.2";

// What is used of the library.
struct Pmix {
  decltype(&PMIx_Init) init = nullptr;
  decltype(&PMIx_Finalize) finalize = nullptr;
  decltype(&PMIx_Get) get = nullptr;
  decltype(&PMIx_Put) put = nullptr;
  decltype(&PMIx_Commit) commit = nullptr;
  decltype(&PMIx_Fence) fence = nullptr;
  decltype(&PMIx_Abort) abort = nullptr;
  decltype(&PMIx_Error_string) error_string = nullptr;
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Result<Pmix> load() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Failure{
        fmt::format("the launcher speaks PMIx, and its library cannot be loaded: {}", dlerror())};
  }
  Pmix pmix;
  const bool whole =
      find(library, "PMIx_Init", pmix.init) && find(library, "PMIx_Finalize", pmix.finalize) &&
      find(library, "PMIx_Get", pmix.get) && find(library, "PMIx_Put", pmix.put) &&
      find(library, "PMIx_Commit", pmix.commit) && find(library, "PMIx_Fence", pmix.fence) &&
      find(library, "PMIx_Abort", pmix.abort) &&
      find(library, "PMIx_Error_string", pmix.error_string);
  if (!whole) return Failure{fmt::format("{} is not a PMIx library that is known", kLibrary)};
  return pmix;
}

class PmixLink final : public LauncherLink {
 public:
  PmixLink(const Pmix& pmix, const pmix_proc_t& self, unsigned size)
      : pmix_(pmix), self_(self), size_(size) {}

  [[nodiscard]] const char* protocol() const override { return "PMIx"; }
  [[nodiscard]] unsigned rank() const override { return self_.rank; }
  [[nodiscard]] unsigned size() const override { return size_; }

  Result<std::vector<Bytes>> exchange(const Bytes& mine) override {
    const std::string key = fmt::format("weft.{}", round_++);
    if (const pmix_status_t status = put_and_meet(key, mine); status != PMIX_SUCCESS) {
      return Failure{fault("cannot tell the other tasks", status)};
    }
    std::vector<Bytes> all;
    for (unsigned rank = 0; rank < size_; ++rank) {
      auto theirs = get(rank, key);
      if (!theirs) return Failure{theirs.error()};
      all.push_back(std::move(theirs.value()));
    }
    return all;
  }

  void abort(int status, const std::string& sentence) override {
    pmix_proc_t everybody = whole_job();
    (void)pmix_.abort(status, sentence.c_str(), &everybody, 1);
  }

  void leave() override { (void)pmix_.finalize(nullptr, 0); }

  [[nodiscard]] int descriptor() const override { return -1; }

 private:
  [[nodiscard]] pmix_proc_t whole_job() const {
    pmix_proc_t everybody = self_;
    everybody.rank = PMIX_RANK_WILDCARD;
    return everybody;
  }

  [[nodiscard]] std::string fault(const std::string& what, pmix_status_t status) const {
    return fmt::format("{}: PMIx says {}", what, pmix_.error_string(status));
  }

  pmix_status_t put_and_meet(const std::string& key, const Bytes& mine) {
    pmix_value_t value;
    std::memset(&value, 0, sizeof value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(mine.data()));
    value.data.bo.size = mine.size();
    pmix_status_t status = pmix_.put(PMIX_GLOBAL, key.c_str(), &value);
    if (status == PMIX_SUCCESS) status = pmix_.commit();
    if (status != PMIX_SUCCESS) return status;
    pmix_info_t collect;
    std::memset(&collect, 0, sizeof collect);
    std::strncpy(collect.key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
    collect.value.type = PMIX_BOOL;
    collect.value.data.flag = true;
    pmix_proc_t everybody = whole_job();
    return pmix_.fence(&everybody, 1, &collect, 1);
  }

  // The value stays the library's: a few thousand bytes, until this process ends.
  Result<Bytes> get(unsigned rank, const std::string& key) {
    pmix_proc_t other = self_;
    other.rank = rank;
    pmix_value_t* value = nullptr;
    const pmix_status_t status = pmix_.get(&other, key.c_str(), nullptr, 0, &value);
    if (status != PMIX_SUCCESS || value == nullptr) {
      return Failure{fault(fmt::format("cannot hear task {}", rank), status)};
    }
    if (value->type != PMIX_BYTE_OBJECT) {
      return Failure{fmt::format("task {} says what no task of Weft says", rank)};
    }
    const auto* const bytes = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
    return bytes == nullptr ? Bytes() : Bytes(bytes, bytes + value->data.bo.size);
  }

  Pmix pmix_;
  pmix_proc_t self_;
  unsigned size_;
  unsigned round_ = 0;
};

}  // namespace

Result<std::unique_ptr<LauncherLink>> connect_by_pmix() {
  const Result<Pmix> loaded = load();
  if (!loaded) return Failure{loaded.error()};
  const Pmix& pmix = loaded.value();
  pmix_proc_t self;
  pmix_status_t status = pmix.init(&self, nullptr, 0);
  if (status != PMIX_SUCCESS) {
    return Failure{
        fmt::format("the launcher does not answer by PMIx: {}", pmix.error_string(status))};
  }
  pmix_proc_t everybody = self;
  everybody.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* size = nullptr;
  status = pmix.get(&everybody, PMIX_JOB_SIZE, nullptr, 0, &size);
  if (status != PMIX_SUCCESS || size == nullptr || size->type != PMIX_UINT32 ||
      self.rank >= size->data.uint32) {
    return Failure{"the launcher does not say by PMIx how many tasks it has started"};
  }
  return std::unique_ptr<LauncherLink>(std::make_unique<PmixLink>(pmix, self, size->data.uint32));
}

}  // namespace weft
