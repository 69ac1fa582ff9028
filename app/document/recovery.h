// Recovery: graphs with unsaved changes on disk, for the next start should this one end badly.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <memory>
#include <vector>

#include "app/document/document.h"

class QLockFile;

namespace hw::app {

/// A document's graph as it was not saved.
struct UnsavedGraph {
  Graph graph;
  QString path;    // of the document's file; "" where it has none
  FileStamp file;  // as the document knew it
  QString title;
  QDateTime when;
  QString kept;  // the name it is kept under
};

/// One folder for all programs of a person, each with a lock and with files of its own. GUI thread; files are written
/// and removed in order on a worker thread, which the destructor waits for. Files stay until drop().
class Recovery : public QObject {
  Q_OBJECT

 public:
  explicit Recovery(const QString& folder, QObject* parent = nullptr);
  ~Recovery() override;

  /// What programs that are gone have left. It is this one's from then on.
  std::vector<UnsavedGraph> take();
  QString freshName();
  /// Replaces what has the name `unsaved.kept`.
  void keep(UnsavedGraph unsaved);
  void drop(const QString& name);
  /// Waits for what is being written.
  void wait() { work_.waitForDone(); }

 Q_SIGNALS:
  /// Unsaved changes could not be kept, or brought back; once until it works again.
  void failed(const QString& code, const QString& reason, const QString& remedy);

 private:
  QString file(const QString& name) const;
  void takeFrom(const QString& program, std::vector<UnsavedGraph>& taken);
  void tell(const Status& done);

  QString folder_, program_;
  std::unique_ptr<QLockFile> lock_;
  int count_ = 0;
  bool failing_ = false;
  QThreadPool work_;  // one thread
};

}  // namespace hw::app
