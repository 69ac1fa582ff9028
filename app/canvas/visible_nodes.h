// VisibleNodes: the rows of a GraphModel that need a card: all in a small graph, in a large one those in view.
#pragma once

#include <QSortFilterProxyModel>

#include "app/canvas/camera.h"
#include "app/models/graph/graph_model.h"

namespace hw::app {

class VisibleNodes : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  /// Up to this many nodes all have cards, for panning without a hitch.
  static constexpr int kAlwaysAll = 200;

  /// Cards, or the names that stand in for them from afar, down to where they cannot be read.
  enum class Of { cards, names };
  static constexpr double kNamesFrom = 0.2;

  VisibleNodes(Of of, const Camera& camera, QObject* parent = nullptr)
      : QSortFilterProxyModel(parent), of_(of), camera_(camera) {}
  void setGraph(GraphModel* graph);
  /// After the camera moved. Cheap unless the view has left what was last chosen.
  void follow();
  /// After nodes came, went or moved.
  void refresh();

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  enum class Choice { all, none, inside };
  Choice wanted() const;
  const Of of_;
  const Camera& camera_;
  GraphModel* graph_ = nullptr;
  Choice choice_ = Choice::all;
  QRectF chosen_;
};

}  // namespace hw::app
