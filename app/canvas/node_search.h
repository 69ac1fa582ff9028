// NodeSearch: node types that match what was typed and, while a wire waits, have a socket that takes it.
#pragma once

#include <QAbstractListModel>
#include <QPointer>

#include "app/models/graph/graph_model.h"

namespace hw::app {

/// In the order of ranked_types.
class NodeSearch : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(hw::app::GraphModel* graph READ graph WRITE setGraph NOTIFY changed)
  Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY changed)
  Q_PROPERTY(int count READ count NOTIFY changed)
  /// Types left out because they do not take the wire.
  Q_PROPERTY(int refused READ refused NOTIFY changed)

 public:
  enum Role { TypeIdRole = Qt::UserRole + 1, TitleRole, CategoryRole, SummaryRole };
  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  GraphModel* graph() const { return graph_; }
  void setGraph(GraphModel* graph);
  const QString& query() const { return query_; }
  void setQuery(const QString& query);
  int count() const { return static_cast<int>(found_.size()); }
  int refused() const { return refused_; }

  /// Only types that fit this socket; an empty node: all types.
  Q_INVOKABLE void fit(const QString& node, const QString& socket, bool isOutput);
  Q_INVOKABLE QString typeAt(int row) const;

 signals:
  void changed();

 private:
  void search();
  QPointer<GraphModel> graph_;
  QString query_, node_, socket_;
  bool is_output_ = false;
  int refused_ = 0;
  std::vector<const NodeType*> fitting_, found_;
};

}  // namespace hw::app
