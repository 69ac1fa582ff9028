// KeptViews: how graphs were seen on the canvas when others took their place.
#pragma once

#include <QHash>
#include <QObject>
#include <QPointF>

namespace hw::app {

/// GUI thread.
class KeptViews {
 public:
  struct View {
    double zoom = 1;
    QPointF origin;
    bool framed = false;  // all was in view, and is to be again
  };
  /// `graph` is not looked into; `level`: the path of the group that is shown.
  void keep(const QObject* graph, const QString& level, const View& view) { views_[{graph, level}] = view; }
  /// Null: it was not shown before. Until the next call of another member.
  const View* find(const QObject* graph, const QString& level) const;
  /// All levels of the graph.
  void forget(const QObject* graph);

 private:
  QHash<QPair<const QObject*, QString>, View> views_;
};

}  // namespace hw::app
