// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points for atomic constructs, by type and operation, which older compilers call and
// programs that know libomp. Clang and flang write instructions, which the pass serves; so these go
// the same ways, and both may be used on one variable.
#include <cstddef>
#include <cstdint>

#include "base/compiler_abi.h"
#include "openmp/libomp/kmp_abi.hpp"

namespace weft::openmp {
namespace {

using Complex4 = _Complex float;
using Complex8 = _Complex double;
using Complex10 = _Complex long double;

constexpr std::uint32_t kOrder = __ATOMIC_ACQ_REL;

template <typename T>
T load(const T* x) {
  T value;
  __weft_atomic_load(x, &value, sizeof value, __ATOMIC_ACQUIRE);
  return value;
}

template <typename T>
struct Change {
  T before, after;
  [[nodiscard]] T captured(int flag) const { return flag != 0 ? after : before; }
};

template <typename T, typename Operation>
Change<T> change(T* x, Operation operation) {
  Change<T> result{load(x), T()};
  do {
    result.after = static_cast<T>(operation(result.before));
  } while (__weft_atomic_compare_exchange(x, &result.before, &result.after, sizeof(T), kOrder,
                                          __ATOMIC_ACQUIRE) == 0);
  return result;
}

// For types that are only bytes here; `combine` is the program's.
template <std::size_t kBytes>
void combine_bytes(void* x, void* operand, void (*combine)(void*, void*, void*)) {
  alignas(16) std::byte before[kBytes], after[kBytes];
  __weft_atomic_load(x, before, kBytes, __ATOMIC_ACQUIRE);
  do {
    combine(after, before, operand);
  } while (__weft_atomic_compare_exchange(x, before, after, kBytes, kOrder, __ATOMIC_ACQUIRE) == 0);
}

template <typename T>
bool exchange_if_equal(T* x, T expected, T desired, T& found) {
  found = expected;
  return __weft_atomic_compare_exchange(x, &found, &desired, sizeof(T), kOrder, __ATOMIC_ACQUIRE) !=
         0;
}

}  // namespace
}  // namespace weft::openmp

using namespace weft::openmp;

// Names are pasted from the type's and the operation's; `a` is what the variable holds, `b` the
// operand.
#define WEFT_ATOMIC_UPDATE(name, T, Operand, result)                            \
  WEFT_ENTRY void __kmpc_atomic_##name(Ident*, std::int32_t, T* x, Operand b) { \
    change(x, [b](T a) { return result; });                                     \
  }
#define WEFT_ATOMIC_CAPTURE(name, T, result)                                     \
  WEFT_ENTRY T __kmpc_atomic_##name(Ident*, std::int32_t, T* x, T b, int flag) { \
    return change(x, [b](T a) { return result; }).captured(flag);                \
  }
// The smallest complex number is handed out by address.
#define WEFT_ATOMIC_CAPTURE_OUT(name, T, result)                                            \
  WEFT_ENTRY void __kmpc_atomic_##name(Ident*, std::int32_t, T* x, T b, T* out, int flag) { \
    *out = change(x, [b](T a) { return result; }).captured(flag);                           \
  }

#define WEFT_ATOMIC_BOTH(CAPTURE, type, T, operation, result) \
  WEFT_ATOMIC_UPDATE(type##_##operation, T, T, result)        \
  CAPTURE(type##_##operation##_cpt, T, result)
#define WEFT_ATOMIC_REVERSED(CAPTURE, type, T, operation, result) \
  WEFT_ATOMIC_UPDATE(type##_##operation##_rev, T, T, result)      \
  CAPTURE(type##_##operation##_cpt_rev, T, result)

#define WEFT_ATOMIC_ARITHMETIC(CAPTURE, type, T)     \
  WEFT_ATOMIC_BOTH(CAPTURE, type, T, add, a + b)     \
  WEFT_ATOMIC_BOTH(CAPTURE, type, T, sub, a - b)     \
  WEFT_ATOMIC_BOTH(CAPTURE, type, T, mul, a* b)      \
  WEFT_ATOMIC_BOTH(CAPTURE, type, T, div, a / b)     \
  WEFT_ATOMIC_REVERSED(CAPTURE, type, T, sub, b - a) \
  WEFT_ATOMIC_REVERSED(CAPTURE, type, T, div, b / a)

#define WEFT_ATOMIC_READ_WRITE(type, T)                                                  \
  WEFT_ENTRY T __kmpc_atomic_##type##_rd(Ident*, std::int32_t, T* x) { return load(x); } \
  WEFT_ATOMIC_UPDATE(type##_wr, T, T, (static_cast<void>(a), b))
#define WEFT_ATOMIC_SWAP(type, T)                                            \
  WEFT_ENTRY T __kmpc_atomic_##type##_swp(Ident*, std::int32_t, T* x, T b) { \
    return change(x, [b](T) { return b; }).before;                           \
  }

#define WEFT_ATOMIC_ORDERED(type, T)                                 \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, max, a < b ? b : a) \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, min, b < a ? b : a)

#define WEFT_ATOMIC_INTEGER(type, T, U)                                        \
  WEFT_ATOMIC_ARITHMETIC(WEFT_ATOMIC_CAPTURE, type, T)                         \
  WEFT_ATOMIC_ORDERED(type, T)                                                 \
  WEFT_ATOMIC_READ_WRITE(type, T)                                              \
  WEFT_ATOMIC_SWAP(type, T)                                                    \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, andb, a& b)                   \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, orb, a | b)                   \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, xor, a ^ b)                   \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, neqv, a ^ b)                  \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, eqv, ~(a ^ b))                \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, andl, a != 0 && b != 0)       \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, orl, a != 0 || b != 0)        \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, shl, a << b)                  \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type, T, shr, a >> b)                  \
  WEFT_ATOMIC_REVERSED(WEFT_ATOMIC_CAPTURE, type, T, shl, b << a)              \
  WEFT_ATOMIC_REVERSED(WEFT_ATOMIC_CAPTURE, type, T, shr, b >> a)              \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type##u, U, div, a / b)                \
  WEFT_ATOMIC_REVERSED(WEFT_ATOMIC_CAPTURE, type##u, U, div, b / a)            \
  WEFT_ATOMIC_BOTH(WEFT_ATOMIC_CAPTURE, type##u, U, shr, a >> b)               \
  WEFT_ATOMIC_REVERSED(WEFT_ATOMIC_CAPTURE, type##u, U, shr, b >> a)           \
  WEFT_ATOMIC_UPDATE(type##_mul_float8, T, double, static_cast<double>(a) * b) \
  WEFT_ATOMIC_UPDATE(type##_div_float8, T, double, static_cast<double>(a) / b)

#define WEFT_ATOMIC_FLOAT(type, T)                     \
  WEFT_ATOMIC_ARITHMETIC(WEFT_ATOMIC_CAPTURE, type, T) \
  WEFT_ATOMIC_ORDERED(type, T)                         \
  WEFT_ATOMIC_READ_WRITE(type, T)                      \
  WEFT_ATOMIC_SWAP(type, T)

#define WEFT_ATOMIC_MIXED(type, T, operand, Operand)                                \
  WEFT_ATOMIC_UPDATE(type##_add_##operand, T, Operand, static_cast<Operand>(a) + b) \
  WEFT_ATOMIC_UPDATE(type##_sub_##operand, T, Operand, static_cast<Operand>(a) - b) \
  WEFT_ATOMIC_UPDATE(type##_mul_##operand, T, Operand, static_cast<Operand>(a) * b) \
  WEFT_ATOMIC_UPDATE(type##_div_##operand, T, Operand, static_cast<Operand>(a) / b)

#define WEFT_ATOMIC_EXCHANGE_IF_EQUAL(bytes, T)                                                  \
  WEFT_ENTRY bool __kmpc_atomic_bool_##bytes##_cas(Ident*, std::int32_t, T* x, T e, T d) {       \
    T found;                                                                                     \
    return exchange_if_equal(x, e, d, found);                                                    \
  }                                                                                              \
  WEFT_ENTRY T __kmpc_atomic_val_##bytes##_cas(Ident*, std::int32_t, T* x, T e, T d) {           \
    T found;                                                                                     \
    exchange_if_equal(x, e, d, found);                                                           \
    return found;                                                                                \
  }                                                                                              \
  WEFT_ENTRY bool __kmpc_atomic_bool_##bytes##_cas_cpt(Ident*, std::int32_t, T* x, T e, T d,     \
                                                       T* v) {                                   \
    T found;                                                                                     \
    const bool done = exchange_if_equal(x, e, d, found);                                         \
    if (!done) *v = found;                                                                       \
    return done;                                                                                 \
  }                                                                                              \
  WEFT_ENTRY T __kmpc_atomic_val_##bytes##_cas_cpt(Ident*, std::int32_t, T* x, T e, T d, T* v) { \
    T found;                                                                                     \
    *v = exchange_if_equal(x, e, d, found) ? d : found;                                          \
    return found;                                                                                \
  }

#define WEFT_ATOMIC_BYTES(bytes)                                                      \
  WEFT_ENTRY void __kmpc_atomic_##bytes(Ident*, std::int32_t, void* x, void* operand, \
                                        void (*combine)(void*, void*, void*)) {       \
    combine_bytes<bytes>(x, operand, combine);                                        \
  }

WEFT_ATOMIC_INTEGER(fixed1, std::int8_t, std::uint8_t)
WEFT_ATOMIC_INTEGER(fixed2, std::int16_t, std::uint16_t)
WEFT_ATOMIC_INTEGER(fixed4, std::int32_t, std::uint32_t)
WEFT_ATOMIC_INTEGER(fixed8, std::int64_t, std::uint64_t)
WEFT_ATOMIC_FLOAT(float4, float)
WEFT_ATOMIC_FLOAT(float8, double)
WEFT_ATOMIC_FLOAT(float10, long double)
WEFT_ATOMIC_MIXED(float4, float, float8, double)
WEFT_ATOMIC_ARITHMETIC(WEFT_ATOMIC_CAPTURE_OUT, cmplx4, Complex4)
WEFT_ATOMIC_ARITHMETIC(WEFT_ATOMIC_CAPTURE, cmplx8, Complex8)
WEFT_ATOMIC_ARITHMETIC(WEFT_ATOMIC_CAPTURE, cmplx10, Complex10)
WEFT_ATOMIC_READ_WRITE(cmplx4, Complex4)
WEFT_ATOMIC_READ_WRITE(cmplx8, Complex8)
WEFT_ATOMIC_READ_WRITE(cmplx10, Complex10)
WEFT_ATOMIC_SWAP(cmplx8, Complex8)
WEFT_ATOMIC_SWAP(cmplx10, Complex10)
WEFT_ATOMIC_MIXED(cmplx4, Complex4, cmplx8, Complex8)
WEFT_ATOMIC_EXCHANGE_IF_EQUAL(1, std::int8_t)
WEFT_ATOMIC_EXCHANGE_IF_EQUAL(2, std::int16_t)
WEFT_ATOMIC_EXCHANGE_IF_EQUAL(4, std::int32_t)
WEFT_ATOMIC_EXCHANGE_IF_EQUAL(8, std::int64_t)
WEFT_ATOMIC_BYTES(1)
WEFT_ATOMIC_BYTES(2)
WEFT_ATOMIC_BYTES(4)
WEFT_ATOMIC_BYTES(8)
WEFT_ATOMIC_BYTES(10)
WEFT_ATOMIC_BYTES(16)
WEFT_ATOMIC_BYTES(20)
WEFT_ATOMIC_BYTES(32)

WEFT_ENTRY void __kmpc_atomic_cmplx4_swp(Ident*, std::int32_t, Complex4* x, Complex4 b,
                                         Complex4* out) {
  *out = change(x, [b](Complex4) { return b; }).before;
}
