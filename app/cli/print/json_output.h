// JSON on stdout, for commands with --json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hw::cli {

/// --json: stdout holds the result as JSON and nothing else; notes and errors go to stderr as always. Every command has
/// it. Where there is no result, stdout holds {"error": …}, what was reported last: see main.cpp.
CLI::Option* add_json(CLI::App& command, bool& json, const std::string& help = "The result as JSON on stdout");

/// On stdout, indented. Numbers that are not finite become null; bytes that are no UTF-8, as in names from files,
/// U+FFFD.
void print_json(const nlohmann::ordered_json& value);
/// Whether anything was.
bool has_printed_json();

}  // namespace hw::cli
