// AssetWatch: whether the files that nodes name are there, and when they change on disk.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include "app/document/document_assets.h"

namespace hw::app {

/// Looks again after edits, and when the document gets another file; the disk is read on a worker. GUI thread.
class AssetWatch : public QObject {
  Q_OBJECT

 public:
  AssetWatch(Document& document, std::shared_ptr<DocumentAssets> assets, QObject* parent = nullptr);
  ~AssetWatch() override;

  /// One HW-A001 for each parameter whose file or folder is not there; its remedy has no edits: a person must find it.
  const std::vector<Diagnostic>& missing() const { return missing_; }
  bool busy() const { return working_; }

 Q_SIGNALS:
  void missingChanged();
  /// A file that nodes name was written anew. Not told while it is still being written.
  void fileChanged(const QString& name);

 private:
  void look();
  void onDisk(const QString& path);
  Document& document_;
  std::shared_ptr<DocumentAssets> assets_;
  std::vector<Diagnostic> missing_;
  QFileSystemWatcher watcher_;
  QTimer lookSoon_, tellSoon_;
  QStringList written_;
  bool working_ = false, again_ = false;
  QThreadPool work_;
};

}  // namespace hw::app
