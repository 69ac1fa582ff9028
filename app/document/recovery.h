// Recovery: graphs with unsaved changes, and what they have learnt, on disk for the next start after a crash.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <map>
#include <memory>
#include <optional>
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

  /// What the graph had learnt and was not saved.
  enum class Learnt {
    none,
    kept,  // lies in `weights`
    lost,  // could not be kept
  };
  Learnt learnt = Learnt::none;
  QString weights = {};  // file, with the optimiser's state beside it
  uint64_t step = 0;     // steps done; 0: not known
};

/// What becomes of the weights that are kept under a name.
struct WeightsToKeep {
  bool any = false;                    // false: there are none to be kept
  std::optional<LearntWeights> newer;  // none: those that are kept already stay
};

/// One folder for all processes of the user, each with a lock and with files of its own. GUI thread; files are written
/// and removed in order on a worker thread, which the destructor waits for. Files stay until drop().
class Recovery : public QObject {
  Q_OBJECT

 public:
  explicit Recovery(const QString& folder, QObject* parent = nullptr);
  ~Recovery() override;

  /// What ended processes have left. This process owns it from then on.
  std::vector<UnsavedGraph> take();
  QString freshName();
  /// Replaces what has the name `unsaved.kept`; kept() follows. A crash in between leaves what was kept before, graph
  /// and weights of one moment.
  void keep(UnsavedGraph unsaved, WeightsToKeep weights = {});
  void drop(const QString& name);
  /// Waits for what is being written.
  void wait() { work_.waitForDone(); }

 Q_SIGNALS:
  /// keep() has ended; it took this long. `whole`: graph and weights are on disk.
  void kept(const QString& name, int ms, bool whole);
  /// Weights were written: what memory that took is free.
  void weightsWritten();
  /// Unsaved changes could not be kept, or brought back, or the folder not be locked; once until it works again.
  void failed(const QString& code, const QString& reason, const QString& remedy);

 private:
  QString file(const QString& name) const;
  QString path(const QString& file) const;
  /// On the worker thread.
  Status write(UnsavedGraph& unsaved, const WeightsToKeep& weights);
  void remove(const QString& weights) const;
  /// Removes weights of an ended process that no graph here names: it ended between two files.
  void removeOrphans(const QString& program) const;
  void takeFrom(const QString& program, std::vector<UnsavedGraph>& taken);
  void report(const Status& done);
  /// failed() with the reason in the place of %1 in `said`.
  void fail(const Error& error, const QString& said);

  QString folder_, program_;
  std::unique_ptr<QLockFile> lock_;
  int count_ = 0;
  bool failing_ = false;
  struct Beside {
    UnsavedGraph::Learnt learnt = UnsavedGraph::Learnt::none;
    QString file;  // its name; "": none
    uint64_t step = 0;
  };
  std::map<QString, Beside> beside_;  // by name; on the worker thread
  int weightsCount_ = 0;              // likewise
  QThreadPool work_;                  // one thread
};

}  // namespace hw::app
