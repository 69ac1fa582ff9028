#include "app/desktop/model_imports.h"

#include <QFileInfo>

#include "app/document/task.h"
#include "app/document/text.h"
#include "app/interop/onnx/group_scopes.h"
#include "engine/io/tensor/weights_file.h"

namespace hw::app {
namespace {

/// With weights of its own: the file may change while the document is open.
Result<ModelImports::Model> model_with(const interop::OnnxModel& file, const QString& path,
                                       const SizesModel::Sizes& sizes) {
  HW_TRY(interop::ImportedModel flat, interop::import_graph(file, {.given = {}, .sizes = sizes}));
  HW_CHECK(copy_mapped(flat.weights, to_path(path)));
  return std::make_shared<interop::ImportedModel>(interop::with_groups(std::move(flat)));
}

}  // namespace

ModelImports::ModelImports(QObject* parent) : QObject(parent) {
  connect(&sizes_, &SizesModel::accepted, this, &ModelImports::take);
  connect(&sizes_, &SizesModel::cancelled, this, [this] {
    if (const auto import = taken(); import->into) Q_EMIT givenUp(import->into);
  });
}

void ModelImports::start(const QString& path, Document* into) {
  const auto import = std::make_shared<Import>();
  import->into = into;
  import->path = path;
  import->name = QFileInfo(path).completeBaseName();
  start_work(
      pool_, this,
      [path]() -> Result<std::shared_ptr<Import>> {
        const auto done = std::make_shared<Import>();
        HW_TRY(interop::OnnxModel file, interop::read_onnx(to_path(path)));
        done->file = std::make_shared<const interop::OnnxModel>(std::move(file));
        done->sizes = SizesModel::proposed(*done->file);
        HW_TRY(done->model, model_with(*done->file, path, done->sizes));
        return done;
      },
      [this, import](Result<std::shared_ptr<Import>> done) {
        if (!import->into) return;
        if (!done) return Q_EMIT refused(import->into, done.error());
        import->file = std::move((*done)->file);
        import->model = std::move((*done)->model);
        import->sizes = std::move((*done)->sizes);
        read(import);
      });
}

void ModelImports::read(const std::shared_ptr<Import>& import) {
  if (!SizesModel::asks(*import->file, *import->model)) return Q_EMIT made(import->into, import->name, import->model);
  waiting_.push_back(import);
  if (waiting_.size() == 1) ask();
}

void ModelImports::ask() {
  while (!waiting_.empty() && !waiting_.front()->into) waiting_.pop_front();  // its document was closed
  if (!waiting_.empty() && sizes_.name().isEmpty())
    sizes_.show(waiting_.front()->name, *waiting_.front()->file, *waiting_.front()->model);
}

void ModelImports::take(const SizesModel::Sizes& sizes) {
  const auto import = waiting_.front();
  const auto finish = [this, import] {
    taken();
    if (import->into) Q_EMIT made(import->into, import->name, import->model);
  };
  if (sizes == import->sizes) return finish();
  sizes_.setBusy(true);
  start_work(
      pool_, this, [file = import->file, path = import->path, sizes] { return model_with(*file, path, sizes); },
      [this, import, sizes, finish](Result<Model> model) {
        if (waiting_.empty() || waiting_.front() != import) return;  // given up meanwhile
        if (!model) return sizes_.refuse(reason_text(model.error()) + QLatin1Char(' ') + to_q(model.error().remedy));
        import->model = std::move(*model);
        import->sizes = sizes;
        if (sizes_.renew(*import->model)) finish();
      });
}

std::shared_ptr<ModelImports::Import> ModelImports::taken() {
  auto import = std::move(waiting_.front());
  waiting_.pop_front();
  sizes_.close();
  // Once the sheet is closed.
  QMetaObject::invokeMethod(this, &ModelImports::ask, Qt::QueuedConnection);
  return import;
}

}  // namespace hw::app
