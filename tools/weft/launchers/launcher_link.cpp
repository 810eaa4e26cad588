// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/launchers/launcher_link.hpp"

#include <cstdlib>

#include "weft/launchers/pmi_link.hpp"
#include "weft/launchers/pmix_link.hpp"

namespace weft {
namespace {

bool says_one(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr && std::string(text) == "1";
}

// A launcher that was started by a single task of another one leaves both kinds of variables.
bool has_pmix_among_several() {
  if (std::getenv("PMIX_NAMESPACE") == nullptr) return false;
  const bool has_other = std::getenv("PMI_FD") != nullptr;
  const bool is_alone =
      std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && says_one("SLURM_STEP_NUM_TASKS");
  return !(has_other && is_alone);
}

}  // namespace

Result<std::unique_ptr<LauncherLink>> LauncherLink::connect() {
  if (has_pmix_among_several()) return connect_by_pmix();
  // Slurm names its job so; hydra speaks version 1 where nothing else was agreed.
  return std::getenv("PMI_JOBID") != nullptr ? connect_by_pmi2() : connect_by_pmi1();
}

bool tells_of_launcher(const std::string& variable) {
  return variable.starts_with("PMI_") || variable.starts_with("PMIX_") ||
         variable.starts_with("PMI2_") || variable == "SLURM_PROCID";
}

}  // namespace weft
