// halfwire-cli: train, run, inspect and render graphs from a terminal.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/commands/commands.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/workspace/json.h"
#include "engine/io/file/mapped_file.h"

namespace {

int no_such_command(const std::string& name) {
  return hw::cli::report(hw::Error{hw::codes::bad_usage, name, "there is no such command.",
                                   "See halfwire-cli --help for those there are."});
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace hw;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error with a reason, not the end of the process

  std::string exits = "Exit codes:";
  for (const cli::ExitMeaning& row : cli::kExits)
    exits += "\n  " + std::to_string(row.exit) + "  " + std::string(row.meaning);
  CLI::App app("Halfwire: typed wires, honest numbers.", "halfwire-cli");
  app.footer(exits);
  app.require_subcommand(1);
  app.set_version_flag("--version", HALFWIRE_VERSION);
  cli::Action chosen;
  for (cli::AddCommand* add : cli::kCommands) add(app, chosen);
  try {
    // "help" and "help COMMAND", as git has them.
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (!words.empty() && words.front() == "help") {
      words.erase(words.begin());
      const auto is_named = [&](const CLI::App* command) { return command->get_name() == words.front(); };
      if (!words.empty() && app.get_subcommands(is_named).empty()) return no_such_command(words.front());
      words.emplace_back("--help");
    }
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    app.parse(words);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    const std::vector<std::string> rest = app.remaining();
    if (app.get_subcommands().empty() && !rest.empty() && !rest.front().starts_with("-"))
      return no_such_command(rest.front());
    const std::string command = app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name() + " ";
    return cli::report(
        Error{codes::bad_usage, "", std::string(e.what()) + ".", "See halfwire-cli " + command + "--help."});
  }
  int exit = chosen();
  // What was computed from bytes that a file lost meanwhile is wrong, whatever was printed.
  if (const Status sound = check_all_mapped(); !sound && exit == cli::kDone) exit = cli::report(sound.error());
  const CLI::Option* json = app.get_subcommands().front()->get_option_no_throw("--json");
  if (json && json->count() > 0 && exit != cli::kDone && !cli::has_printed_json() && !cli::last_reported().code.empty())
    cli::print_json({{"error", workspace::to_json(cli::last_reported())}});
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit;
  const int failed = cli::report(Error{codes::file_unwritable, "standard output", "not everything could be printed.",
                                       "Free some space where it goes."});
  return exit == cli::kDone ? failed : exit;
} catch (const std::bad_alloc&) {
  // Words that need no memory: there may be none.
  std::fputs("HW-R001: there is not enough memory. Close other programs, or use a smaller graph.\n", stderr);
  return hw::cli::kGraphErrors;
} catch (const std::exception& e) {
  return hw::cli::report(hw::Error{hw::codes::unsupported, "", std::string(e.what()) + ".", "Report it."});
}
