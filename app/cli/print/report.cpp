#include "app/cli/print/report.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/print/printable_text.h"
#include "app/cli/print/stop_signal.h"
#include "app/workspace/device_choice.h"

namespace hw::cli {

namespace {

/// The first row whose beginning a code has counts.
struct CodeExit {
  std::string_view begins;
  Exit exit;
};
constexpr std::array kCodeExits{
    CodeExit{codes::asset_lacks, kGraphErrors},  // the file was read; the graph wants another
    CodeExit{"HW-A", kFile},
    CodeExit{"HW-F", kFile},
    CodeExit{"HW-C", kBadUsage},
    CodeExit{codes::bad_camera, kBadUsage},
    CodeExit{codes::picture_size, kBadUsage},
    CodeExit{"HW-", kGraphErrors},
};

Error last;

/// Whether an option or argument is wrong. What the machine lacks (HW-R…) is not its fault.
bool is_usage_error(const Error& error) {
  return (error.where.starts_with("--") || error.where.starts_with("<")) && !error.code.starts_with("HW-R");
}

}  // namespace

int exit_code(const Error& error) {
  if (error.code == codes::cancelled && StopOnSignal::signal() != 0) return exit_of_signal(StopOnSignal::signal());
  if (is_usage_error(error)) return kBadUsage;
  const auto fits = [&](const CodeExit& row) { return error.code.starts_with(row.begins); };
  const auto row = std::find_if(kCodeExits.begin(), kCodeExits.end(), fits);
  return row == kCodeExits.end() ? kGraphErrors : row->exit;
}

int report(const Error& error) {
  if (error.code.empty()) return kGraphErrors;
  last = error;
  // Nodes that are added where there is no loss are none of the graph's.
  if (error.where.starts_with("stand_in_")) last.where = "the stand-in loss";
  std::fprintf(stderr, "%s\n", printable_text(last.text()).c_str());
  return exit_code(error);
}

const Error& last_reported() {
  return last;
}

void report(const Diagnostic& diagnostic) {
  std::string text = to_string(workspace::explained(diagnostic));
  for (size_t i = 0; i < diagnostic.remedies.size(); ++i)
    text += (i ? " or: " : " Remedy: ") + diagnostic.remedies[i].label;
  if (diagnostic.severity == Severity::error)
    last = {diagnostic.code, diagnostic.node + (diagnostic.socket.empty() ? "" : "." + diagnostic.socket),
            diagnostic.reason, diagnostic.remedies.empty() ? "" : diagnostic.remedies.front().label};
  std::fprintf(stderr, "%s%s\n",
               diagnostic.severity == Severity::error     ? ""
               : diagnostic.severity == Severity::warning ? "warning: "
                                                          : "hint: ",
               printable_text(text).c_str());
}

}  // namespace hw::cli
