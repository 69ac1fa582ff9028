// InstrumentsModel: what the instruments of the run show, as gauges on the wires and marks on the nodes.
#pragma once

#include <QHash>
#include <QObject>
#include <QVariantMap>

#include "app/models/cards/card.h"
#include "app/models/run/run_model.h"
#include "engine/instrument/instrument_report.h"

namespace hw::app {

/// Follows a run's readings, which change at most five times a second. GUI thread.
class InstrumentsModel : public QObject {
  Q_OBJECT
 public:
  explicit InstrumentsModel(RunModel& run, QObject* parent = nullptr);

  /// There are readings.
  bool known() const { return readings_ && !readings_->readings.empty(); }
  /// "112 of 197 steps looked at by step 197; looking took 1.9 % of the processor time".
  QString cost() const;

  /// For a card: {gauges: by output socket, {forward, backward}; parameters: the first seven, {name, forward,
  /// backward}; trouble: lines or ""}. A direction is a Gauge. Empty before the first look.
  QVariantMap of(const QString& node, const std::vector<CardSocket>& outputs) const;
  /// Null before the first look.
  const InstrumentReadings* readings() const { return readings_.get(); }
  /// Good until readingsChanged().
  const std::vector<const InstrumentReading*>& readingsOf(const QString& node) const;

 Q_SIGNALS:
  void readingsChanged();

 private:
  void take();

  RunModel& run_;
  std::shared_ptr<const InstrumentReadings> readings_;
  QHash<QString, std::vector<const InstrumentReading*>> by_node_;
};

}  // namespace hw::app
