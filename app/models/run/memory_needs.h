// MemoryNeeds: the memory that a run of the graph as it stands will take, estimated after each edit.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <memory>

#include "app/document/document.h"

namespace hw::app {

/// Lives on the GUI thread; lowers the graph and reads its assets on a thread of its own. Edits that come fast are
/// estimated once.
class MemoryNeeds : public QObject {
  Q_OBJECT

 public:
  /// `document` outlives it; `device`: by id.
  MemoryNeeds(const Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent = nullptr);
  ~MemoryNeeds() override;  // waits for an estimate that is being made

  /// "1.2 GiB (parameters 400 MiB, …)", with several places one after the other; "" while it is not known: errors block
  /// Run, the assets cannot be read.
  const QString& text() const { return text_; }
  /// An estimate is being made.
  bool busy() const { return busy_; }
  /// Estimates soon what a run on this device, by id, will take.
  void setDevice(const QString& device);
  /// Estimates again soon: what the graph reads has changed.
  void renew() { soon_.start(); }

 Q_SIGNALS:
  void changed();

 private:
  void estimate();
  void setText(const QString& text);

  const Document& document_;
  std::shared_ptr<Assets> assets_;
  QString device_;
  QString text_;
  bool busy_ = false, again_ = false;
  QTimer soon_;
  QThreadPool work_;
};

}  // namespace hw::app
