// AfterEdits: looks at a document on a thread of its own, soon after each edit.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <functional>

#include "app/document/document.h"

namespace hw::app {

/// Edits that come fast are looked at once, the last of them always. Lives on the GUI thread.
class AfterEdits : public QObject {
  Q_OBJECT

 public:
  using Told = std::function<void()>;  // on the GUI thread
  using Look = std::function<Told()>;  // on the worker
  /// `begin`: takes what the look needs out of the document. `failed`: where a look throws. `document` outlives it.
  AfterEdits(const Document& document, std::function<Look()> begin, Told failed);
  ~AfterEdits() override;  // waits for the look that is going on

  bool busy() const { return busy_; }
  /// Looks again soon: something else has changed.
  void renew() { soon_.start(); }

 private:
  void look();
  void end(const Told& told);

  std::function<Look()> begin_;
  Told failed_;
  bool busy_ = false, again_ = false;
  QTimer soon_;
  QThreadPool work_;
};

}  // namespace hw::app
