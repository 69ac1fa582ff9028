// PlotItem: the lines of a Plot View on linear axes. A scene-graph item.
#pragma once

#include <QColor>
#include <QVariantList>

#include "app/models/views/plot_columns.h"
#include "app/models/views/plot_model.h"
#include "app/plots/watching_item.h"

namespace hw::app {

/// Draws the lines; axes are labelled in QML from `ticks` and `xTicks`. GUI thread, but for updatePaintNode.
class PlotItem : public WatchingItem {
  Q_OBJECT
  Q_PROPERTY(hw::app::PlotModel* model READ model WRITE setModel NOTIFY modelChanged)
  /// Colours of the inputs a to d.
  Q_PROPERTY(QVariantList colours MEMBER colours_ NOTIFY coloursChanged)
  Q_PROPERTY(QColor gridColour MEMBER gridColour_ NOTIFY coloursChanged)
  /// {at, text} of round values: y of horizontal lines, x of vertical ones.
  Q_PROPERTY(QVariantList ticks READ ticks NOTIFY axesChanged)
  Q_PROPERTY(QVariantList xTicks READ xTicks NOTIFY axesChanged)

 public:
  explicit PlotItem(QQuickItem* parent = nullptr);

  PlotModel* model() const { return static_cast<PlotModel*>(view()); }
  void setModel(PlotModel* model) { setView(model); }
  QVariantList ticks() const { return ticks_; }
  QVariantList xTicks() const { return xTicks_; }
  /// What the lines say under place `at`: {x (text), values: [{input, text, y}]} of each input with one line; empty
  /// where there is none.
  Q_INVOKABLE QVariantMap read(double at) const;

 Q_SIGNALS:
  void coloursChanged();
  void axesChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void refresh() override;

 private:
  double yOf(double value) const { return height() * (high_ - value) / (high_ - low_); }
  QVariantList colours_, ticks_, xTicks_;
  QColor gridColour_;
  std::vector<std::vector<PlotColumn>> columns_;  // of each line
  double left_ = 0, right_ = 1, low_ = 0, high_ = 1;
};

}  // namespace hw::app
