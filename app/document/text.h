// Engine text is UTF-8 std::string, Qt text is QString: the conversions, in one place.
#pragma once

#include <QString>
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace hw::app {

inline QString to_q(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
/// With a capital first letter: the engine's reasons begin small, as they follow a place. A name in front ("box.obj:
/// …", "asset:mnist: …") stays as it is.
inline QString sentence(std::string_view text) {
  QString q = to_q(text);
  const QString first = q.section(QLatin1Char(' '), 0, 0);
  const bool name = std::any_of(first.begin(), first.end(), [](QChar c) { return QStringLiteral("./:").contains(c); });
  if (!q.isEmpty() && !name) q[0] = q[0].toUpper();
  return q;
}
/// Place and reason of an error: "mlp.x: The wire …". A place that the reason quotes is not said twice.
inline QString reason_text(const Error& error) {
  const QString reason = sentence(error.reason), where = to_q(error.where);
  const bool said = where.isEmpty() || reason.contains(QLatin1Char('"') + where + QLatin1Char('"'));
  return said ? reason : where + QStringLiteral(": ") + reason;
}
inline std::string to_std(const QString& text) {
  return text.toStdString();
}
inline std::filesystem::path to_path(const QString& path) {
  return std::filesystem::path(path.toStdU16String());
}
inline QString from_path(const std::filesystem::path& path) {
  return QString::fromStdU16String(path.u16string());
}

}  // namespace hw::app
