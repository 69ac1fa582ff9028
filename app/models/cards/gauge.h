// Gauge: what an instrument read of one value, as QML hands it from the model to the item that draws it.
#pragma once

#include <QMetaType>
#include <QString>
#include <memory>

#include "engine/instrument/instruments.h"

namespace hw::app {

/// What one look saw. Cheap to copy; immutable. GUI thread.
class Gauge {
  Q_GADGET
  /// "grad(mlp.layer_0), f16".
  Q_PROPERTY(QString name READ name)
  /// The name, what is wrong, and the facts: lines.
  Q_PROPERTY(QString text READ text)

 public:
  Gauge() = default;
  explicit Gauge(std::shared_ptr<const InstrumentReading> reading) : reading_(std::move(reading)) {}
  QString name() const;
  QString text() const;
  /// Null on an empty gauge.
  const InstrumentReading* reading() const { return reading_.get(); }
  bool operator==(const Gauge&) const = default;

 private:
  std::shared_ptr<const InstrumentReading> reading_;
};

}  // namespace hw::app

Q_DECLARE_METATYPE(hw::app::Gauge)
