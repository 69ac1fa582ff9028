#include "app/models/cards/gauge.h"

#include <QCoreApplication>
#include <QStringList>

#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/instrument/instrument_report.h"

namespace hw::app {

QString Gauge::name() const {
  return reading_ ? to_q(reading_->label()) + QStringLiteral(", ") + to_q(hw::name(reading_->dtype)) : QString();
}

QString Gauge::text() const {
  if (!reading_) return {};
  QStringList lines{name()};
  for (const std::string& line : troubles(*reading_)) lines.append(to_q(line));
  if (const std::string size = size_text(*reading_); !size.empty()) lines.append(to_q(size));
  lines.append(to_q(facts(*reading_)));
  if (const std::string of = histogram_text(*reading_); !of.empty()) lines.append(to_q(of));
  if (reading_->gradient && reading_->gradient_scale != 1)
    lines.append(QCoreApplication::translate("Gauge", "stored × %1").arg(format_scale(reading_->gradient_scale)));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace hw::app
