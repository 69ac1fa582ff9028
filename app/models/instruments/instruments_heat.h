// InstrumentsHeat: the canvas coloured by what the instruments of the run read.
#pragma once

#include "app/models/instruments/heat_source.h"
#include "app/models/instruments/instruments_model.h"

namespace hw::app {

/// A node's values are its outputs and parameters with their gradients; a wire's, both directions.
class InstrumentsHeat : public HeatSource {
  Q_OBJECT
 public:
  /// `instruments` outlives it.
  explicit InstrumentsHeat(const InstrumentsModel& instruments, QObject* parent = nullptr);

  QString title() const override { return tr("Instruments of the Run"); }
  const std::vector<HeatQuantity>& quantities() const override { return quantities_; }
  std::optional<Heat> heatOf(const QString& node, int quantity) const override;
  std::optional<Heat> heatOf(const Link& link, int quantity) const override;
  QString figureOf(const QString& node, int quantity) const override;
  QString wordsOf(const QString& node, int quantity) const override;
  QString wordsOf(const Link& link, int quantity) const override;
  bool known() const override { return instruments_.known(); }
  QString note(int quantity) const override;
  bool marks() const override { return marks_; }

 private:
  struct Hottest {
    const InstrumentReading* reading = nullptr;
    Heat heat;
  };
  /// `socket`: of that output only.
  Hottest hottest(const QString& node, const std::string* socket, int quantity) const;
  QString words(const Hottest& h, int quantity) const;

  const InstrumentsModel& instruments_;
  std::vector<HeatQuantity> quantities_;
  bool marks_ = false;
};

}  // namespace hw::app
