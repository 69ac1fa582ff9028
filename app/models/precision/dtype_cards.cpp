#include "app/models/precision/dtype_cards.h"

#include "app/document/task.h"
#include "app/document/text.h"
#include "app/models/text/format.h"
#include "engine/backend/product_info.h"
#include "engine/core/dtype_card.h"
#include "engine/devices/devices.h"

namespace hw::app {
namespace {

QVariantMap card(const DTypeInfo& row) {
  const auto real = [&](double value) { return row.is_float ? format_number(value, 3) : QStringLiteral("–"); };
  return {{"name", to_q(row.name)},
          {"code", to_q(row.code)},
          {"token", to_q(row.colour_token)},
          {"bits", QString::number(bits_of(row))},
          {"layout", row.is_float ? QStringLiteral("1 + %1 + %2").arg(row.exponent_bits).arg(row.mantissa_bits)
                                  : QStringLiteral("–")},
          {"max", format_number(row.max, 4)},
          {"epsilon", real(epsilon_of(row))},
          {"smallestNormal", real(row.min_normal)},
          {"smallest", real(row.min_subnormal)},
          {"specials", row.is_float ? to_q(specials_of(row)) : QStringLiteral("–")},
          {"products", QStringLiteral("…")}};
}

QString products(Device& device, DType dtype) {
  const auto kernel = product_info(device, dtype);
  if (!kernel) return QStringLiteral("–");
  return QStringLiteral("%1, sums in %2: %3")
      .arg(to_q(name(kernel->compute)), to_q(name(kernel->accumulate)), to_q(kernel->implementation));
}

}  // namespace

DTypeCards::DTypeCards(QObject* parent) : QObject(parent) {
  work_.setMaxThreadCount(1);
  for (const DTypeInfo& row : dtype_table()) cards_.append(card(row));
}

DTypeCards::~DTypeCards() {
  work_.waitForDone();
}

void DTypeCards::load() {
  if (std::exchange(asked_, true)) return;
  start_task(
      work_, this,
      [this, cards = cards_]() mutable {
        const auto device = make_device("cpu");
        for (qsizetype i = 0; i < cards.size(); ++i) {
          QVariantMap filled = cards[i].toMap();
          filled["products"] =
              device ? products(**device, dtype_table()[static_cast<size_t>(i)].dtype) : to_q(device.error().reason);
          cards[i] = filled;
        }
        QMetaObject::invokeMethod(
            this,
            [this, cards] {
              cards_ = cards;
              Q_EMIT changed();
            },
            Qt::QueuedConnection);
      },
      [this](const Error&) { asked_ = false; });
}

}  // namespace hw::app
