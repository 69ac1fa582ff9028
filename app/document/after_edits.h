// AfterEdits: analyses a document on a worker thread, shortly after each edit.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <functional>

#include "app/document/document.h"

namespace hw::app {

/// Edits in quick succession share one analysis, and the last of them is always in one. Lives on the GUI thread.
class AfterEdits : public QObject {
  Q_OBJECT

 public:
  using Callback = std::function<void()>;      // on the GUI thread
  using Analysis = std::function<Callback()>;  // on the worker
  /// `begin`, on the GUI thread, copies what the analysis needs from the document. `failed` is called when an analysis
  /// throws. `document` must outlive this object.
  AfterEdits(const Document& document, std::function<Analysis()> begin, Callback failed);
  ~AfterEdits() override;  // waits for the analysis in progress

  bool busy() const { return busy_; }
  /// Schedules another analysis: something else has changed.
  void renew() { soon_.start(); }

 private:
  void start();
  void end(const Callback& callback);

  std::function<Analysis()> begin_;
  Callback failed_;
  bool busy_ = false, again_ = false;
  QTimer soon_;
  QThreadPool work_;
};

}  // namespace hw::app
