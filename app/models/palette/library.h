// Library: the blocks that palette and search offer, the user's own followed on disk.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QUrl>

#include "app/document/document.h"
#include "engine/io/graph/block_library.h"

namespace hw::app {

/// One for all documents. GUI thread.
class Library : public QObject {
  Q_OBJECT

 public:
  /// `own`: the folder of the user's blocks, which is made when one is saved.
  explicit Library(std::filesystem::path product = product_blocks(), std::filesystem::path own = own_blocks(),
                   QObject* parent = nullptr);

  const BlockLibrary& blocks() const { return blocks_; }
  /// The file of one of the user's blocks; empty: there is none of this key.
  Q_INVOKABLE QUrl ownFile(const QString& key) const;
  /// Where a group of this title would be kept; whether a block is there already.
  Q_INVOKABLE bool isTaken(const QString& title) const;
  /// Writes the group of an instance that is shown to the user's blocks. The document does not change. False: refused()
  /// says why.
  Q_INVOKABLE bool save(hw::app::Document* document, const QString& node);
  /// Deletes the file of one of the user's blocks.
  Q_INVOKABLE void remove(const QString& key);

 Q_SIGNALS:
  void changed();
  void refused(const QString& code, const QString& reason, const QString& remedy);

 private:
  void read();
  std::filesystem::path place_of(const QString& title) const;
  const std::filesystem::path product_, own_;
  BlockLibrary blocks_;
  QFileSystemWatcher watcher_;
};

}  // namespace hw::app
