// Autosave: keeps the unsaved changes of one document, and what it has learnt, in a Recovery, soon after each edit and
// while it trains.
#pragma once

#include <QTimer>

#include "app/document/document.h"
#include "app/document/recovery.h"

namespace hw::app {

/// Writes at most every kKeepMs milliseconds, less often where that takes more than a fifth of the time; what is saved,
/// or undone, is dropped. A run's weights are those of its newest step. GUI thread.
class Autosave : public QObject {
  Q_OBJECT

 public:
  static constexpr int kKeepMs = 1000;

  Autosave(Document& document, Recovery& recovery, QObject* parent = nullptr);
  ~Autosave() override;  // an edit of the last moment is still kept

  /// Puts back what was not saved, as the changes of the document; its weights are read, DocumentWeights::loaded()
  /// follows.
  void restore(UnsavedGraph unsaved);
  /// The changes are given up; those that come are kept again.
  void forget();

 private:
  void edited();
  void look();
  void drop();
  void keep();
  void kept(const QString& name, int ms, bool whole);

  Document& document_;
  Recovery& recovery_;
  QString name_;  // in the Recovery; "": nothing is kept
  bool forgotten_ = false;
  bool again_ = false;                            // something came while keeping_
  bool keeping_ = false;                          // one at a time: the next has what comes meanwhile
  std::shared_ptr<const Weights> keptWeights_;    // those that are kept, by the Recovery's last keep()
  std::shared_ptr<const Checkpoint> keptStates_;  // as the document has them
  QTimer soon_{this};
};

}  // namespace hw::app
