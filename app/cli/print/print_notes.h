// What app/workspace says beside its results, on stderr.
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "app/cli/print/report.h"
#include "app/workspace/notes.h"

namespace hw::cli {

using namespace workspace;

/// "note: …", "warning: …", and diagnostics by report().
void print_notes(const Notes& notes);

/// Prints the notes of a call that ends by an exception.
class NotesOfException {
 public:
  explicit NotesOfException(const Notes& notes) : notes_(notes) {}
  NotesOfException(const NotesOfException&) = delete;
  NotesOfException& operator=(const NotesOfException&) = delete;
  ~NotesOfException() {
    if (std::uncaught_exceptions() > before_) print_notes(notes_);
  }

 private:
  const Notes& notes_;
  int before_ = std::uncaught_exceptions();
};

/// What `call`, a function of app/workspace, returns for these arguments, after its notes are printed. An error whose
/// diagnostic was among them becomes kPrintedAlready.
template <class Call, class... Arguments>
auto noted(const Call& call, Arguments&&... arguments) {
  Notes notes;
  const NotesOfException of_exception(notes);
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
