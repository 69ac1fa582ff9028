// GraphFind: the nodes that a search in the graph finds, and the current one of them.
#pragma once

#include <QObject>
#include <QTimer>

#include "app/document/document.h"

namespace hw::app {

/// GUI thread; the Document must outlive it. Follows edits while there is a query.
class GraphFind : public QObject {
  Q_OBJECT
  /// As FindQuery reads it.
  Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY changed)
  Q_PROPERTY(int count READ count NOTIFY changed)
  /// From 0; −1: none yet.
  Q_PROPERTY(int current READ current NOTIFY changed)
  /// Why the query is none; "" when it is one.
  Q_PROPERTY(QString problem READ problem NOTIFY changed)

 public:
  explicit GraphFind(Document& document, QObject* parent = nullptr);

  const QString& query() const { return query_; }
  void setQuery(const QString& query);
  int count() const { return static_cast<int>(found_.size()); }
  int current() const { return current_; }
  const QString& problem() const { return problem_; }
  /// Selects the next (1) or the one before (−1), round and round, in the group it is in. False: nothing is found.
  Q_INVOKABLE bool step(int by);

 Q_SIGNALS:
  void changed();
  /// This node, which is shown now, was stepped to.
  void reached(const QString& node);

 private:
  void look();
  Document& document_;
  QString query_, problem_;
  std::vector<std::string> found_;  // paths
  int current_ = -1;
  QTimer soon_;
};

}  // namespace hw::app
