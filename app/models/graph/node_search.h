// NodeSearch: what matches what was typed: node types, groups, blocks, a note, and, while a wire waits, what takes it.
#pragma once

#include <QAbstractListModel>
#include <QPointer>

#include "app/models/graph/graph_model.h"

namespace hw::app {

/// While a wire waits: types with a socket that takes it, types that take it through one Cast, and sockets of the
/// graph: those without a wire first, then nearest first. For an input the sockets come first, for an output last.
/// After a node: all types, first those that one of its outputs fits, then through one Cast. What is typed orders all
/// of them by how well they answer.
class NodeSearch : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(hw::app::GraphModel* graph READ graph WRITE setGraph NOTIFY changed)
  Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY changed)
  Q_PROPERTY(int count READ count NOTIFY changed)
  /// Types left out because they do not take the wire.
  Q_PROPERTY(int refused READ refused NOTIFY changed)
  /// The place for the node lies on a wire: what fits there goes into it.
  Q_PROPERTY(bool intoWire READ intoWire NOTIFY changed)

 public:
  /// KeyRole: the key of a Placeable, "note", or "node:socket" of a socket of the graph.
  enum Role { KeyRole = Qt::UserRole + 1, TitleRole, CategoryRole, SummaryRole };
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
  bool intoWire() const { return wire_.has_value(); }

  /// What fits this socket, for a wire that ends at `at` on the canvas; an empty node: all types.
  Q_INVOKABLE void fit(const QString& node, const QString& socket, bool isOutput, QPointF at);
  /// All types; what is placed is wired to the first output of `node` that fits, beside it.
  Q_INVOKABLE void follow(const QString& node);
  /// All types, first those that keep the wires of the selected nodes and are of their kind; what is placed replaces
  /// them.
  Q_INVOKABLE void replace();
  /// Adds the node of a row with the waiting wire there, or wires the socket of a row. False: there is no such row.
  Q_INVOKABLE bool place(int row, QPointF at);

 Q_SIGNALS:
  void changed();
  void noteAdded(const QString& id);

 private:
  struct Offer {
    std::shared_ptr<const NodeType> type;  // of the new node, or of the node with the socket
    std::optional<DType> cast;             // through a Cast to this
    std::string node, socket, label;       // a socket of the graph, and how its node and itself are called
    std::string from = {};                 // the output of the node that it follows; empty: it is added without a wire
    bool exists() const { return !node.empty(); }
  };
  const Document& document() const { return graph_->document(); }
  void clear();
  void offer_types();
  void offer_replacements();
  void offer_following();
  /// Where a node goes whose input is wired to an output of the one that it follows: beside it, below what lies there.
  QPointF place_after(const std::string& output) const;
  void offer_sockets(QPointF at);
  void search();
  QPointer<GraphModel> graph_;
  QString query_, node_, socket_, after_;
  QPointF at_;
  std::optional<Link> wire_;  // at at_, when no wire waits
  bool is_output_ = false, replaces_ = false;
  int refused_ = 0;
  std::vector<Offer> offers_, found_;  // offers_: in the order they have when nothing is typed
};

}  // namespace hw::app
