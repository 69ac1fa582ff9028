// Pattern: a regular expression that takes time linear in the text, whatever it is. Upper and lower case are the same.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/result.h"

namespace hw {

/// Literals, `.`, `[a-z]`, `[^…]`, `\d \w \s \D \W \S`, `^ $ \b`, `( | )`, `* + ? {2} {2,} {2,5}`; other characters
/// after a backslash stand for themselves. UTF-8; the case of ASCII letters alone is ignored.
class Pattern {
 public:
  /// Errors: a wrong expression (HW-X001), one that is too large (HW-X005).
  static Result<Pattern> compile(std::string_view expression);
  /// Whether it matches anywhere in the text.
  bool found_in(std::string_view text) const;
  /// Looks that found_in() may take for each character.
  size_t size() const { return steps_.size(); }

 private:
  friend class PatternParser;
  using Ranges = std::vector<std::pair<char32_t, char32_t>>;
  struct Step {
    enum class What : uint8_t { one_of, none_of, begin, end, word_edge, split, matched } what = What::matched;
    Ranges ranges = {};          // one_of, none_of
    size_t next = 0, other = 0;  // other: of a split
  };
  std::vector<Step> steps_;
  size_t first_ = 0;
};

}  // namespace hw
