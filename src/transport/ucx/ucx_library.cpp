// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/ucx/ucx_library.hpp"

#include <pthread.h>
#include <sys/statvfs.h>
#include <ucs/config/global_opts.h>
#include <uct/api/uct.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/linking/own_calls.hpp"
#include "base/threads/own_signals.hpp"
#include "base/threads/own_thread.hpp"
#include "transport/ucx/interposed.hpp"

// Exported by libucs, but declared in a header that is not installed.
extern "C" void ucs_debug_disable_signals(void);

namespace weft {
namespace {

// UCX knows the settings of one transport by other names here than in the environment.
struct Setting {
  const char* name;
  std::string value;
  const char* environment;  // what the user would set instead
};

bool has_rdma_devices() {
  std::error_code error;
  return !std::filesystem::is_empty("/sys/class/infiniband", error) && !error;
}

void set_process_wide_options(UcxNetwork network) {
  if (std::getenv("UCX_HANDLE_ERRORS") == nullptr) ucs_debug_disable_signals();
  // UCX logs to standard output unless told otherwise, which is the program's; what fails is
  // reported through status codes, so that only errors are worth a line.
  if (std::getenv("UCX_LOG_LEVEL") == nullptr)
    ucs_global_opts.log_component.log_level = UCS_LOG_LEVEL_FATAL;
  // UCX's modules for RDMA bring libraries that programs, and Open MPI, use as well (libibverbs,
  // libnl). Loaded here they would be the node's own, where the program needs them to be shared.
  const bool may_use_rdma = network == UcxNetwork::kAutomatic && has_rdma_devices();
  if (!may_use_rdma && std::getenv("UCX_MODULES") == nullptr)
    ucs_global_opts_set_value("MODULES", "^ib,rdmacm");
}

// UCX's modules, which it would load by itself when it starts: their calls have to be bound first.
void load_modules() {
  uct_component_h* components = nullptr;
  unsigned count = 0;
  if (uct_query_components(&components, &count) != UCS_OK) return;  // the start will say why
  uct_release_component_list(components);
  bind_own_calls();
}

std::string transports_of(UcxNetwork network) {
  switch (network) {
    case UcxNetwork::kSharedMemory:
      return "posix,self";
    case UcxNetwork::kTcp:
      return "tcp,self";
    case UcxNetwork::kAutomatic:
      break;
  }
  // System V segments and reading another process's memory are left out everywhere: the first
  // outlive a killed process, the second needs a permission that containers withhold.
  return "^sysv,cma";
}

// How often UCX looks whether its peers are there; of a limit that is short, in each second.
std::string looking_interval(std::chrono::seconds silence_limit) {
  if (silence_limit.count() == 0) return "inf";
  return fmt::format("{}s", std::max<std::int64_t>(1, silence_limit.count() / 2));
}

std::vector<Setting> settings_of(const UcxLibraryOptions& options) {
  std::vector<Setting> settings = {
      {"TLS", transports_of(options.network), "UCX_TLS"},
      {"RNDV_THRESH", "inf", "UCX_RNDV_THRESH"},
      {"MAX_EAGER_LANES", "1", "UCX_MAX_EAGER_LANES"},  // several would reorder frames
      {"KEEPALIVE_INTERVAL", looking_interval(options.silence_limit), "UCX_KEEPALIVE_INTERVAL"},
      {"MM_ERROR_HANDLING", "y", "UCX_POSIX_ERROR_HANDLING"},
      // A sender that finds the queue full cannot sleep: room for what several windows hold.
      {"MM_FIFO_SIZE", options.small ? "128" : "256", "UCX_POSIX_FIFO_SIZE"},
      // UCX fills all buffers at the start, to see that they fit: those of the queue, and some
      // more.
      {"MM_RX_BUFS_GROW", options.small ? "144" : "288", "UCX_POSIX_RX_BUFS_GROW"},
      // What is longer is cut, and put together again in a buffer: eight pages and their header.
      {"MM_SEG_SIZE", options.small ? "8448" : "33280", "UCX_POSIX_SEG_SIZE"},
      {"TX_SEG_SIZE", "64K", "UCX_TCP_TX_SEG_SIZE"},
      {"WARN_INVALID_CONFIG", "n", "UCX_WARN_INVALID_CONFIG"},
  };
  if (options.by_version_six) settings.push_back({"AF_PRIO", "inet6,inet", "UCX_TCP_AF_PRIO"});
  if (!options.net_devices.empty()) {
    settings.push_back({"NET_DEVICES", options.net_devices, "UCX_NET_DEVICES"});
  }
  return settings;
}

std::string describe(const char* what, ucs_status_t status) {
  return fmt::format("UCX cannot {}: {}", what, ucs_status_string(status));
}

// UCX looks at the room there, though Weft gives it memory elsewhere (interposed.cpp).
std::string remark_on_room() {
  struct statvfs system = {};
  const bool is_full =
      statvfs("/dev/shm", &system) == 0 && system.f_blocks != 0 && system.f_bavail == 0;
  return is_full ? "; /dev/shm has no room" : "";
}

// UCX aborts the process if it cannot have the thread that it starts. Nobody can keep a place for
// it, but a limit of processes that is exhausted is found.
std::string why_no_thread() {
  pthread_t thread;
  const auto nothing = [](void*) -> void* { return nullptr; };
  const int error = pthread_create(&thread, nullptr, nothing, nullptr);
  if (error != 0) return "UCX " + refused_thread(error);
  pthread_join(thread, nullptr);
  return {};
}

std::string modify(ucp_config_t* config, const UcxLibraryOptions& options) {
  for (const auto& [name, value, environment] : settings_of(options)) {
    if (std::getenv(environment) != nullptr) continue;
    const ucs_status_t status = ucp_config_modify(config, name, value.c_str());
    if (status != UCS_OK) {
      return describe(fmt::format("set {} to {}", name, value).c_str(), status);
    }
  }
  return {};
}

// UCX starts a thread. Signals of the program must not be handled there: its handlers may touch
// shared memory, which only its own threads do. Faults cannot be blocked, and are not to be.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    const sigset_t blocked = signals_of_program();
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Result<std::unique_ptr<UcxLibrary>> UcxLibrary::create(const UcxLibraryOptions& options) {
  std::unique_ptr<UcxLibrary> library(new UcxLibrary);
  const SignalsBlocked blocked;
  std::string error = why_no_thread();
  if (error.empty()) error = library->open(options);
  if (!error.empty()) return Failure{std::move(error)};
  return library;
}

std::string UcxLibrary::open(const UcxLibraryOptions& options) {
  if (!ucx_is_interposed()) return "UCX was loaded before Weft could turn its memory hooks off";
  set_process_wide_options(options.network);
  load_modules();
  ucp_config_t* config = nullptr;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return describe("read its configuration", status);
  std::string error = modify(config, options);

  ucp_params_t parameters = {};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  parameters.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  if (error.empty()) {
    status = ucp_init(&parameters, config, &context_);
    if (status != UCS_OK) error = describe("start", status);
  }
  ucp_config_release(config);
  if (!error.empty()) return error;

  ucp_worker_params_t worker = {};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_EVENTS;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  worker.events = UCP_WAKEUP_RX | UCP_WAKEUP_TX;
  status = ucp_worker_create(context_, &worker, &worker_);
  if (status != UCS_OK) return describe("make a worker", status) + remark_on_room();
  status = ucp_worker_get_efd(worker_, &event_descriptor_);
  if (status != UCS_OK) return describe("wait for events on these networks", status);
  return {};
}

UcxLibrary::~UcxLibrary() {
  if (worker_ != nullptr) ucp_worker_destroy(worker_);
  if (context_ != nullptr) ucp_cleanup(context_);
}

}  // namespace weft
