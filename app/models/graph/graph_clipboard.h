// GraphClipboard: copy, cut, paste and duplicate nodes and frames of a Document. The clipboard holds the text of a
// graph file.
#pragma once

#include <QObject>
#include <QPointF>
#include <set>
#include <string>

#include "app/document/document.h"

namespace hw::app {

/// Each that changes the document is one undo step. GUI thread; the Document must outlive it.
class GraphClipboard : public QObject {
  Q_OBJECT

 public:
  explicit GraphClipboard(Document& document, QObject* parent = nullptr) : QObject(parent), document_(document) {}

  Q_INVOKABLE void duplicateSelection();
  Q_INVOKABLE void copySelection() const;
  Q_INVOKABLE void cutSelection();
  /// The clipboard's nodes with their middle at (x, y); `withIncoming` also restores wires from nodes that are still
  /// there.
  Q_INVOKABLE void paste(double x, double y, bool withIncoming = false);

 private:
  void add_copies(const QString& text, Graph source, QPointF offset, bool with_incoming);
  Graph selected_part(bool with_incoming) const;
  std::set<std::string> frames_with_selection() const;

  Document& document_;
};

}  // namespace hw::app
