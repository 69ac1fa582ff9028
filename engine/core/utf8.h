// Characters in UTF-8 (RFC 3629).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hw {

/// The character at byte `at`, which becomes the place of the next one; nothing: no UTF-8.
std::optional<char32_t> next_character(std::string_view text, size_t& at);
std::string utf8(char32_t code);
/// The text, bytes that are no UTF-8 taken for Latin-1: what differed differs still, but where both are mixed.
std::string as_utf8(std::string_view text);

}  // namespace hw
