// VisibleNodes: the nodes of a GraphModel that need a card: all in a small graph, in a large one those in view.
#pragma once

#include <QAbstractListModel>
#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

#include "app/canvas/camera.h"
#include "app/canvas/node_grid.h"

namespace hw::app {

/// A row is a place for a card. The place of a node that has left the view is hidden, and the next node that comes in
/// takes it: a card is made once and used again. In a large graph cards are made a few a frame, while the camera rests.
class VisibleNodes : public QAbstractListModel {
  Q_OBJECT
 public:
  /// Up to this many nodes all have cards, for panning without a hitch.
  static constexpr int kAlwaysAll = 200;

  /// Cards, or the names that stand in for them from afar, down to where they cannot be read.
  enum class Of { cards, names };
  static constexpr double kNamesFrom = 0.2;

  /// Beside those of GraphModel.
  enum Role {
    ShownRole = Qt::UserRole + 1000,
    StackRole,  // later nodes lie over earlier ones
  };

  VisibleNodes(Of of, const Camera& camera, const NodeGrid& grid, QObject* parent = nullptr);
  void setGraph(GraphModel* graph);
  /// After the camera moved. Cheap unless the view has left what was last chosen.
  void follow();
  /// After nodes came, went or moved.
  void refresh();
  int shown() const { return static_cast<int>(by_node_.size()); }
  /// Nodes wait for their cards.
  bool pending() const { return !waiting_.isEmpty(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void pendingChanged();

 private:
  enum class Choice { all, none, inside };
  struct Place {
    QString node;
    const NodeType* type = nullptr;
    bool shown = false;
  };
  Choice wanted() const;
  std::vector<int> wanted_rows() const;
  void hide(int place);
  void fill(qint64 budget_ns);
  void reuse(qint64 budget_ns);
  void fill_some();
  void give(const QString& node);
  /// Cards of one type are alike; so are all names.
  const NodeType* type_at(int row) const;
  int free_place(const NodeType* type) const;
  void forward_changes(const QModelIndex& first, const QModelIndex& last, const QVector<int>& roles);
  void notify_stack();

  const Of of_;
  const Camera& camera_;
  const NodeGrid& grid_;
  QPointer<GraphModel> graph_;
  Choice choice_ = Choice::none;
  QRectF chosen_;
  std::vector<Place> places_;
  QHash<QString, int> by_node_;  // those that are shown
  QStringList waiting_;          // for a place, nearest last
  QTimer frames_;
  QElapsedTimer moved_;  // since the camera moved
  bool refreshing_ = false, again_ = false;
};

}  // namespace hw::app
