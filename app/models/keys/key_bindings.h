// KeyBindings: which keys do what, as the user has chosen; kept in the settings.
#pragma once

#include <QHash>
#include <QKeySequence>
#include <QObject>
#include <QQmlPropertyMap>
#include <QSettings>
#include <QVariantList>
#include <memory>
#include <optional>

#include "app/models/keys/key_table.h"

namespace hw::app {

/// A key is one chord, as QKeySequence's portable text: "Ctrl+D". Two actions have no key in common where both could
/// act: in one scope, or where one is the window's. The settings hold what differs from the table, section "keys":
/// file.save=Ctrl+S; F12. What cannot be read there leaves the action its default. GUI thread.
class KeyBindings : public QObject {
  Q_OBJECT
  /// By id: the first key as text for the user ("Ctrl+Enter"), or "".
  Q_PROPERTY(QQmlPropertyMap* labels READ labels CONSTANT)
  /// By id: the same behind a word (" (Ctrl+Enter)"), or "".
  Q_PROPERTY(QQmlPropertyMap* hints READ hints CONSTANT)
  /// By id: all keys, for Shortcut.sequences. Those of the window's scope.
  Q_PROPERTY(QQmlPropertyMap* sequences READ sequences CONSTANT)
  /// By id: {keys: [{key, label}], changed: whether they are not the default}.
  Q_PROPERTY(QQmlPropertyMap* entries READ entries CONSTANT)
  /// {title, ids}, in the order of the table.
  Q_PROPERTY(QVariantList groups READ groups CONSTANT)
  /// Whether some action has other keys than by default.
  Q_PROPERTY(bool customised READ customised NOTIFY changed)
  /// Which settings could not be read, for the user; "" when all could.
  Q_PROPERTY(QString problem READ problem CONSTANT)

 public:
  explicit KeyBindings(std::unique_ptr<QSettings> settings = std::make_unique<QSettings>());

  QQmlPropertyMap* labels() { return &labels_; }
  QQmlPropertyMap* hints() { return &hints_; }
  QQmlPropertyMap* sequences() { return &sequences_; }
  QQmlPropertyMap* entries() { return &entries_; }
  QVariantList groups() const;
  bool customised() const { return !changed_.isEmpty(); }
  const QString& problem() const { return problem_; }

  Q_INVOKABLE QString title(const QString& id) const;
  /// The key of an event; "" for a modifier alone.
  Q_INVOKABLE QString pressed(int key, int modifiers) const;
  /// As text for the user: "Ctrl+Enter", "Shift+←".
  Q_INVOKABLE QString label(const QString& key) const;
  /// What a key does while the canvas or the viewport has the focus; "" when nothing.
  Q_INVOKABLE QString actionOnCanvas(int key, int modifiers) const { return action(KeyScope::canvas, key, modifiers); }
  Q_INVOKABLE QString actionInViewport(int key, int modifiers) const {
    return action(KeyScope::viewport, key, modifiers);
  }
  /// Another action that has this key where `id` would act, too; "" when there is none.
  Q_INVOKABLE QString owner(const QString& id, const QString& key) const;
  /// Gives the action a key in place of one it has; `old` "": beside those it has; `key` "": takes the old one away.
  /// Another owner loses it.
  Q_INVOKABLE void set(const QString& id, const QString& old, const QString& key);
  /// Its default keys again, which others lose.
  Q_INVOKABLE void reset(const QString& id);
  Q_INVOKABLE void resetAll();

 Q_SIGNALS:
  void changed();

 private:
  using Keys = QList<QKeySequence>;
  QString action(KeyScope scope, int key, int modifiers) const;
  Keys keys(const KeyRow& row) const;
  const KeyRow* owner_of(const KeyRow& row, const QKeySequence& key) const;
  void read();
  void give(const KeyRow& row, const Keys& keys);
  void keep(const KeyRow& row);
  void show();

  std::unique_ptr<QSettings> settings_;
  QHash<QString, Keys> changed_;  // by id, where they are not the default
  QQmlPropertyMap labels_, hints_, sequences_, entries_;
  QString problem_;
};

}  // namespace hw::app
