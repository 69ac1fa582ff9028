// GroupInterfaceModel: the sockets and parameters that a group has, in their order, to be moved, renamed, given
// defaults.
#pragma once

#include <QObject>
#include <QVariantList>

#include "app/document/document.h"

namespace hw::app {

/// The interface of the active node's group; while nothing is selected, that of the group that is shown. Each edit is
/// one undo step. GUI thread; the Document must outlive it.
class GroupInterfaceModel : public QObject {
  Q_OBJECT
  /// There is such a group.
  Q_PROPERTY(bool shown READ shown NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  /// {id, label} of a socket.
  Q_PROPERTY(QVariantList inputs READ inputs NOTIFY changed)
  Q_PROPERTY(QVariantList outputs READ outputs NOTIFY changed)
  /// {id, label, value: its default as one types it, sets: how many parameters of nodes} of a parameter.
  Q_PROPERTY(QVariantList params READ params NOTIFY changed)

 public:
  explicit GroupInterfaceModel(Document& document, QObject* parent = nullptr);

  bool shown() const { return group_ != nullptr; }
  QString title() const;
  const QVariantList& inputs() const { return inputs_; }
  const QVariantList& outputs() const { return outputs_; }
  const QVariantList& params() const { return params_; }

  /// To another place among the sockets of its side, counted from 0.
  Q_INVOKABLE void moveSocket(const QString& id, int place);
  Q_INVOKABLE void renameSocket(const QString& id, const QString& label);
  Q_INVOKABLE void moveParam(const QString& id, int place);
  Q_INVOKABLE void renameParam(const QString& id, const QString& label);
  /// What instances have that give no value. Returns why it cannot be, or "".
  Q_INVOKABLE QString setDefault(const QString& id, const QString& text);

 Q_SIGNALS:
  void changed();

 private:
  void refresh();
  void push(const QString& text, Group group);
  Document& document_;
  std::shared_ptr<const Group> group_;
  QVariantList inputs_, outputs_, params_;
};

}  // namespace hw::app
