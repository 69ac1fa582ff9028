// Which keys do what: the table, changes and conflicts, and what the settings keep.
#include "app/models/keys/key_bindings.h"

#include <gtest/gtest.h>

#include <QDirIterator>
#include <QFile>
#include <set>

#include "tests/app/support.h"

namespace hw::app {
namespace {

class KeyBindingsTest : public ::testing::Test {
 protected:
  std::unique_ptr<KeyBindings> read() {
    return std::make_unique<KeyBindings>(std::make_unique<QSettings>(file(), QSettings::IniFormat));
  }
  QString file() const { return folder_.filePath(QStringLiteral("keys.conf")); }
  void write(const char* text) {
    QFile out(file());
    ASSERT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(text);
  }
  static QString keys(KeyBindings& bindings, const char* id) {
    QStringList all;
    for (const QVariant& key : bindings.entries()->value(QLatin1String(id)).toMap().value("keys").toList())
      all.append(key.toMap().value("key").toString());
    return all.join(QStringLiteral(" "));
  }
  QTemporaryDir folder_;
};

TEST_F(KeyBindingsTest, TheTableHasNoConflictAndOnlyChords) {
  const auto bindings = read();
  std::set<std::string> ids;
  for (const KeyRow& row : key_table()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_EQ(bindings->entries()->value(row.id).toMap().value("keys").toList().isEmpty(), *row.keys == 0) << row.id;
    if (*row.keys == 0) continue;
    const QList<QKeySequence> defaults = QKeySequence::listFromString(row.keys);
    EXPECT_EQ(QKeySequence::listToString(defaults, QKeySequence::PortableText), QString::fromUtf8(row.keys)) << row.id;
    for (const QKeySequence& key : defaults) {
      EXPECT_EQ(key.count(), 1);
      EXPECT_EQ(bindings->owner(row.id, key.toString(QKeySequence::PortableText)), "") << row.id;
    }
  }
  EXPECT_EQ(bindings->problem(), "");
  EXPECT_FALSE(bindings->customised());
}

TEST_F(KeyBindingsTest, EveryRowIsAskedForInTheWindow) {
  QByteArray text;
  QDirIterator files(QStringLiteral(HALFWIRE_QML), {QStringLiteral("*.qml")}, QDir::Files,
                     QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile in(files.next());
    ASSERT_TRUE(in.open(QIODevice::ReadOnly));
    text += in.readAll();
  }
  for (const KeyRow& row : key_table()) {
    const QByteArray id(row.id);
    const bool by_part = id.startsWith("check.") || row.scope == KeyScope::viewport;  // "check." + key
    EXPECT_TRUE(text.contains('"' + id + '"') || by_part) << row.id;
  }
}

TEST_F(KeyBindingsTest, AKeyIsReplacedAddedTakenAwayAndKept) {
  auto bindings = read();
  bindings->set("canvas.duplicate", "Ctrl+D", "F9");
  bindings->set("canvas.bypass", "", "B");
  bindings->set("canvas.delete", "Backspace", "");
  EXPECT_EQ(keys(*bindings, "canvas.duplicate"), "F9");
  EXPECT_EQ(keys(*bindings, "canvas.bypass"), "M B");
  EXPECT_EQ(keys(*bindings, "canvas.delete"), "Del");
  EXPECT_EQ(bindings->labels()->value("canvas.duplicate"), "F9");
  EXPECT_EQ(bindings->hints()->value("canvas.duplicate"), " (F9)");
  EXPECT_EQ(bindings->actionOnCanvas(Qt::Key_F9, 0), "canvas.duplicate");
  EXPECT_EQ(bindings->actionOnCanvas(Qt::Key_D, Qt::ControlModifier), "");
  bindings = read();
  EXPECT_EQ(keys(*bindings, "canvas.duplicate"), "F9");
  EXPECT_EQ(keys(*bindings, "canvas.bypass"), "M B");
  bindings->set("canvas.duplicate", "F9", "");
  EXPECT_EQ(read()->labels()->value("canvas.duplicate"), "") << "none is a choice, too";
  bindings->reset("canvas.duplicate");
  EXPECT_EQ(keys(*bindings, "canvas.duplicate"), "Ctrl+D");
  EXPECT_TRUE(bindings->customised());
  bindings->resetAll();
  EXPECT_FALSE(bindings->customised());
  EXPECT_FALSE(read()->customised());
}

TEST_F(KeyBindingsTest, AKeyHasOneOwnerWhereBothWouldAct) {
  auto bindings = read();
  EXPECT_EQ(bindings->owner("canvas.bypass", "Ctrl+S"), "file.save") << "the window's comes first";
  EXPECT_EQ(bindings->owner("file.save", "M"), "canvas.bypass");
  EXPECT_EQ(bindings->owner("canvas.bypass", "H"), "canvas.collapse");
  EXPECT_EQ(bindings->owner("viewport.frame", "M"), "") << "never in the same panel";
  EXPECT_EQ(bindings->owner("canvas.bypass", "M"), "") << "its own";
  bindings->set("file.save", "Ctrl+S", "H");
  EXPECT_EQ(keys(*bindings, "canvas.collapse"), "");
  bindings = read();
  EXPECT_EQ(bindings->problem(), "");
  EXPECT_EQ(keys(*bindings, "file.save"), "H");
  EXPECT_EQ(bindings->actionOnCanvas(Qt::Key_H, 0), "");
  bindings->reset("canvas.collapse");
  EXPECT_EQ(keys(*bindings, "canvas.collapse"), "H");
  EXPECT_EQ(keys(*bindings, "file.save"), "");
}

TEST_F(KeyBindingsTest, AKeyIsTheSameOnAllKeyboards) {
  const auto bindings = read();
  EXPECT_EQ(bindings->pressed(Qt::Key_Backtab, Qt::ShiftModifier), "Shift+Tab");
  EXPECT_EQ(bindings->pressed(Qt::Key_Enter, Qt::ControlModifier | Qt::KeypadModifier), "Ctrl+Return");
  EXPECT_EQ(bindings->pressed(Qt::Key_Plus, Qt::ShiftModifier), "+");
  EXPECT_EQ(bindings->pressed(Qt::Key_A, Qt::ShiftModifier), "Shift+A");
  EXPECT_EQ(bindings->pressed(Qt::Key_Shift, Qt::ShiftModifier), "") << "not yet a key";
  EXPECT_EQ(bindings->label("Ctrl+Return"), "Ctrl+Enter");
  EXPECT_EQ(bindings->label("Shift+Left"), "Shift+←");
  EXPECT_EQ(bindings->label("Ctrl++"), "Ctrl++");
  EXPECT_EQ(bindings->sequences()->value("run.run").toStringList(), (QStringList{"Ctrl+Return", "Ctrl+Enter"}));
  EXPECT_EQ(bindings->sequences()->value("file.previous").toStringList(),
            (QStringList{"Ctrl+Shift+Tab", "Ctrl+Shift+Backtab"}));
}

TEST_F(KeyBindingsTest, WhatCannotBeReadLeavesTheDefaultAndIsNamed) {
  write("[keys]\nfile.save=Ctrl+Blah\ncanvas.bypass=B\nno.such=F4\n");
  auto bindings = read();
  EXPECT_EQ(keys(*bindings, "file.save"), "Ctrl+S");
  EXPECT_EQ(keys(*bindings, "canvas.bypass"), "B");
  EXPECT_TRUE(bindings->problem().contains("Save")) << bindings->problem().toStdString();
  EXPECT_FALSE(bindings->problem().contains("Bypass"));
  write("[keys]\ncanvas.bypass=Ctrl+S\n");  // somebody else's
  bindings = read();
  EXPECT_EQ(keys(*bindings, "file.save"), "Ctrl+S");
  EXPECT_EQ(bindings->actionOnCanvas(Qt::Key_S, Qt::ControlModifier), "");
  EXPECT_TRUE(bindings->problem().contains("Bypass"));
  write("[keys\ncanvas.bypass=B\n");
  bindings = read();
  EXPECT_FALSE(bindings->customised());
  EXPECT_FALSE(bindings->problem().isEmpty());
}

}  // namespace
}  // namespace hw::app
