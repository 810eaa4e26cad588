// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/plain_atomics.hpp"

namespace weft {
namespace {

// --- computing ---

template <class Unsigned, class Signed>
Unsigned apply(Unsigned a, Unsigned b, uint32_t operation) {
  switch (operation) {
    case WEFT_ATOMIC_ADD:
      return static_cast<Unsigned>(a + b);
    case WEFT_ATOMIC_SUBTRACT:
      return static_cast<Unsigned>(a - b);
    case WEFT_ATOMIC_AND:
      return a & b;
    case WEFT_ATOMIC_NAND:
      return static_cast<Unsigned>(~(a & b));
    case WEFT_ATOMIC_OR:
      return a | b;
    case WEFT_ATOMIC_XOR:
      return a ^ b;
    case WEFT_ATOMIC_MAX:
      return static_cast<Signed>(a) > static_cast<Signed>(b) ? a : b;
    case WEFT_ATOMIC_MIN:
      return static_cast<Signed>(a) < static_cast<Signed>(b) ? a : b;
    case WEFT_ATOMIC_UNSIGNED_MAX:
      return a > b ? a : b;
    case WEFT_ATOMIC_UNSIGNED_MIN:
      return a < b ? a : b;
    case WEFT_ATOMIC_INCREMENT_WRAP:
      return a >= b ? Unsigned{0} : static_cast<Unsigned>(a + 1);
    case WEFT_ATOMIC_DECREMENT_WRAP:
      return a == 0 || a > b ? b : static_cast<Unsigned>(a - 1);
    case WEFT_ATOMIC_SUBTRACT_CONDITIONAL:
      return a >= b ? static_cast<Unsigned>(a - b) : a;
    case WEFT_ATOMIC_SUBTRACT_SATURATE:
      return a >= b ? static_cast<Unsigned>(a - b) : Unsigned{0};
    default:
      return b;  // store, exchange
  }
}

// IEEE maxNum and minNum, as LLVM's fmax and fmin: a number beats a NaN.
template <class T>
T apply_float(T a, T b, uint32_t operation) {
  switch (operation) {
    case WEFT_ATOMIC_FLOAT_ADD:
      return a + b;
    case WEFT_ATOMIC_FLOAT_SUBTRACT:
      return a - b;
    case WEFT_ATOMIC_FLOAT_MAX:
      return a != a || b > a ? b : a;
    case WEFT_ATOMIC_FLOAT_MIN:
      return a != a || b < a ? b : a;
    default:
      return b;
  }
}

template <class T>
T read(const void* p) {
  T value;
  memcpy(&value, p, sizeof value);
  return value;
}

template <class Unsigned, class Signed>
void compute_integer(const void* a, const void* b, void* after, uint32_t operation) {
  const Unsigned result = apply<Unsigned, Signed>(read<Unsigned>(a), read<Unsigned>(b), operation);
  memcpy(after, &result, sizeof result);
}

template <class T>
void compute_float(const void* a, const void* b, void* after, uint32_t operation) {
  const T result = apply_float<T>(read<T>(a), read<T>(b), operation);
  memcpy(after, &result, sizeof result);
}

// The upper half of a float. By hand: GCC's support library, which is what clang links with on
// Debian 12, has no conversion to it.
float bfloat_to_float(uint16_t half) {
  const uint32_t bits = static_cast<uint32_t>(half) << 16;
  return read<float>(&bits);
}

uint16_t float_to_bfloat(float value) {
  const uint32_t bits = read<uint32_t>(&value);
  if (value != value) return static_cast<uint16_t>((bits >> 16) | 0x40);     // a quiet NaN
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);  // to nearest, even
}

void compute_bfloat(const void* a, const void* b, void* after, uint32_t operation) {
  const float left = bfloat_to_float(read<uint16_t>(a));
  const float right = bfloat_to_float(read<uint16_t>(b));
  const uint16_t result = float_to_bfloat(apply_float(left, right, operation));
  memcpy(after, &result, sizeof result);
}

// --- one operation of the processor ---

template <class T>
bool exchange_if_equal(void* p, void* expected, const void* desired) {
  T wanted = read<T>(expected);
  T value = read<T>(desired);
  const bool done = __atomic_compare_exchange_n(static_cast<T*>(p), &wanted, value, false,
                                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (!done) memcpy(expected, &wanted, sizeof wanted);
  return done;
}

template <class T>
void copy_at_once(const void* p, void* out) {
  const T value = __atomic_load_n(static_cast<const T*>(p), __ATOMIC_SEQ_CST);
  memcpy(out, &value, sizeof value);
}

// --- what the processor cannot do at once ---

char locks[64];  // zero: free

class AddressLock {
 public:
  explicit AddressLock(const void* p)
      : lock_(&locks[(reinterpret_cast<uintptr_t>(p) >> 4) % sizeof locks]) {
    while (__atomic_test_and_set(lock_, __ATOMIC_ACQUIRE)) {
    }
  }
  ~AddressLock() { __atomic_clear(lock_, __ATOMIC_RELEASE); }
  AddressLock(const AddressLock&) = delete;
  AddressLock& operator=(const AddressLock&) = delete;

 private:
  char* lock_;
};

}  // namespace

void PlainAtomics::compute(const void* before, const void* operand, void* after, uint32_t size,
                           uint32_t operation, uint32_t type) {
  switch (type) {
    case WEFT_TYPE_HALF:
      return compute_float<_Float16>(before, operand, after, operation);
    case WEFT_TYPE_BFLOAT:
      return compute_bfloat(before, operand, after, operation);
    case WEFT_TYPE_FLOAT:
      return compute_float<float>(before, operand, after, operation);
    case WEFT_TYPE_DOUBLE:
      return compute_float<double>(before, operand, after, operation);
    case WEFT_TYPE_X87:
      return compute_float<long double>(before, operand, after, operation);
    case WEFT_TYPE_QUAD:
      return compute_float<__float128>(before, operand, after, operation);
    default:
      break;
  }
  switch (size) {
    case 1:
      return compute_integer<uint8_t, int8_t>(before, operand, after, operation);
    case 2:
      return compute_integer<uint16_t, int16_t>(before, operand, after, operation);
    case 4:
      return compute_integer<uint32_t, int32_t>(before, operand, after, operation);
    case 8:
      return compute_integer<uint64_t, int64_t>(before, operand, after, operation);
    default:
      return compute_integer<unsigned __int128, __int128>(before, operand, after, operation);
  }
}

bool PlainAtomics::compare_exchange(void* p, void* expected, const void* desired, uint32_t size) {
  if (weft_atomic_is_native(p, size)) {
    switch (size) {
      case 1:
        return exchange_if_equal<uint8_t>(p, expected, desired);
      case 2:
        return exchange_if_equal<uint16_t>(p, expected, desired);
      case 4:
        return exchange_if_equal<uint32_t>(p, expected, desired);
      case 8:
        return exchange_if_equal<uint64_t>(p, expected, desired);
      default:
        return exchange_if_equal<unsigned __int128>(p, expected, desired);
    }
  }
  AddressLock lock(p);
  const bool equal = memcmp(p, expected, size) == 0;
  memcpy(equal ? p : expected, equal ? desired : p, size);
  return equal;
}

void PlainAtomics::load(const void* p, void* out, uint32_t size) {
  if (weft_atomic_is_native(p, size)) {
    switch (size) {
      case 1:
        return copy_at_once<uint8_t>(p, out);
      case 2:
        return copy_at_once<uint16_t>(p, out);
      case 4:
        return copy_at_once<uint32_t>(p, out);
      case 8:
        return copy_at_once<uint64_t>(p, out);
      default:
        return copy_at_once<unsigned __int128>(p, out);
    }
  }
  AddressLock lock(p);
  memcpy(out, p, size);
}

void PlainAtomics::update(void* p, const void* operand, void* old_out, uint32_t size,
                          uint32_t operation, uint32_t type) {
  if (!weft_atomic_is_native(p, size)) {  // a store or an exchange
    AddressLock lock(p);
    if (old_out != nullptr) memcpy(old_out, p, size);
    memcpy(p, operand, size);
    return;
  }
  alignas(16) char before[16];
  alignas(16) char after[16];
  load(p, before, size);
  do {
    compute(before, operand, after, size, operation, type);
  } while (!compare_exchange(p, before, after, size));
  if (old_out != nullptr) memcpy(old_out, before, size);
}

}  // namespace weft
