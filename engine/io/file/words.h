// Lines, words and numbers of a text format.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace hw {

inline constexpr std::string_view kWordSpace = " \t\r";

/// The next line of `text`, without its end; `text` is what follows then.
inline std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// The next word of a line, empty at its end; `rest` is what follows then.
inline std::string_view next_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(kWordSpace)));
  const std::string_view word = rest.substr(0, rest.find_first_of(kWordSpace));
  rest.remove_prefix(word.size());
  return word;
}

/// `text` without space at either end.
inline std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kWordSpace)));
  return text.substr(0, text.find_last_not_of(kWordSpace) + 1);
}

/// A word that is a finite number, whole.
inline std::optional<double> number(std::string_view word) {
  double value = 0;
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, ec] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (ec != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace hw
