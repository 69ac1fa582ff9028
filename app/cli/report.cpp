#include "app/cli/report.h"

#include <cstdio>

#include "app/cli/device_choice.h"

namespace hw::cli {

int exit_code(const Error& error) {
  if (error.code.starts_with("HW-F")) return kFile;
  for (const char* code :
       {codes::asset_missing, codes::asset_unreadable, codes::asset_costly, codes::importer_missing}) {
    if (error.code == code) return kFile;
  }
  if (error.code.starts_with("HW-C") || error.code == codes::bad_camera || error.code == codes::picture_size)
    return kBadUsage;
  return kGraphErrors;
}

int report(const Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
  return exit_code(error);
}

void report(const Diagnostic& diagnostic) {
  std::string text = to_string(explained(diagnostic));
  for (size_t i = 0; i < diagnostic.remedies.size(); ++i)
    text += (i ? " or: " : " Remedy: ") + diagnostic.remedies[i].label;
  std::fprintf(stderr, "%s%s\n", diagnostic.severity == Severity::error ? "" : "warning: ", text.c_str());
}

}  // namespace hw::cli
