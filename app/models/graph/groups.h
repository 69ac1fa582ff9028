// Groups: groups made, entered, left and dissolved on the canvas.
#pragma once

#include <QObject>
#include <QVariantList>

#include "app/document/document.h"

namespace hw::app {

/// Each edit is one undo step of the graph that is shown; refused() of the document says why one is not made. GUI
/// thread; the Document must outlive it.
class Groups : public QObject {
  Q_OBJECT
  /// {title, path} of each graph around the one that is shown, and of that one, from the document on; alone: the
  /// document is shown.
  Q_PROPERTY(QVariantList breadcrumbs READ breadcrumbs NOTIFY breadcrumbsChanged)
  /// Other instances that follow what is edited in the group that is shown.
  Q_PROPERTY(int otherInstances READ otherInstances NOTIFY breadcrumbsChanged)

 public:
  explicit Groups(Document& document, QObject* parent = nullptr);

  const QVariantList& breadcrumbs() const { return breadcrumbs_; }
  int otherInstances() const { return other_instances_; }
  /// Whether a node is an instance whose definition is there.
  Q_INVOKABLE bool isGroup(const QString& node) const;
  /// Shows the inside of an instance. False: it is none.
  Q_INVOKABLE bool enter(const QString& node);
  /// Shows the graph around, with the instance selected. False: the document is shown.
  Q_INVOKABLE bool leave();
  Q_INVOKABLE void open(const QString& path) { document_.openGroup(path); }
  /// Puts the selected nodes, and what lies in selected frames, into a group, and selects its instance.
  Q_INVOKABLE void groupSelection();
  /// Dissolves all selected instances, and selects what was in them.
  Q_INVOKABLE void ungroupSelection();
  /// Gives an instance a definition of its own.
  Q_INVOKABLE void makeUnique(const QString& node);
  /// A socket of the group that is shown for one of a node in it, wired to it.
  Q_INVOKABLE void addSocket(const QString& node, const QString& socket, bool isOutput);
  /// {title, category, description, key} of the group that a node is an instance of.
  Q_INVOKABLE QVariantMap described(const QString& node) const;
  /// Calls and describes that group so, for palette, search and documentation.
  Q_INVOKABLE void describe(const QString& node, const QString& title, const QString& category,
                            const QString& description);
  /// Whether other instances share the node's definition.
  Q_INVOKABLE bool isShared(const QString& node) const;

 Q_SIGNALS:
  void breadcrumbsChanged();

 private:
  void refresh();
  QVariantList trail() const;
  Document& document_;
  QVariantList breadcrumbs_;
  int other_instances_ = 0;
};

}  // namespace hw::app
