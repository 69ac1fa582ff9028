// Autosave: keeps the unsaved changes of one document in a Recovery, soon after each edit.
#pragma once

#include <QTimer>

#include "app/document/document.h"
#include "app/document/recovery.h"

namespace hw::app {

/// Writes at most every kKeepMs milliseconds; what is saved, or undone, is dropped. Trained weights are not kept. GUI
/// thread.
class Autosave : public QObject {
  Q_OBJECT

 public:
  static constexpr int kKeepMs = 1000;

  Autosave(Document& document, Recovery& recovery, QObject* parent = nullptr);
  ~Autosave() override;  // an edit of the last moment is still kept

  /// Puts back what was not saved, as the changes of the document.
  void restore(UnsavedGraph unsaved);
  /// The changes are given up; those that come are kept again.
  void forget();

 private:
  void edited();
  void look();
  void drop();
  void keep();

  Document& document_;
  Recovery& recovery_;
  QString name_;  // in the Recovery; "": nothing is kept
  bool forgotten_ = false;
  QTimer soon_{this};
};

}  // namespace hw::app
