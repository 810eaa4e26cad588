// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system's log, and where translations of messages are: set on all nodes.
#include <libintl.h>
#include <syslog.h>

#include <cerrno>

#include "libc/interposition/interpose.hpp"
#include "process/requests/topics.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {
namespace {

struct TwoTexts {
  const char* first;
  const char* second;
};

// A first text, then perhaps another.
Bytes join(const char* first, const char* second) {
  const ByteView one = bytes_of_text(first);
  Bytes joined(one.begin(), one.end());
  if (second != nullptr) {
    const ByteView two = bytes_of_text(second);
    joined.insert(joined.end(), two.begin(), two.end());
  }
  return joined;
}

TwoTexts split(const Request& request) {
  const char* const first = text_of(request);
  const std::size_t bytes = bytes_of_text(first).size();
  return {first, bytes < request.bytes.size() ? first + bytes : nullptr};
}

Answer open_log(const Request& r) {
  WEFT_REAL(openlog)(reinterpret_cast<const char*>(r.a), static_cast<int>(r.b),
                     static_cast<int>(r.c));
  return {};
}

Answer bind(const Request& request) {
  const auto [domain, directory] = split(request);
  return {0, WEFT_REAL(bindtextdomain)(domain, directory) == nullptr ? ENOMEM : 0};
}

Answer set_codeset(const Request& request) {
  const auto [domain, codeset] = split(request);
  (void)WEFT_REAL(bind_textdomain_codeset)(domain, codeset);
  return {};
}

bool tell_all(Node& node, Call call, const char* domain, const char* text) {
  return on_runtime_stack([&] {
    const Bytes texts = join(domain, text);
    return everywhere(node, {.call = call, .bytes = texts}).error == 0;
  });
}

}  // namespace

void perform_messages() {
  perform(Call::kOpenLog, open_log);
  perform(Call::kCloseLog, [](const Request&) { return WEFT_REAL(closelog)(), Answer{}; });
  perform(Call::kLogMask,
          [](const Request& r) { return Answer{WEFT_REAL(setlogmask)(static_cast<int>(r.a))}; });
  perform(Call::kTextDomain, [](const Request& r) {
    return Answer{0, WEFT_REAL(textdomain)(text_of(r)) == nullptr ? ENOMEM : 0};
  });
  perform(Call::kBindTextDomain, bind);
  perform(Call::kTextCodeset, set_codeset);
}

// The C library keeps the pointer: the name may be changed, as in one process, if it is shared.
WEFT_ENTRY(void, openlog, const char* name, int options, int facility) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(openlog)(name, options, facility);
  (void)everywhere(*node, {.call = Call::kOpenLog,
                           .a = reinterpret_cast<std::intptr_t>(name),
                           .b = options,
                           .c = facility});
}
WEFT_ENTRY(void, closelog, void) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(closelog)();
  (void)everywhere(*node, {.call = Call::kCloseLog});
}
WEFT_ENTRY(int, setlogmask, int mask) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(setlogmask)(mask);
  return static_cast<int>(everywhere(*node, {.call = Call::kLogMask, .a = mask}).result);
}

WEFT_ENTRY(char*, textdomain, const char* domain) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr || domain == nullptr) return WEFT_REAL(textdomain)(domain);
  return tell_all(*node, Call::kTextDomain, domain, nullptr) ? WEFT_REAL(textdomain)(nullptr)
                                                             : nullptr;
}
WEFT_ENTRY(char*, bindtextdomain, const char* domain, const char* directory) {
  Node* const node = WEFT_JOB_OF_CALLER();
  const bool asks = domain == nullptr || directory == nullptr;
  if (node == nullptr || asks) return WEFT_REAL(bindtextdomain)(domain, directory);
  if (!tell_all(*node, Call::kBindTextDomain, domain, directory)) return nullptr;
  return WEFT_REAL(bindtextdomain)(domain, nullptr);
}
WEFT_ENTRY(char*, bind_textdomain_codeset, const char* domain, const char* codeset) {
  Node* const node = WEFT_JOB_OF_CALLER();
  const bool asks = domain == nullptr || codeset == nullptr;
  if (node == nullptr || asks) return WEFT_REAL(bind_textdomain_codeset)(domain, codeset);
  (void)tell_all(*node, Call::kTextCodeset, domain, codeset);
  return WEFT_REAL(bind_textdomain_codeset)(domain, nullptr);
}

}  // namespace weft::process
