// MemoryNeeds: the memory that a run of the graph as it stands will take, estimated after each edit.
#pragma once

#include <memory>

#include "app/document/after_edits.h"

namespace hw::app {

/// Lives on the GUI thread; lowers the graph and reads its assets on a thread of its own.
class MemoryNeeds : public QObject {
  Q_OBJECT

 public:
  /// `document` outlives it; `device`: by id.
  MemoryNeeds(const Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent = nullptr);

  /// "1.2 GiB (parameters 400 MiB, …)", with several places one after the other; "" while it is not known: errors block
  /// Run, the assets cannot be read.
  const QString& text() const { return text_; }
  /// Why a run would be refused: more of the host's memory than is free at the time of the estimate. "" where it fits.
  /// Free memory of GPUs is known only once a run has begun.
  const QString& excess() const { return excess_; }
  /// An estimate is being made.
  bool busy() const { return analysis_.busy(); }
  /// Estimates soon what a run on this device, by id, will take.
  void setDevice(const QString& device);
  /// Estimates again soon: what the graph reads has changed.
  void renew() { analysis_.renew(); }

 Q_SIGNALS:
  void changed();

 private:
  void set(const QString& text, const QString& excess);

  const std::shared_ptr<Assets> assets_;
  QString device_;
  QString text_, excess_;
  AfterEdits analysis_;
};

}  // namespace hw::app
