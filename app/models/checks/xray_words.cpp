#include "app/models/checks/xray_words.h"

#include <QObject>

#include "app/document/text.h"
#include "app/models/text/format.h"

namespace hw::app {

QString value_name(const XrayItem& item) {
  QString name = to_q(item.name);
  if (name.isEmpty()) return QStringLiteral("(%1)").arg(to_q(item.op));
  return name.replace(to_q(item.node) + QLatin1Char('.'), QString());
}

QString error_text(const RoundingError& error) {
  return error.has_not_finite() ? QObject::tr("Inf, NaN") : format_number(error.relative, 2);
}

QString bits_text(const XrayItem& item) {
  return QObject::tr("%1 of %2").arg(item.total.bits_left, 0, 'f', 1).arg(significand_bits(item.dtype));
}

bool has_bad(const XrayItem& item) {
  return item.introduced.has_not_finite() || item.total.has_not_finite();
}

}  // namespace hw::app
