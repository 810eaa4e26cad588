// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `weft` command.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>

#include "weft/agent/agent.hpp"
#include "weft/doctor/doctor.hpp"
#include "weft/doctor/host_doctor.hpp"
#include "weft/jobs/jobs_commands.hpp"
#include "weft/run/run.hpp"
#include "weft/run/run_options.hpp"
#include "weft/task/task.hpp"
#include "weft/top/top.hpp"

namespace {

constexpr int kUsage = 2;

// A closed standard stream would let the next descriptor that is opened take its number.
void open_missing_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) (void)!open("/dev/null", O_RDWR);
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_missing_streams();
  // From src/start/start.cpp alone, and of the Python package; what follows is the program's.
  if (argc >= 4 && std::string_view(argv[1]) == "task") {
    const bool joins_itself = argc >= 5 && std::string_view(argv[2]) == "--binding";
    char** const program = argv + (joins_itself ? 3 : 2);
    return weft::run_task(
        {.file = program[0], .arguments = program + 1, .joins_itself = joins_itself}, WEFT_VERSION);
  }
  CLI::App app("Weft runs OpenMP programs on several nodes.", "weft");
  app.set_version_flag("--version", "weft " WEFT_VERSION);
  app.require_subcommand(1);
  weft::RunOptions run_options;
  const CLI::App* const run = weft::add_run_command(app, run_options);
  weft::JobsOptions jobs_options;
  const weft::JobsCommands jobs = weft::add_jobs_commands(app, jobs_options);
  weft::TopOptions top_options;
  const CLI::App* const top = weft::add_top_command(app, top_options);
  weft::RunOptions doctor_options;
  bool doctor_json = false;
  CLI::App* const doctor = app.add_subcommand("doctor", "Say what this host allows, or several");
  weft::add_host_options(*doctor, doctor_options);
  doctor->add_flag("--json", doctor_json, "Say it as JSON");
  std::string agent_stage;
  CLI::App* const agent =
      app.add_subcommand("agent", "Start nodes for `weft run` on another host")->group("");
  agent->add_option("--stage", agent_stage);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (run->parsed()) return weft::run_job(run_options, WEFT_VERSION);
  if (jobs.list->parsed()) return weft::list_jobs(jobs_options, WEFT_VERSION);
  if (jobs.show->parsed()) return weft::show_job(jobs_options, WEFT_VERSION);
  if (jobs.end->parsed()) return weft::kill_jobs(jobs_options, WEFT_VERSION);
  if (top->parsed()) return weft::watch_job(top_options, WEFT_VERSION);
  if (agent->parsed()) return weft::serve_as_agent(WEFT_VERSION, agent_stage);
  if (doctor->parsed()) {
    if (doctor_json || weft::concerns_hosts(doctor_options)) {
      return weft::examine_hosts(doctor_options, doctor_json, WEFT_VERSION);
    }
    std::string report;
    const int status = weft::examine_host(report);
    std::fputs(report.c_str(), stdout);
    return status;
  }
  return kUsage;
}
