// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/launchers/pmi_link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "weft/launchers/pmi_wire.hpp"

namespace weft {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

// What a value may have at most if the launcher does not say. By PMI-2 it is 1024, with its end.
constexpr std::size_t kValueBytes = 1000;
constexpr std::size_t kLeastValueBytes = 32;

std::optional<unsigned> number_in(const std::string& text) {
  unsigned value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<unsigned> number_from_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : number_in(text);
}

std::string field(const PmiFields& fields, const char* name) {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

// Where one task stands.
struct Place {
  int socket = -1;
  unsigned rank = 0, size = 0;
};

// Both versions; what differs between them is below.
class PmiLink : public LauncherLink {
 public:
  explicit PmiLink(Place place) : place_(place) {}
  ~PmiLink() override { close(place_.socket); }
  PmiLink(const PmiLink&) = delete;
  PmiLink& operator=(const PmiLink&) = delete;

  [[nodiscard]] virtual Status begin() = 0;

  [[nodiscard]] unsigned rank() const override { return place_.rank; }
  [[nodiscard]] unsigned size() const override { return place_.size; }
  [[nodiscard]] int descriptor() const override { return place_.socket; }

  Result<std::vector<Bytes>> exchange(const Bytes& mine) override {
    const unsigned round = round_++;
    const std::vector<std::string> values = as_values(mine, value_bytes_);
    for (std::size_t part = 0; part < values.size(); ++part) {
      const Status put = this->put(key(round, place_.rank, part), values[part]);
      if (!put) return Failure{put.error()};
    }
    if (const Status met = meet(); !met) return Failure{met.error()};
    std::vector<Bytes> all;
    for (unsigned rank = 0; rank < place_.size; ++rank) {
      auto theirs = bytes_of(round, rank);
      if (!theirs) return Failure{theirs.error()};
      all.push_back(std::move(theirs.value()));
    }
    return all;
  }

 protected:
  [[nodiscard]] virtual Status put(const std::string& key, const std::string& value) = 0;
  // All tasks have come, and what they have put can be got.
  [[nodiscard]] virtual Status meet() = 0;
  [[nodiscard]] virtual Result<std::string> get(const std::string& key) = 0;

  void speak(PmiVersion version) {
    version_ = version;
    reader_.speak(version);
  }

  void tell(const Fields& fields) const {
    const std::string message = pmi_message(version_, fields);
    std::string_view rest = message;
    while (!rest.empty()) {
      const ssize_t sent = send(place_.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return;  // the answer will be missed
      if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // The launcher's answer, which must be of that name and say no fault.
  Result<PmiFields> ask(const Fields& fields, const std::string& answer) {
    tell(fields);
    std::optional<PmiFields> message;
    while (!(message = reader_.next())) {
      if (!reader_.good() || !receive()) {
        return Failure{"the launcher's PMI connection has ended, or says nothing that is known"};
      }
    }
    const std::string result = field(*message, "rc");
    if (field(*message, "cmd") != answer || (!result.empty() && result != "0")) {
      return Failure{fmt::format("the launcher answers PMI's {} with {}, rc={} {}",
                                 fields.front().second, field(*message, "cmd"), result,
                                 field(*message, "errmsg"))};
    }
    return std::move(*message);
  }

  std::size_t value_bytes_ = kValueBytes;

 private:
  static std::string key(unsigned round, unsigned rank, std::size_t part) {
    return fmt::format("weft-{}-{}-{}", round, rank, part);
  }

  bool receive() {
    char buffer[4096];
    ssize_t received = 0;
    do {
      received = recv(place_.socket, buffer, sizeof buffer, 0);
    } while (received < 0 && errno == EINTR);
    if (received > 0) reader_.append({buffer, static_cast<std::size_t>(received)});
    return received > 0;
  }

  Result<Bytes> bytes_of(unsigned round, unsigned rank) {
    std::vector<std::string> values;
    std::size_t count = 1;
    while (values.size() < count) {
      auto value = get(key(round, rank, values.size()));
      if (!value) return Failure{value.error()};
      values.push_back(std::move(value.value()));
      if (values.size() == 1) count = count_of_values(values.front()).value_or(0);
    }
    auto bytes = from_values(values);
    if (!bytes) return Failure{fmt::format("task {} says what no task of Weft says", rank)};
    return std::move(*bytes);
  }

  Place place_;
  PmiVersion version_ = PmiVersion::k1;
  PmiReader reader_;
  unsigned round_ = 0;
};

class Pmi1Link final : public PmiLink {
 public:
  using PmiLink::PmiLink;

  [[nodiscard]] const char* protocol() const override { return "PMI-1"; }

  Status begin() override {
    auto answer =
        ask({{"cmd", "init"}, {"pmi_version", "1"}, {"pmi_subversion", "1"}}, "response_to_init");
    if (!answer) return Failure{answer.error()};
    answer = ask({{"cmd", "get_maxes"}}, "maxes");
    if (!answer) return Failure{answer.error()};
    const unsigned most = number_in(field(answer.value(), "vallen_max")).value_or(0);
    if (most <= kLeastValueBytes) return Failure{"the launcher's PMI takes no values"};
    value_bytes_ = std::min<std::size_t>(most - 1, kValueBytes);
    answer = ask({{"cmd", "get_my_kvsname"}}, "my_kvsname");
    if (!answer) return Failure{answer.error()};
    space_ = field(answer.value(), "kvsname");
    return {};
  }

  void abort(int status, const std::string& /*sentence*/) override {
    tell({{"cmd", "abort"}, {"exitcode", std::to_string(status)}});
  }

  void leave() override { (void)ask({{"cmd", "finalize"}}, "finalize_ack"); }

 private:
  Status put(const std::string& key, const std::string& value) override {
    const auto answer =
        ask({{"cmd", "put"}, {"kvsname", space_}, {"key", key}, {"value", value}}, "put_result");
    return answer ? Status() : Status(Failure{answer.error()});
  }

  Status meet() override {
    const auto answer = ask({{"cmd", "barrier_in"}}, "barrier_out");
    return answer ? Status() : Status(Failure{answer.error()});
  }

  Result<std::string> get(const std::string& key) override {
    const auto answer = ask({{"cmd", "get"}, {"kvsname", space_}, {"key", key}}, "get_result");
    if (!answer) return Failure{answer.error()};
    return field(answer.value(), "value");
  }

  std::string space_;  // the launcher's name for this job's values
};

class Pmi2Link final : public PmiLink {
 public:
  using PmiLink::PmiLink;

  [[nodiscard]] const char* protocol() const override { return "PMI-2"; }

  Status begin() override {
    auto answer =
        ask({{"cmd", "init"}, {"pmi_version", "2"}, {"pmi_subversion", "0"}}, "response_to_init");
    if (!answer) return Failure{answer.error()};
    speak(PmiVersion::k2);
    const char* const job = std::getenv("PMI_JOBID");
    job_ = job == nullptr ? "" : job;
    answer = ask({{"cmd", "fullinit"},
                  {"pmijobid", job_},
                  {"pmirank", std::to_string(rank())},
                  {"threaded", "FALSE"}},
                 "fullinit-response");
    return answer ? Status() : Status(Failure{answer.error()});
  }

  void abort(int /*status*/, const std::string& sentence) override {
    std::string message = sentence;  // Slurm looks for fields behind each semicolon
    std::ranges::replace(message, ';', ',');
    tell({{"cmd", "abort"}, {"isworld", "TRUE"}, {"msg", message}});
  }

  void leave() override { (void)ask({{"cmd", "finalize"}}, "finalize-response"); }

 private:
  Status put(const std::string& key, const std::string& value) override {
    const auto answer =
        ask({{"cmd", "kvs-put"}, {"key", key}, {"value", value}}, "kvs-put-response");
    return answer ? Status() : Status(Failure{answer.error()});
  }

  Status meet() override {
    const auto answer = ask({{"cmd", "kvs-fence"}}, "kvs-fence-response");
    return answer ? Status() : Status(Failure{answer.error()});
  }

  Result<std::string> get(const std::string& key) override {
    const auto answer = ask({{"cmd", "kvs-get"}, {"jobid", job_}, {"srcid", "-1"}, {"key", key}},
                            "kvs-get-response");
    if (!answer) return Failure{answer.error()};
    return field(answer.value(), "value");
  }

  std::string job_;
};

// What the launcher has left in the environment.
Result<Place> own_place() {
  const auto socket = number_from_environment("PMI_FD");
  const auto rank = number_from_environment("PMI_RANK");
  const auto size = number_from_environment("PMI_SIZE");
  if (!socket || !rank || !size || *rank >= *size) {
    return Failure{"PMI_FD, PMI_RANK and PMI_SIZE do not make sense together"};
  }
  const int descriptor = static_cast<int>(*socket);
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
    return Failure{
        fmt::format("the launcher's PMI_FD={} is not open: {}", descriptor, std::strerror(errno))};
  }
  return Place{.socket = descriptor, .rank = *rank, .size = *size};
}

template <typename Link>
Result<std::unique_ptr<LauncherLink>> connect_as() {
  const Result<Place> place = own_place();
  if (!place) return Failure{place.error()};
  auto link = std::make_unique<Link>(place.value());
  if (const Status begun = link->begin(); !begun) return Failure{begun.error()};
  return std::unique_ptr<LauncherLink>(std::move(link));
}

}  // namespace

Result<std::unique_ptr<LauncherLink>> connect_by_pmi1() { return connect_as<Pmi1Link>(); }
Result<std::unique_ptr<LauncherLink>> connect_by_pmi2() { return connect_as<Pmi2Link>(); }

}  // namespace weft
