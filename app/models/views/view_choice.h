// ViewChoice: which of the document's viewers is on the screen: the mesh, the picture or the plot.
#pragma once

#include <QObject>
#include <set>
#include <string_view>

#include "app/document/document.h"

namespace hw::app {

/// The kind of the active node when that is a viewer; else what it was, while the graph has such a node; else the first
/// of viewport, picture, plot that the graph has. GUI thread.
class ViewChoice : public QObject {
  Q_OBJECT
  /// "viewport", "picture" or "plot"; "viewport" for a graph without viewers.
  Q_PROPERTY(QString kind READ kind NOTIFY kindChanged)

 public:
  explicit ViewChoice(Document& document, QObject* parent = nullptr);
  const QString& kind() const { return kind_; }

 Q_SIGNALS:
  void kindChanged();

 private:
  void look();  // for the kinds of viewers that the graph has
  void choose();
  Document& document_;
  std::set<std::string_view> there_;
  QString kind_ = QStringLiteral("viewport");
};

}  // namespace hw::app
