// ModelImports: models of ONNX on their way into documents: read on worker threads; the user is asked for sizes that
// have to be known.
#pragma once

#include <QPointer>
#include <QThreadPool>
#include <deque>
#include <memory>

#include "app/document/document.h"
#include "app/models/sizes/sizes_model.h"

namespace hw::app {

/// GUI thread. Several can be read at once; the user is asked about one after another. The destructor waits for the
/// threads.
class ModelImports : public QObject {
  Q_OBJECT
 public:
  using Model = std::shared_ptr<interop::ImportedModel>;

  explicit ModelImports(QObject* parent = nullptr);

  /// The sheet of the model that is asked about.
  SizesModel* sizes() { return &sizes_; }
  /// Reads a file for a document: made(), refused() or givenUp() follows, while the document is there.
  void start(const QString& path, Document* into);

 Q_SIGNALS:
  void made(hw::app::Document* into, const QString& name, const hw::app::ModelImports::Model& model);
  void refused(hw::app::Document* into, const hw::Error& error);
  /// The user cancelled it.
  void givenUp(hw::app::Document* into);

 private:
  struct Import {
    QPointer<Document> into;
    QString path, name;
    std::shared_ptr<const interop::OnnxModel> file;
    Model model;              // as it was read last
    SizesModel::Sizes sizes;  // with these
  };
  void read(const std::shared_ptr<Import>& import);
  void ask();
  void take(const SizesModel::Sizes& sizes);
  /// The first waiting one is done.
  std::shared_ptr<Import> taken();
  SizesModel sizes_;
  std::deque<std::shared_ptr<Import>> waiting_;  // the first is the one that is asked about
  QThreadPool pool_;
};

}  // namespace hw::app
