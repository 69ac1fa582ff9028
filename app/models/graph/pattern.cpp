#include "app/models/graph/pattern.h"

#include <re2/re2.h>

#include <memory>

#include "engine/core/codes.h"

namespace hw::app {
namespace {

constexpr int64_t kMostBytes = 1 << 20;

}  // namespace

Result<TextPattern> make_pattern(std::string_view expression) {
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  options.set_max_mem(kMostBytes);
  auto compiled = std::make_shared<const RE2>(re2::StringPiece(expression.data(), expression.size()), options);
  if (compiled->ok())
    return TextPattern([compiled = std::move(compiled)](std::string_view text) {
      return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled);
    });
  if (compiled->error_code() == RE2::ErrorPatternTooLarge)
    return Error{codes::expression_size, {}, "The regular expression is too large.", "Ask for less at once."};
  return Error{codes::expression_syntax,
               {},
               "The regular expression is wrong: " + compiled->error() + ".",
               "A character that stands for itself takes a \\ before it."};
}

}  // namespace hw::app
