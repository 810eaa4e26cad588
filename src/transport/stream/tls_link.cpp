// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TLS 1.3 with an external pre-shared key (RFC 8446, 4.2.11) and a fresh Diffie-Hellman exchange:
// whoever learns the job's key later cannot read what was recorded. There are no certificates: a
// called node has none to show, and a caller takes none.
//
// OpenSSL reads from and writes to memory alone, by a BIO that knows the link. It has a library
// context of its own and reads no configuration file.
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "base/assert.hpp"
#include "transport/stream/secure_link.hpp"

namespace weft {
namespace {

constexpr std::size_t kRecordBytes = 16384;
constexpr unsigned char kUse[] = "weft";
constexpr unsigned char kCipher[2] = {0x13, 0x01};  // TLS_AES_128_GCM_SHA256

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Ssl = std::unique_ptr<SSL, Freed<SSL_free>>;
using SslContext = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using LibraryContext = std::unique_ptr<OSSL_LIB_CTX, Freed<OSSL_LIB_CTX_free>>;
using BioMethod = std::unique_ptr<BIO_METHOD, Freed<BIO_meth_free>>;

class TlsLinks;

class TlsLink final : public SecureLink {
 public:
  TlsLink(TlsLinks& maker, bool is_caller, NodeId peer);

  void receive(ByteView network, StreamFrameDecoder& decoder) override {
    incoming_ = network;
    if (state_ == State::kProving) prove();
    while (state_ == State::kOpen) {
      const std::span<std::byte> room = decoder.room(kRecordBytes);
      ERR_clear_error();
      const int got = SSL_read(ssl_.get(), room.data(), static_cast<int>(room.size()));
      if (got > 0) {
        decoder.filled(static_cast<std::size_t>(got));
        continue;
      }
      if (SSL_get_error(ssl_.get(), got) != SSL_ERROR_WANT_READ) state_ = State::kFailed;
      return;
    }
  }

  void send(Bytes& frames) override;

  // What OpenSSL reads and writes.
  int take(char* to, int bytes) {
    const std::size_t here = std::min(incoming_.size(), static_cast<std::size_t>(bytes));
    if (here == 0) return 0;
    std::memcpy(to, incoming_.data(), here);
    incoming_ = incoming_.subspan(here);
    return static_cast<int>(here);
  }
  int put(const char* from, int bytes) {
    const auto* const first = reinterpret_cast<const std::byte*>(from);
    outgoing_.insert(outgoing_.end(), first, first + bytes);
    return bytes;
  }

  [[nodiscard]] SSL_SESSION* session_of(NodeId from, NodeId to) const;
  // "weft JOB FROM TO", which names the key to the called node.
  [[nodiscard]] const std::string& identity() const { return identity_; }
  // Takes the key that the caller names; null if that is for others.
  [[nodiscard]] SSL_SESSION* find_session(std::string_view identity);
  [[nodiscard]] SSL_SESSION* own_session() const;

 private:
  void prove() {
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl_.get());
    if (done == 1) {
      // Only who knows the key comes so far by it; a certificate would be another way.
      state_ = SSL_session_reused(ssl_.get()) == 1 ? State::kOpen : State::kFailed;
    } else if (SSL_get_error(ssl_.get(), done) != SSL_ERROR_WANT_READ) {
      state_ = State::kFailed;
    }
  }

  TlsLinks& maker_;
  std::string identity_;
  Ssl ssl_;
  ByteView incoming_;
  std::uint64_t records_ = 0;  // since the key was changed
};

std::string name_of_job(const JobKey& key) {
  const Digest name = derive(key, "name", NodeId(0), NodeId(0));
  std::string text;
  for (std::size_t each = 0; each < 8; ++each) {
    text += fmt::format("{:02x}", static_cast<unsigned>(name[each]));
  }
  return text;
}

class TlsLinks final : public LinkMaker {
 public:
  TlsLinks(NodeId self, const JobKey& key, std::uint64_t records_of_a_key);

  std::unique_ptr<SecureLink> call(NodeId peer) override {
    return std::make_unique<TlsLink>(*this, true, peer);
  }
  std::unique_ptr<SecureLink> answer() override {
    return std::make_unique<TlsLink>(*this, false, NodeId());
  }

  NodeId self;
  JobKey key;
  std::string job;
  std::uint64_t records_of_a_key;
  BioMethod method;
  LibraryContext library;
  SslContext context;
};

TlsLink& link_of(SSL* ssl) { return *static_cast<TlsLink*>(SSL_get_app_data(ssl)); }
TlsLink& link_of(BIO* bio) { return *static_cast<TlsLink*>(BIO_get_data(bio)); }

int use_session(SSL* ssl, const EVP_MD* digest, const unsigned char** identity, std::size_t* bytes,
                SSL_SESSION** session) {
  *session = nullptr;
  const SSL_CIPHER* const cipher = SSL_CIPHER_find(ssl, kCipher);
  if (digest != nullptr && SSL_CIPHER_get_handshake_digest(cipher) != digest) return 1;
  const TlsLink& link = link_of(ssl);
  *session = link.own_session();
  *identity = reinterpret_cast<const unsigned char*>(link.identity().data());
  *bytes = link.identity().size();
  return *session != nullptr ? 1 : 0;
}

int find_session(SSL* ssl, const unsigned char* identity, std::size_t bytes,
                 SSL_SESSION** session) {
  *session =
      link_of(ssl).find_session(std::string_view(reinterpret_cast<const char*>(identity), bytes));
  return 1;  // without a session there is nothing that the two could agree on
}

BioMethod make_method() {
  BioMethod method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "weft"));
  BIO_meth_set_read(method.get(), [](BIO* bio, char* to, int bytes) {
    BIO_clear_retry_flags(bio);
    const int got = link_of(bio).take(to, bytes);
    if (got > 0) return got;
    BIO_set_retry_read(bio);
    return -1;
  });
  BIO_meth_set_write(method.get(), [](BIO* bio, const char* from, int bytes) {
    return link_of(bio).put(from, bytes);
  });
  BIO_meth_set_ctrl(method.get(), [](BIO*, int command, long, void*) -> long {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  });
  return method;
}

TlsLinks::TlsLinks(NodeId self_node, const JobKey& job_key, std::uint64_t records)
    : self(self_node),
      key(job_key),
      job(name_of_job(job_key)),
      records_of_a_key(records),
      method(make_method()),
      library(OSSL_LIB_CTX_new()),
      context(SSL_CTX_new_ex(library.get(), nullptr, TLS_method())) {
  WEFT_ASSERT(context != nullptr, "OpenSSL makes no context");
  SSL_CTX* const made = context.get();
  SSL_CTX_set_min_proto_version(made, TLS1_3_VERSION);
  const bool chosen = SSL_CTX_set_ciphersuites(made, "TLS_AES_128_GCM_SHA256") == 1 &&
                      SSL_CTX_set1_groups_list(made, "X25519") == 1;
  WEFT_ASSERT(chosen, "OpenSSL has no AES-GCM or no X25519");
  SSL_CTX_set_options(made, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(made, 0);
  SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_max_early_data(made, 0);
  SSL_CTX_set_verify(made, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_session_id_context(made, kUse, sizeof kUse);  // OpenSSL wants one with the former
  SSL_CTX_set_psk_use_session_callback(made, use_session);
  SSL_CTX_set_psk_find_session_callback(made, weft::find_session);
}

TlsLink::TlsLink(TlsLinks& maker, bool is_caller, NodeId peer)
    : maker_(maker), ssl_(SSL_new(maker.context.get())) {
  peer_ = peer;
  BIO* const bio = BIO_new(maker.method.get());
  WEFT_ASSERT(ssl_ != nullptr && bio != nullptr, "OpenSSL makes no connection");
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);  // owns it
  SSL_set_app_data(ssl_.get(), this);
  if (is_caller) {
    identity_ = fmt::format("weft {} {} {}", maker.job, maker.self.value(), peer.value());
    SSL_set_connect_state(ssl_.get());
    prove();
  } else {
    SSL_set_accept_state(ssl_.get());
  }
}

SSL_SESSION* TlsLink::session_of(NodeId from, NodeId to) const {
  const Digest secret = derive(maker_.key, "tls", from, to);
  SSL_SESSION* const session = SSL_SESSION_new();
  WEFT_ASSERT(session != nullptr, "OpenSSL makes no session");
  SSL_SESSION_set1_master_key(session, reinterpret_cast<const unsigned char*>(secret.data()),
                              secret.size());
  SSL_SESSION_set_cipher(session, SSL_CIPHER_find(ssl_.get(), kCipher));
  SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION);
  SSL_SESSION_set1_id_context(session, kUse, sizeof kUse);
  return session;
}

SSL_SESSION* TlsLink::own_session() const { return session_of(maker_.self, peer_); }

SSL_SESSION* TlsLink::find_session(std::string_view identity) {
  const std::string before = fmt::format("weft {} ", maker_.job);
  const std::string after = fmt::format(" {}", maker_.self.value());
  if (!identity.starts_with(before) || !identity.ends_with(after)) return nullptr;
  if (identity.size() <= before.size() + after.size()) return nullptr;
  identity = identity.substr(before.size(), identity.size() - before.size() - after.size());
  NodeId::representation from = 0;
  const char* const end = identity.data() + identity.size();
  const auto [stop, error] = std::from_chars(identity.data(), end, from);
  if (error != std::errc() || stop != end) return nullptr;
  peer_ = NodeId(from);
  return session_of(peer_, maker_.self);
}

void TlsLink::send(Bytes& frames) {
  if (frames.empty() || state_ != State::kOpen) return;
  records_ += (frames.size() + kRecordBytes - 1) / kRecordBytes;
  if (records_ > maker_.records_of_a_key) {
    // No more is protected by one key than it is good for (RFC 8446, 5.5).
    SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
    records_ = 0;
  }
  ERR_clear_error();
  const int bytes = static_cast<int>(frames.size());
  if (SSL_write(ssl_.get(), frames.data(), bytes) != bytes) state_ = State::kFailed;
}

}  // namespace

std::unique_ptr<LinkMaker> make_tls_links(NodeId self, const JobKey& key,
                                          std::uint64_t records_of_a_key) {
  // Whatever the program and its exit handlers do, this stays usable until the process is gone.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, nullptr);
  return std::make_unique<TlsLinks>(self, key, records_of_a_key);
}

}  // namespace weft
