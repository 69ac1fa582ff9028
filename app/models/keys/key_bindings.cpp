#include "app/models/keys/key_bindings.h"

#include <QVariantMap>
#include <algorithm>

namespace hw::app {
namespace {

const QString kSection = QStringLiteral("keys/");

/// Whether it is one chord with a key that there is.
bool is_chord(const QKeySequence& key) {
  return key.count() == 1 && key[0].key() != Qt::Key_unknown && key[0].key() != 0;
}

/// Nothing: it is no list of keys. An empty text is an empty list.
std::optional<QList<QKeySequence>> parse_keys(const QString& text) {
  const QList<QKeySequence> keys = QKeySequence::listFromString(text, QKeySequence::PortableText);
  if (text.trimmed().isEmpty()) return QList<QKeySequence>{};
  if (keys.isEmpty() || !std::ranges::all_of(keys, is_chord)) return std::nullopt;
  return keys;
}

QList<QKeySequence> default_keys(const KeyRow& row) {
  return parse_keys(QString::fromUtf8(row.keys)).value_or(QList<QKeySequence>());
}

/// The chord of an event, as all keyboards would make it: the keypad's Enter is Return, and what is a sign of its own
/// is one without Shift, which some need for it.
QKeySequence chord_of(int key, Qt::KeyboardModifiers held) {
  Qt::KeyboardModifiers modifiers =
      held & (Qt::ControlModifier | Qt::ShiftModifier | Qt::AltModifier | Qt::MetaModifier);
  if (key == Qt::Key_Backtab) {
    key = Qt::Key_Tab;
    modifiers |= Qt::ShiftModifier;
  }
  if (key == Qt::Key_Enter) key = Qt::Key_Return;
  if (key > Qt::Key_Space && key < Qt::Key_Escape && !QChar::isLetter(static_cast<char32_t>(key)))
    modifiers &= ~Qt::KeyboardModifiers(Qt::ShiftModifier);
  return {QKeyCombination(modifiers, static_cast<Qt::Key>(key))};
}

bool is_modifier(int key) {
  return (key >= Qt::Key_Shift && key <= Qt::Key_ScrollLock) || key == Qt::Key_AltGr || key == Qt::Key_Super_L ||
         key == Qt::Key_Super_R || key == 0 || key == Qt::Key_unknown;
}

/// Further key sequences that Qt needs for the same key: the keypad's Enter, and what X11 makes of Shift and Tab.
QStringList with_twins(const QList<QKeySequence>& keys) {
  QStringList all;
  for (const QKeySequence& key : keys) {
    const QString text = key.toString(QKeySequence::PortableText);
    all.append(text);
    if (key[0].key() == Qt::Key_Return)
      all.append(QString(text).replace(QStringLiteral("Return"), QStringLiteral("Enter")));
    if (key[0].key() == Qt::Key_Tab && key[0].keyboardModifiers() & Qt::ShiftModifier)
      all.append(QString(text).replace(QStringLiteral("Tab"), QStringLiteral("Backtab")));
  }
  return all;
}

QString label_of(const QKeySequence& key) {
  static const QHash<QString, QString> names{
      {QStringLiteral("Return"), KeyBindings::tr("Enter")}, {QStringLiteral("Left"), QStringLiteral("←")},
      {QStringLiteral("Right"), QStringLiteral("→")},       {QStringLiteral("Up"), QStringLiteral("↑")},
      {QStringLiteral("Down"), QStringLiteral("↓")},
  };
  QString text = key.toString(QKeySequence::NativeText);
  const qsizetype plus = text.lastIndexOf(QLatin1Char('+'), -2);  // not that of "Ctrl++"
  const auto named = names.find(text.mid(plus + 1));
  return named == names.end() ? text : text.left(plus + 1) + *named;
}

bool meet(KeyScope a, KeyScope b) {
  return a == b || a == KeyScope::window || b == KeyScope::window;
}

}  // namespace

KeyBindings::KeyBindings(std::unique_ptr<QSettings> settings) : settings_(std::move(settings)) {
  read();
  show();
}

void KeyBindings::read() {
  if (settings_->status() == QSettings::FormatError) {
    problem_ = tr("The settings file cannot be read, so keys are the defaults: %1").arg(settings_->fileName());
    return;
  }
  QStringList wrong;
  settings_->beginGroup(QStringLiteral("keys"));
  const QStringList ids = settings_->childKeys();
  settings_->endGroup();
  for (const KeyRow& row : key_table()) {
    const QString id = QString::fromUtf8(row.id);
    if (!ids.contains(id)) continue;
    const auto keys = parse_keys(settings_->value(kSection + id).toString());
    if (!keys)
      wrong.append(title(id));
    else if (*keys != default_keys(row))
      changed_.insert(id, *keys);
  }
  for (const KeyRow& row : key_table()) {
    Keys left = keys(row);
    const auto taken = [&](const QKeySequence& key) { return owner_of(row, key) && changed_.contains(row.id); };
    if (left.removeIf(taken) == 0) continue;
    changed_.insert(QString::fromUtf8(row.id), left);
    wrong.append(title(QString::fromUtf8(row.id)));
  }
  if (!wrong.isEmpty())
    problem_ =
        tr("Keys in the settings that cannot be used, so the defaults stay: %1").arg(wrong.join(QStringLiteral(", ")));
}

KeyBindings::Keys KeyBindings::keys(const KeyRow& row) const {
  const auto found = changed_.find(QString::fromUtf8(row.id));
  return found == changed_.end() ? default_keys(row) : *found;
}

const KeyRow* KeyBindings::owner_of(const KeyRow& row, const QKeySequence& key) const {
  for (const KeyRow& other : key_table())
    if (&other != &row && meet(other.scope, row.scope) && keys(other).contains(key)) return &other;
  return nullptr;
}

QString KeyBindings::title(const QString& id) const {
  const KeyRow* row = find_key_row(id.toStdString());
  return row ? tr(row->title) : id;
}

QString KeyBindings::pressed(int key, int modifiers) const {
  if (is_modifier(key)) return {};
  return chord_of(key, Qt::KeyboardModifiers(modifiers)).toString(QKeySequence::PortableText);
}

QString KeyBindings::label(const QString& key) const {
  return label_of(QKeySequence::fromString(key, QKeySequence::PortableText));
}

QString KeyBindings::action(KeyScope scope, int key, int modifiers) const {
  if (is_modifier(key)) return {};
  const QKeySequence chord = chord_of(key, Qt::KeyboardModifiers(modifiers));
  for (const KeyRow& row : key_table())
    if (row.scope == scope && keys(row).contains(chord)) return QString::fromUtf8(row.id);
  return {};
}

QString KeyBindings::owner(const QString& id, const QString& key) const {
  const KeyRow* row = find_key_row(id.toStdString());
  const KeyRow* other = row ? owner_of(*row, QKeySequence::fromString(key, QKeySequence::PortableText)) : nullptr;
  return other ? QString::fromUtf8(other->id) : QString();
}

void KeyBindings::set(const QString& id, const QString& old, const QString& key) {
  const KeyRow* row = find_key_row(id.toStdString());
  if (!row) return;
  Keys now = keys(*row);
  const QKeySequence before = QKeySequence::fromString(old, QKeySequence::PortableText);
  const QKeySequence chosen = QKeySequence::fromString(key, QKeySequence::PortableText);
  const qsizetype place = old.isEmpty() ? -1 : now.indexOf(before);
  if (chosen.isEmpty() || (now.contains(chosen) && chosen != before)) {
    now.removeAll(before);
  } else if (place >= 0) {
    now[place] = chosen;
  } else {
    now.append(chosen);
  }
  give(*row, now);
  show();
  Q_EMIT changed();
}

void KeyBindings::give(const KeyRow& row, const Keys& wanted) {
  for (const QKeySequence& key : wanted) {
    while (const KeyRow* other = owner_of(row, key)) {
      Keys left = keys(*other);
      left.removeAll(key);
      changed_.insert(QString::fromUtf8(other->id), left);
      keep(*other);
    }
  }
  changed_.insert(QString::fromUtf8(row.id), wanted);
  keep(row);
}

void KeyBindings::keep(const KeyRow& row) {
  const QString id = QString::fromUtf8(row.id);
  if (changed_.value(id) == default_keys(row)) {
    changed_.remove(id);
    settings_->remove(kSection + id);
  } else {
    settings_->setValue(kSection + id, QKeySequence::listToString(changed_.value(id), QKeySequence::PortableText));
  }
}

void KeyBindings::reset(const QString& id) {
  const KeyRow* row = find_key_row(id.toStdString());
  if (!row) return;
  give(*row, default_keys(*row));
  show();
  Q_EMIT changed();
}

void KeyBindings::resetAll() {
  changed_.clear();
  settings_->remove(QStringLiteral("keys"));
  show();
  Q_EMIT changed();
}

void KeyBindings::show() {
  for (const KeyRow& row : key_table()) {
    const QString id = QString::fromUtf8(row.id);
    const Keys now = keys(row);
    const QString label = now.isEmpty() ? QString() : label_of(now.front());
    labels_.insert(id, label);
    hints_.insert(id, label.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(label));
    if (row.scope == KeyScope::window) sequences_.insert(id, with_twins(now));
    QVariantList list;
    for (const QKeySequence& key : now)
      list.append(QVariantMap{{"key", key.toString(QKeySequence::PortableText)}, {"label", label_of(key)}});
    const QVariantMap entry{{"keys", list}, {"changed", changed_.contains(id)}};
    if (entries_.value(id).toMap() != entry) entries_.insert(id, entry);
  }
}

QVariantList KeyBindings::groups() const {
  QVariantList all;
  for (const KeyRow& row : key_table()) {
    const QString heading = tr(row.group), id = QString::fromUtf8(row.id);
    QVariantMap group = all.isEmpty() ? QVariantMap{} : all.last().toMap();
    const bool goes_on = group.value(QStringLiteral("title")) == heading;
    const QStringList ids =
        goes_on ? group.value(QStringLiteral("ids")).toStringList() + QStringList(id) : QStringList(id);
    group = {{"title", heading}, {"ids", ids}};
    goes_on ? void(all.last() = group) : all.append(group);
  }
  return all;
}

}  // namespace hw::app
