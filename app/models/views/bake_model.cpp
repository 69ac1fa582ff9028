#include "app/models/views/bake_model.h"

#include "app/document/task.h"
#include "app/document/text.h"
#include "engine/bake/bake.h"
#include "engine/core/codes.h"
#include "engine/io/mesh/mesh_export.h"

namespace hw::app {

BakeModel::BakeModel(FieldModel& field, QObject* parent) : QObject(parent), field_(field) {
  work_.setMaxThreadCount(1);
  connect(&field_, &FieldModel::meshChanged, this, &BakeModel::possibleChanged);
  connect(&field_, &FieldModel::fieldChanged, this, &BakeModel::possibleChanged);
}

BakeModel::~BakeModel() {
  cancel_ = true;
  work_.waitForDone();
}

void BakeModel::setProgress(double progress) {
  if (progress == progress_) return;
  progress_ = progress;
  Q_EMIT progressChanged();
}

void BakeModel::start(const QUrl& file, int size) {
  if (running_ || !possible()) return;
  running_ = true;
  cancel_ = false;
  setProgress(0);
  Q_EMIT runningChanged();
  const QString path = file.toLocalFile();
  // The destructor waits for this thread, so it may use `this` as an address to post to.
  const auto bake = [this, path, size, mesh = field_.mesh(), field = field_.field()]() -> Result<QString> {
    BakeOptions options;
    options.size = size;
    options.cancel = &cancel_;
    options.progress = [this](double progress) {
      QMetaObject::invokeMethod(
          this, [this, progress] { setProgress(progress); }, Qt::QueuedConnection);
    };
    const std::filesystem::path target(path.toStdString());
    HW_CHECK(check_mesh_name(target));
    HW_TRY(const auto baked, bake_field(*mesh, *field, options));
    QString note;
    if (baked.unwrapped) {
      note = baked.reason.empty() ? tr("It has new texture coordinates.")
                                  : tr("It has new texture coordinates: %1").arg(to_q(baked.reason));
    }
    HW_CHECK(save_mesh(*baked.mesh, target));
    return note;
  };
  start_work(work_, this, bake, [this, path](const Result<QString>& note) {
    running_ = false;
    Q_EMIT runningChanged();
    if (note)
      Q_EMIT done(path, *note);
    else if (note.error().code != codes::cancelled)
      Q_EMIT failed(to_q(note.error().code), reason_text(note.error()), to_q(note.error().remedy));
  });
}

}  // namespace hw::app
