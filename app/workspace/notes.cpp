#include "app/workspace/notes.h"

#include <algorithm>

#include "app/workspace/device_choice.h"

namespace hw::workspace {

void add_note(Notes& notes, std::string text) {
  notes.push_back({Note::Kind::note, std::move(text), {}});
}

void add_warning(Notes& notes, std::string text) {
  notes.push_back({Note::Kind::warning, std::move(text), {}});
}

void add_diagnostic(Notes& notes, Diagnostic diagnostic) {
  std::string text = to_string(explained(diagnostic));
  notes.push_back({Note::Kind::diagnostic, std::move(text), std::move(diagnostic)});
}

Error error_of(const Diagnostic& d) {
  return {d.code, d.node + (d.socket.empty() ? "" : "." + d.socket), explained(d).reason,
          d.remedies.empty() ? "" : d.remedies.front().label};
}

bool is_among(const Notes& notes, const Error& error) {
  return std::ranges::any_of(notes, [&](const Note& note) {
    if (!note.diagnostic || note.diagnostic->severity != Severity::error) return false;
    const Error its = error_of(*note.diagnostic);
    return std::tie(its.code, its.where, its.reason) == std::tie(error.code, error.where, error.reason);
  });
}

}  // namespace hw::workspace
