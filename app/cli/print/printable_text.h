// Text from files, as a terminal may show it.
#pragma once

#include <string>
#include <string_view>

namespace hw::cli {

/// Control characters but line feed and tab, which could command a terminal, and bytes that are no UTF-8 become U+FFFD.
std::string printable_text(std::string_view text);

}  // namespace hw::cli
