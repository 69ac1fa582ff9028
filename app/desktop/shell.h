// Shell: the document and its view-models, as QML finds them under the name App.
#pragma once

#include <QObject>
#include <QVariantList>

#include "app/document/document.h"
#include "app/models/field_model.h"
#include "app/models/graph_model.h"
#include "app/models/inspector_model.h"
#include "app/models/palette_model.h"
#include "app/models/problems_model.h"
#include "app/models/run_model.h"
#include "app/models/tensor_model.h"

namespace hw::app {

class DocumentAssets;

/// Owns one of each. GUI thread; must outlive the QML engine.
class Shell : public QObject {
  Q_OBJECT
  Q_PROPERTY(hw::app::Document* document READ document CONSTANT)
  Q_PROPERTY(hw::app::GraphModel* graph READ graph CONSTANT)
  Q_PROPERTY(hw::app::PaletteModel* palette READ palette CONSTANT)
  Q_PROPERTY(hw::app::InspectorModel* inspector READ inspector CONSTANT)
  Q_PROPERTY(hw::app::TensorModel* tensors READ tensors CONSTANT)
  Q_PROPERTY(hw::app::TensorModel* gradients READ gradients CONSTANT)
  Q_PROPERTY(hw::app::ProblemsModel* problems READ problems CONSTANT)
  Q_PROPERTY(hw::app::RunModel* run READ run CONSTANT)
  Q_PROPERTY(hw::app::FieldModel* field READ field CONSTANT)
  /// The family of the desktop's own text.
  Q_PROPERTY(QString systemFont READ systemFont CONSTANT)
  /// {title, url} of the graphs that come with Halfwire.
  Q_PROPERTY(QVariantList examples READ examples CONSTANT)
  /// "", "values" or "gradients": what of the active node is looked at, and so measured.
  Q_PROPERTY(QString watched READ watched WRITE setWatched NOTIFY watchedChanged)

 public:
  explicit Shell(QObject* parent = nullptr);

  Document* document() { return &document_; }
  GraphModel* graph() { return &graph_; }
  PaletteModel* palette() { return &palette_; }
  InspectorModel* inspector() { return &inspector_; }
  TensorModel* tensors() { return &tensors_; }
  TensorModel* gradients() { return &gradients_; }
  ProblemsModel* problems() { return &problems_; }
  RunModel* run() { return &run_; }
  FieldModel* field() { return &field_; }
  QString systemFont() const;
  QVariantList examples() const;
  const QString& watched() const { return watched_; }
  void setWatched(const QString& what);
  /// The folder of a file, for dialogs; the user's documents for none.
  Q_INVOKABLE QUrl folderOf(const QString& path) const;
  /// What `text` names, seen from a folder; a whole path and ~ are understood. {kind: "folder", "file", "new" (its
  /// folder is there) or "nowhere", url, name}. A new name without a suffix gets `suffix`.
  Q_INVOKABLE QVariantMap lookUp(const QUrl& folder, const QString& text, const QString& suffix) const;
  /// The place nearest below `near` where a new card covers no other. Canvas units.
  Q_INVOKABLE QPointF freeSpot(QPointF near) const;

 Q_SIGNALS:
  void watchedChanged();

 private:
  Document document_;
  std::shared_ptr<DocumentAssets> assets_;
  RunModel run_;
  GraphModel graph_;
  PaletteModel palette_;
  InspectorModel inspector_;
  TensorModel tensors_, gradients_;
  ProblemsModel problems_;
  FieldModel field_;
  QString watched_;
};

/// Makes Shell's and the desktop's types known to QML: modules Halfwire.App and Halfwire.Desktop.
void register_types(Shell& shell);

}  // namespace hw::app
