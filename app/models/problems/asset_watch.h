// AssetWatch: whether the files that nodes name are there, what they lack, and when they change on disk.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include "app/document/document_assets.h"

namespace hw::app {

/// Checks again after edits, and when the document gets another file; the disk is read on a worker: meshes and pictures
/// whole, of data sets only whether they are there. GUI thread.
class AssetWatch : public QObject {
  Q_OBJECT

 public:
  AssetWatch(Document& document, std::shared_ptr<DocumentAssets> assets, QObject* parent = nullptr);
  ~AssetWatch() override;

  /// HW-A00x for each parameter whose file is not there or cannot be read, and what a mesh lacks (HW-A003, warnings).
  /// The remedy of HW-A001 has no edits: the user must find the file.
  const std::vector<Diagnostic>& problems() const { return problems_; }
  bool busy() const { return working_; }

 Q_SIGNALS:
  void problemsChanged();
  /// A file that nodes name, a texture of a mesh or a file of a data set was written anew. Not emitted while it is
  /// still being written.
  void fileChanged(const QString& name);

 private:
  void look();
  void onDisk(const QString& path);
  Document& document_;
  std::shared_ptr<DocumentAssets> assets_;
  std::vector<Diagnostic> problems_;
  QFileSystemWatcher watcher_;
  QTimer lookSoon_{this}, notifySoon_{this};
  QStringList written_;
  bool working_ = false, again_ = false;
  QThreadPool work_;
};

}  // namespace hw::app
