// DocumentSelection: what is selected of the graph that is shown. Not part of history.
#pragma once

#include <QObject>
#include <QSet>
#include <vector>

#include "app/document/shown_graph.h"
#include "engine/graph/edit.h"

namespace hw::app {

/// Ids of nodes and frames, and links, of the shown graph. GUI thread.
class DocumentSelection : public QObject {
  Q_OBJECT

 public:
  /// `shown` outlives this. forget() and its like report what goes away in it.
  explicit DocumentSelection(const ShownGraph& shown) : shown_(shown) {}

  const QSet<QString>& nodes() const { return nodes_; }
  const std::vector<Link>& links() const { return links_; }
  const QSet<QString>& frames() const { return frames_; }
  /// The node the inspector shows: the one clicked last; empty when nothing is selected.
  const QString& active() const { return active_; }

  void select(const QSet<QString>& nodes, const QString& active, const std::vector<Link>& links = {},
              const QSet<QString>& frames = {});
  /// This node alone; none that is shown: nothing changes.
  void selectNode(const QString& id);
  /// All nodes and frames.
  void selectAll();
  void clear() { select({}, {}); }
  /// clear() without a signal: changed() is for the caller to emit, once others may look.
  void drop();

  /// What deletes the selection, and what that is: "3 nodes".
  struct Deletion {
    QString what;
    Edits edits;
  };
  Deletion deletion() const;

  // What is gone from the shown graph is selected no longer.

  void forget(const QStringList& removed);
  void forgetFrames();
  void forgetLinks();

 Q_SIGNALS:
  void changed();

 private:
  const ShownGraph& shown_;
  QSet<QString> nodes_;
  std::vector<Link> links_;
  QSet<QString> frames_;
  QString active_;
};

}  // namespace hw::app
