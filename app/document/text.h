// Engine text is UTF-8 std::string, Qt text is QString: the two conversions, in one place.
#pragma once

#include <QString>
#include <string>
#include <string_view>

namespace hw::app {

inline QString to_q(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline std::string to_std(const QString& text) {
  return text.toStdString();
}

}  // namespace hw::app
