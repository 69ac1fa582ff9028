// BakeModel: bakes what the viewport shows into a mesh file, on a worker, with progress and a way to stop.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QUrl>
#include <atomic>

#include "app/models/views/field_model.h"

namespace hw::app {

/// One bake at a time, with the weights of the moment it begins. GUI thread; nothing here waits but the destructor, for
/// one block of an evaluation or the writing of a file.
class BakeModel : public QObject {
  Q_OBJECT
  /// There is a mesh and a field.
  Q_PROPERTY(bool possible READ possible NOTIFY possibleChanged)
  Q_PROPERTY(bool running READ running NOTIFY runningChanged)
  /// 0 to 1.
  Q_PROPERTY(double progress READ progress NOTIFY progressChanged)

 public:
  explicit BakeModel(FieldModel& field, QObject* parent = nullptr);
  ~BakeModel() override;

  bool possible() const { return field_.mesh() && field_.field(); }
  bool running() const { return running_; }
  double progress() const { return progress_; }
  /// `size` texels a side. Ends with done or failed; cancelled: with neither.
  Q_INVOKABLE void start(const QUrl& file, int size);
  Q_INVOKABLE void cancel() { cancel_ = true; }

 Q_SIGNALS:
  void possibleChanged();
  void runningChanged();
  void progressChanged();
  /// `note`: what the user should know about the file; may be "".
  void done(const QString& file, const QString& note);
  void failed(const QString& code, const QString& reason, const QString& remedy);

 private:
  void setProgress(double progress);

  FieldModel& field_;
  std::atomic<bool> cancel_{false};
  bool running_ = false;
  double progress_ = 0;
  QThreadPool work_;
};

}  // namespace hw::app
