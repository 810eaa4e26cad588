// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `weft` command.
#include <CLI/CLI.hpp>

#include "weft/run.hpp"
#include "weft/run_options.hpp"

namespace {

constexpr int kUsage = 2;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Weft runs OpenMP programs on several nodes.", "weft");
  app.set_version_flag("--version", "weft " WEFT_VERSION);
  app.require_subcommand(1);
  weft::RunOptions run_options;
  const CLI::App* const run = weft::add_run_command(app, run_options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (run->parsed()) return weft::run_job(run_options);
  return kUsage;
}
