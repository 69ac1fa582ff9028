// What app/workspace tells beside its results, on stderr.
#pragma once

#include <type_traits>
#include <utility>

#include "app/cli/report.h"
#include "app/workspace/notes.h"

namespace hw::cli {

using namespace workspace;

/// "note: …", "warning: …", and diagnostics by report().
void print_notes(const Notes& notes);

/// What `call`, a function of app/workspace, returns for these arguments, after its notes are printed. An error whose
/// diagnostic was among them becomes kPrintedAlready.
template <class Call, class... Arguments>
auto noted(const Call& call, Arguments&&... arguments) {
  Notes notes;
  using Returned = decltype(call(std::forward<Arguments>(arguments)..., notes));
  if constexpr (std::is_void_v<Returned>) {
    call(std::forward<Arguments>(arguments)..., notes);
    print_notes(notes);
  } else {
    Returned returned = call(std::forward<Arguments>(arguments)..., notes);
    print_notes(notes);
    if (!returned && is_among(notes, returned.error())) return Returned(kPrintedAlready);
    return returned;
  }
}

}  // namespace hw::cli
