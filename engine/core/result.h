// Result<T>: a value or an Error. An Error says what failed, where, why, and what to do about it.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace hw {

/// A failure that a user can act on. `code` is stable ("HW-F003") and listed in engine/core/codes.h.
/// `where` names the place: a node path ("encoder.position"), a file ("duck.dae:12"), an option ("--steps").
struct Error {
  std::string code;
  std::string where;
  std::string reason;
  std::string remedy;

  /// One line: "HW-F003 at <where>: <reason> <remedy>".
  std::string text() const {
    std::string t = code;
    if (!where.empty()) t += " at " + where;
    t += ": " + reason;
    if (!remedy.empty()) t += " " + remedy;
    return t;
  }
};

/// Either a T or an Error. Test with `if (r)`; reading the absent alternative is a programmer's mistake and asserts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : v_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return v_.index() == 0; }
  T& operator*() & {
    assert(*this);
    return *std::get_if<0>(&v_);
  }
  const T& operator*() const& {
    assert(*this);
    return *std::get_if<0>(&v_);
  }
  T&& operator*() && {
    assert(*this);
    return std::move(*std::get_if<0>(&v_));
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const Error& error() const {
    assert(!*this);
    return *std::get_if<1>(&v_);
  }

 private:
  std::variant<T, Error> v_;
};

/// A Result without a value: `return ok();` or `return Error{...};`.
using Status = Result<std::monostate>;
inline Status ok() {
  return std::monostate{};
}

}  // namespace hw

/// Evaluates a Result expression; returns its Error from the enclosing function, or binds its value to `lhs`.
#define HW_TRY(lhs, expr) HW_TRY_IMPL_(lhs, expr, __LINE__)
#define HW_TRY_IMPL_(lhs, expr, line) HW_TRY_IMPL2_(lhs, expr, line)
#define HW_TRY_IMPL2_(lhs, expr, line)                    \
  auto hw_result_##line = (expr);                         \
  if (!hw_result_##line) return hw_result_##line.error(); \
  lhs = std::move(*hw_result_##line)
/// The same for a Status.
#define HW_CHECK(expr)                          \
  do {                                          \
    auto hw_status_ = (expr);                   \
    if (!hw_status_) return hw_status_.error(); \
  } while (0)
