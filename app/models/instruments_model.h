// InstrumentsModel: what the instruments of the run show, as gauges on the wires, marks and a heat map on the nodes.
#pragma once

#include <QHash>
#include <QObject>
#include <QStringList>
#include <QVariantMap>

#include "app/models/graph_model_card.h"
#include "app/models/run_model.h"
#include "engine/run/instrument_report.h"

namespace hw::app {

/// Follows a run's readings, which change at most five times a second. GUI thread.
class InstrumentsModel : public QObject {
  Q_OBJECT
  /// The canvas is coloured by a quantity instead of by dtype.
  Q_PROPERTY(bool heatMap READ heatMap WRITE setHeatMap NOTIFY heatChanged)
  Q_PROPERTY(QStringList quantities READ quantities CONSTANT)  // labels
  Q_PROPERTY(int quantity READ quantity WRITE setQuantity NOTIFY heatChanged)
  /// The quantity in a line.
  Q_PROPERTY(QString meaning READ meaning NOTIFY heatChanged)
  /// What the ends of the scale mean.
  Q_PROPERTY(QString low READ low NOTIFY heatChanged)
  Q_PROPERTY(QString high READ high NOTIFY heatChanged)
  /// There are readings.
  Q_PROPERTY(bool known READ known NOTIFY readingsChanged)
  /// "112 of 197 steps looked at, 3.4 % of the time".
  Q_PROPERTY(QString cost READ cost NOTIFY readingsChanged)

 public:
  explicit InstrumentsModel(RunModel& run, QObject* parent = nullptr);

  bool heatMap() const { return heatMap_; }
  void setHeatMap(bool on);
  QStringList quantities() const;
  int quantity() const { return quantity_; }
  void setQuantity(int index);
  QString meaning() const;
  QString low() const;
  QString high() const;
  bool known() const { return readings_ && !readings_->readings.empty(); }
  QString cost() const;

  /// For a card: {gauges: by output socket, {forward, backward}; parameters: the first seven, {name, forward,
  /// backward}; trouble: lines or ""; heat: 0 … 1, −1 not known;
  /// heatText}. A direction is a Gauge. No gauges before the first look.
  QVariantMap of(const QString& node, const std::vector<CardSocket>& outputs) const;
  /// The worst of a node's values; none: not known.
  std::optional<double> heatOf(const QString& node) const;
  /// The worse of a wire's two directions; none: not known.
  std::optional<double> heatOf(const Link& link) const;

 Q_SIGNALS:
  void readingsChanged();
  /// The heat map went on or off, or shows another quantity.
  void heatChanged();

 private:
  void take();
  const InstrumentReading* hottest(const QString& node) const;
  InstrumentQuantity shown() const { return instrument_quantities()[static_cast<size_t>(quantity_)].quantity; }

  RunModel& run_;
  std::shared_ptr<const InstrumentReadings> readings_;
  QHash<QString, std::vector<const InstrumentReading*>> by_node_;
  bool heatMap_ = false;
  int quantity_ = 0;
};

}  // namespace hw::app
