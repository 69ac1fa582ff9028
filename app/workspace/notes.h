// What a call says to its user besides its result: it prints nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/graph/check/diagnostic.h"

namespace hw::workspace {

struct Note {
  enum class Kind { note, warning, diagnostic };
  Kind kind = Kind::note;
  std::string text;                      // without "note: "; of a diagnostic: to_string of explained (device_choice.h)
  std::optional<Diagnostic> diagnostic;  // of the kind diagnostic alone
};

/// In the order in which they came up. A call appends to what is there, also where it fails.
using Notes = std::vector<Note>;

void add_note(Notes& notes, std::string text);
void add_warning(Notes& notes, std::string text);
/// A diagnostic of any severity.
void add_diagnostic(Notes& notes, Diagnostic diagnostic);

/// The error of a call that a diagnostic stops: at "node.socket", explained, with the first remedy's label.
Error error_of(const Diagnostic& diagnostic);
/// Whether `error` is error_of one of the diagnostics among `notes`, so that it says nothing new.
bool is_among(const Notes& notes, const Error& error);

}  // namespace hw::workspace
