// Exceptions end where work ends: a thread's task gives an Error in their place.
#pragma once

#include "engine/core/result.h"

namespace hw {

/// The Error of the exception that is being handled, in a catch block: HW-R001 where memory was lacking, else HW-R002
/// with what it says.
Error error_of_exception() noexcept;

/// What `work` returns, a Result or Status; the Error of what it throws.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return error_of_exception();
  }
}

/// The same; an Error that has no place gets `where`.
template <class Work>
auto guarded_at(const std::string& where, Work&& work) -> decltype(work()) {
  return guarded([&]() -> decltype(work()) {
    auto done = guarded(std::forward<Work>(work));
    if (done || !done.error().where.empty()) return done;
    Error error = done.error();
    error.where = where;
    return error;
  });
}

}  // namespace hw
