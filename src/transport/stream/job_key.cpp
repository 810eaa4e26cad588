// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/stream/job_key.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace weft {

Result<Digest> random_digest() {
  Digest digest;
  const ssize_t got = getrandom(digest.data(), digest.size(), 0);
  if (got == static_cast<ssize_t>(digest.size())) return digest;
  return Failure{fmt::format("the kernel gives no random bytes: {}", std::strerror(errno))};
}

Digest derive(const JobKey& key, std::string_view purpose, NodeId from, NodeId to, ByteView more) {
  Bytes input;
  ByteWriter writer(input);
  writer.string(std::as_bytes(std::span(purpose)));
  writer.u64(from.value());
  writer.u64(to.value());
  writer.raw(more);
  writer.u8(1);  // the first block of HKDF-Expand, and here the only one
  Digest digest;
  unsigned bytes = 0;
  const unsigned char* const made =
      HMAC(EVP_sha256(), key.bytes.data(), static_cast<int>(key.bytes.size()),
           reinterpret_cast<const unsigned char*>(input.data()), input.size(),
           reinterpret_cast<unsigned char*>(digest.data()), &bytes);
  WEFT_ASSERT(made != nullptr && bytes == digest.size(), "HMAC-SHA256 gave {} bytes", bytes);
  return digest;
}

bool equal_secretly(ByteView one, ByteView other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace weft
