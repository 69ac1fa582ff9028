// GraphClipboard: copy, cut, paste and duplicate nodes and frames of a Document. The clipboard holds the text of a
// graph file.
#pragma once

#include <QByteArray>
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
  explicit GraphClipboard(Document& document, QObject* parent = nullptr);

  Q_INVOKABLE void duplicateSelection();
  Q_INVOKABLE void copySelection() const;
  Q_INVOKABLE void cutSelection();
  /// The clipboard's nodes with their middle at (x, y); `withIncoming` also restores wires from nodes that are still
  /// there. Instances copied from this document are of its groups as they are now; of another document's groups those
  /// that are not here come along. explained() says where that is not what was copied, or not what it is called here.
  Q_INVOKABLE void paste(double x, double y, bool withIncoming = false);

 private:
  void add_copies(const QString& text, Graph source, QPointF offset, bool with_incoming,
                  std::vector<std::string> notes = {});
  Graph selected_part(bool with_incoming) const;
  std::set<std::string> frames_with_selection() const;

  Document& document_;
  QByteArray origin_;  // goes along with copies: another for each document
};

}  // namespace hw::app
