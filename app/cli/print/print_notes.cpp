#include "app/cli/print/print_notes.h"

#include <cstdio>

#include "app/cli/print/printable_text.h"

namespace hw::cli {

void print_notes(const Notes& notes) {
  for (const Note& note : notes) {
    if (note.diagnostic)
      report(*note.diagnostic);
    else
      std::fprintf(stderr, "%s: %s\n", note.kind == Note::Kind::warning ? "warning" : "note",
                   printable_text(note.text).c_str());
  }
}

}  // namespace hw::cli
