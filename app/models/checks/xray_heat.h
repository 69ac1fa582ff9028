// XrayHeat: the canvas coloured by what the X-ray found: errors introduced and inherited, bits left.
#pragma once

#include <QHash>
#include <array>

#include "app/models/checks/xray_model.h"
#include "app/models/instruments/heat_source.h"

namespace hw::app {

/// A node's values are those that it computes in a pass: so a gradient's error shows on the node that made it, and on
/// the wire that it flows along.
class XrayHeat : public HeatSource {
  Q_OBJECT
 public:
  /// `xray` outlives it.
  explicit XrayHeat(XrayModel& xray, QObject* parent = nullptr);

  QString title() const override { return tr("X-ray"); }
  const std::vector<HeatQuantity>& quantities() const override { return quantities_; }
  std::optional<Heat> heatOf(const QString& node, int quantity) const override;
  std::optional<Heat> heatOf(const Link& link, int quantity) const override;
  QString figureOf(const QString& node, int quantity) const override;
  QString wordsOf(const QString& node, int quantity) const override;
  QString wordsOf(const Link& link, int quantity) const override;
  bool known() const override { return report_ != nullptr; }
  QString note(int quantity) const override;
  bool stale() const override { return xray_.stale(); }
  bool marks() const override { return marks_; }
  QString action() const override;
  void act() override;

 private:
  using Items = std::vector<const XrayItem*>;
  void index();
  const Items* itemsOf(const QString& node, int quantity) const;
  const XrayItem* itemOf(const Link& link, int quantity) const;

  XrayModel& xray_;
  std::vector<HeatQuantity> quantities_;
  std::shared_ptr<const XrayReport> report_;                 // what the tables point into
  QHash<QString, std::array<Items, 2>> by_node_;             // forward, backward
  QHash<QString, std::array<const XrayItem*, 2>> by_value_;  // by "node.socket"
  bool marks_ = false;
};

}  // namespace hw::app
