// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// operator new and delete for Weft's own code. libweft-node.so is linked with --wrap for every one
// of the operators, which turns each call from inside it (also from its private copy of libstdc++)
// into one of these functions. So what Weft allocates is in the C library's heap, never in the
// shared one.
//
// Weft cannot go on without memory for itself, so the failure of a throwing form ends the process.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "libc/interposition/real_allocation.hpp"

using namespace weft::libc;

namespace {

void* or_abort(void* block) {
  if (block == nullptr) {
    std::fputs("weft: out of memory for the node itself\n", stderr);
    std::abort();
  }
  return block;
}

}  // namespace

extern "C" {
void* __wrap__Znwm(std::size_t n) { return or_abort(real_malloc(n)); }
void* __wrap__ZnwmRKSt9nothrow_t(std::size_t n, const std::nothrow_t&) { return real_malloc(n); }
void* __wrap__ZnwmSt11align_val_t(std::size_t n, std::size_t a) {
  return or_abort(real_memalign(a, n));
}
void* __wrap__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t n, std::size_t a,
                                                const std::nothrow_t&) {
  return real_memalign(a, n);
}
void* __wrap__Znam(std::size_t n) { return or_abort(real_malloc(n)); }
void* __wrap__ZnamRKSt9nothrow_t(std::size_t n, const std::nothrow_t&) { return real_malloc(n); }
void* __wrap__ZnamSt11align_val_t(std::size_t n, std::size_t a) {
  return or_abort(real_memalign(a, n));
}
void* __wrap__ZnamSt11align_val_tRKSt9nothrow_t(std::size_t n, std::size_t a,
                                                const std::nothrow_t&) {
  return real_memalign(a, n);
}
void __wrap__ZdlPv(void* p) { real_free(p); }
void __wrap__ZdlPvm(void* p, std::size_t) { real_free(p); }
void __wrap__ZdlPvRKSt9nothrow_t(void* p, const std::nothrow_t&) { real_free(p); }
void __wrap__ZdlPvSt11align_val_t(void* p, std::size_t) { real_free(p); }
void __wrap__ZdlPvmSt11align_val_t(void* p, std::size_t, std::size_t) { real_free(p); }
void __wrap__ZdlPvSt11align_val_tRKSt9nothrow_t(void* p, std::size_t, const std::nothrow_t&) {
  real_free(p);
}
void __wrap__ZdaPv(void* p) { real_free(p); }
void __wrap__ZdaPvm(void* p, std::size_t) { real_free(p); }
void __wrap__ZdaPvRKSt9nothrow_t(void* p, const std::nothrow_t&) { real_free(p); }
void __wrap__ZdaPvSt11align_val_t(void* p, std::size_t) { real_free(p); }
void __wrap__ZdaPvmSt11align_val_t(void* p, std::size_t, std::size_t) { real_free(p); }
void __wrap__ZdaPvSt11align_val_tRKSt9nothrow_t(void* p, std::size_t, const std::nothrow_t&) {
  real_free(p);
}
}  // extern "C"
