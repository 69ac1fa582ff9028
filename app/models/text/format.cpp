#include "app/models/text/format.h"

#include <array>
#include <cmath>

namespace hw::app {
namespace {

/// Three significant digits, without an exponent: for values from 0 to 9999.
QString three_digits(double value) {
  return QString::number(value, 'f', value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

/// "1.50" → "1.5", "2.0" → "2".
QString without_zeros(QString text) {
  if (!text.contains(QLatin1Char('.'))) return text;
  while (text.endsWith(QLatin1Char('0'))) text.chop(1);
  if (text.endsWith(QLatin1Char('.'))) text.chop(1);
  return text;
}

}  // namespace

QString format_number(double value, int digits) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
  if (value == 0) return QStringLiteral("0");
  const double size = std::abs(value);
  QString text;
  if (size >= 1e-4 && size < 1e6) {
    const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
    text = without_zeros(QString::number(value, 'f', std::max(0, digits - before)));
  } else {
    text = QString::number(value, 'e', digits - 1);
    const qsizetype e = text.indexOf(QLatin1Char('e'));
    text = without_zeros(text.left(e)) + QLatin1Char('e') + QString::number(text.mid(e + 1).toInt());
  }
  return text.replace(QLatin1Char('-'), QStringLiteral("−"));
}

QString format_scale(double value) {
  int exponent = 0;
  const bool is_power = std::frexp(value, &exponent) == 0.5;  // frexp: value = 0.5 · 2^exponent
  constexpr int kWritten = 17;                                // 2^16 = 65536 is written in digits
  return is_power && std::abs(exponent) > kWritten ? QStringLiteral("2^") + format_number(exponent - 1)
                                                   : format_number(value, 6);
}

QString format_count(double value) {
  constexpr std::array units{"", " k", " M", " G", " T"};
  size_t unit = 0;
  if (value >= 9999.5) {
    while (value >= 999.5 && unit + 1 < units.size()) value /= 1000, ++unit;
  }
  const QString text = unit == 0 && value == std::floor(value) ? QString::number(value, 'f', 0) : three_digits(value);
  return text + QLatin1String(units[unit]);
}

QString format_ms(double ms) {
  if (ms < 0.9995) return three_digits(ms * 1000) + QStringLiteral(" µs");
  if (ms < 999.5) return three_digits(ms) + QStringLiteral(" ms");
  return three_digits(ms / 1000) + QStringLiteral(" s");
}

QString format_duration(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return {};
  const auto total = static_cast<qint64>(std::ceil(seconds));
  if (total < 60) return QStringLiteral("%1 s").arg(total);
  if (total < 3600) return QStringLiteral("%1 min %2 s").arg(total / 60).arg(total % 60, 2, 10, QLatin1Char('0'));
  return QStringLiteral("%1 h %2 min").arg(total / 3600).arg(total / 60 % 60, 2, 10, QLatin1Char('0'));
}

QString format_bytes(double bytes) {
  constexpr std::array units{" B", " KiB", " MiB", " GiB", " TiB"};
  size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < units.size()) bytes /= 1024, ++unit;
  return (unit == 0 ? QString::number(bytes, 'f', 0) : three_digits(bytes)) + QLatin1String(units[unit]);
}

}  // namespace hw::app
