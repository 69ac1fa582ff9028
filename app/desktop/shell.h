// Shell: the open documents and the view-models of the one that is shown, as QML finds them under the name App.
#pragma once

#include <QObject>
#include <QVariantList>

#include "app/desktop/open_documents.h"
#include "app/desktop/problem_report.h"
#include "app/desktop/recent_files.h"
#include "app/models/palette/palette_model.h"
#include "app/models/precision/dtype_cards.h"

namespace hw::app {

/// GUI thread; must outlive the QML engine.
class Shell : public QObject {
  Q_OBJECT
  Q_PROPERTY(hw::app::OpenDocuments* documents READ documents CONSTANT)
  Q_PROPERTY(hw::app::RecentFiles* recent READ recent CONSTANT)
  Q_PROPERTY(hw::app::ProblemReport* report READ report CONSTANT)
  /// What Halfwire is built on: third_party.h.
  Q_PROPERTY(QVariantList thirdParty READ thirdParty CONSTANT)
  Q_PROPERTY(hw::app::DTypeCards* dtypes READ dtypes CONSTANT)
  // What belongs to the document that is shown.
  Q_PROPERTY(hw::app::Document* document READ document NOTIFY shownChanged)
  Q_PROPERTY(hw::app::GraphModel* graph READ graph NOTIFY shownChanged)
  Q_PROPERTY(hw::app::HeatMapModel* heatMap READ heatMap NOTIFY shownChanged)
  Q_PROPERTY(hw::app::GradientFlowModel* gradientFlow READ gradientFlow NOTIFY shownChanged)
  /// {title, view} of training_tabs().
  Q_PROPERTY(QVariantList trainingTabs READ trainingTabs CONSTANT)
  /// The models of the tabs, in the same order.
  Q_PROPERTY(QList<QObject*> trainingModels READ trainingModels NOTIFY shownChanged)
  Q_PROPERTY(hw::app::PaletteModel* palette READ palette CONSTANT)
  Q_PROPERTY(hw::app::Library* library READ library CONSTANT)
  Q_PROPERTY(hw::app::InspectorModel* inspector READ inspector NOTIFY shownChanged)
  Q_PROPERTY(hw::app::GroupInterfaceModel* groupInterface READ groupInterface NOTIFY shownChanged)
  Q_PROPERTY(hw::app::TensorModel* tensors READ tensors NOTIFY shownChanged)
  Q_PROPERTY(hw::app::TensorModel* gradients READ gradients NOTIFY shownChanged)
  Q_PROPERTY(hw::app::ProblemsModel* problems READ problems NOTIFY shownChanged)
  Q_PROPERTY(hw::app::RunModel* run READ run NOTIFY shownChanged)
  Q_PROPERTY(hw::app::FieldModel* field READ field NOTIFY shownChanged)
  Q_PROPERTY(hw::app::PictureModel* picture READ picture NOTIFY shownChanged)
  Q_PROPERTY(hw::app::PlotModel* plot READ plot NOTIFY shownChanged)
  Q_PROPERTY(hw::app::ViewChoice* view READ view NOTIFY shownChanged)
  Q_PROPERTY(hw::app::BakeModel* bake READ bake NOTIFY shownChanged)
  Q_PROPERTY(hw::app::BadValueModel* badValue READ badValue NOTIFY shownChanged)
  Q_PROPERTY(hw::app::DeviceModel* devices READ devices NOTIFY shownChanged)
  Q_PROPERTY(hw::app::InputValues* inputs READ inputs NOTIFY shownChanged)
  Q_PROPERTY(hw::app::JacobianModel* jacobian READ jacobian NOTIFY shownChanged)
  /// A CheckModel each, in the order of checkTabs.
  Q_PROPERTY(QList<QObject*> checks READ checks NOTIFY shownChanged)
  Q_PROPERTY(hw::app::PrecisionModel* precision READ precision NOTIFY shownChanged)
  Q_PROPERTY(hw::app::RewriteModel* rewrites READ rewrites NOTIFY shownChanged)
  Q_PROPERTY(hw::app::WeightMapModel* weightMap READ weightMap NOTIFY shownChanged)
  Q_PROPERTY(hw::app::OnnxExport* onnxExport READ onnxExport NOTIFY shownChanged)
  /// {key, title, action} of kChecks.
  Q_PROPERTY(QVariantList checkTabs READ checkTabs CONSTANT)
  /// The family of the desktop's own text.
  Q_PROPERTY(QString systemFont READ systemFont CONSTANT)
  /// {title, url} of the graphs that come with Halfwire.
  Q_PROPERTY(QVariantList examples READ examples CONSTANT)
  /// The same of the networks among them.
  Q_PROPERTY(QVariantList networks READ networks CONSTANT)
  /// "", "values" or "gradients": which tensors of the active node are inspected, and so measured.
  Q_PROPERTY(QString watched READ watched WRITE setWatched NOTIFY watchedChanged)

 public:
  explicit Shell(QObject* parent = nullptr);

  OpenDocuments* documents() { return &documents_; }
  RecentFiles* recent() { return &recent_; }
  ProblemReport* report() { return &report_; }
  QVariantList thirdParty() const;
  DTypeCards* dtypes() { return &dtypes_; }
  Document* document() { return shown_->document(); }
  GraphModel* graph() { return shown_->graph(); }
  HeatMapModel* heatMap() { return shown_->heatMap(); }
  GradientFlowModel* gradientFlow() { return shown_->gradientFlow(); }
  QVariantList trainingTabs() const;
  QList<QObject*> trainingModels() const;
  PaletteModel* palette() { return &palette_; }
  Library* library() { return &library_; }
  InspectorModel* inspector() { return shown_->inspector(); }
  GroupInterfaceModel* groupInterface() { return shown_->groupInterface(); }
  TensorModel* tensors() { return shown_->tensors(); }
  TensorModel* gradients() { return shown_->gradients(); }
  ProblemsModel* problems() { return shown_->problems(); }
  RunModel* run() { return shown_->run(); }
  FieldModel* field() { return shown_->field(); }
  PictureModel* picture() { return shown_->picture(); }
  PlotModel* plot() { return shown_->plot(); }
  ViewChoice* view() { return shown_->view(); }
  BakeModel* bake() { return shown_->bake(); }
  BadValueModel* badValue() { return shown_->badValue(); }
  DeviceModel* devices() { return shown_->devices(); }
  InputValues* inputs() { return shown_->inputs(); }
  JacobianModel* jacobian() { return shown_->jacobian(); }
  QList<QObject*> checks() const;
  PrecisionModel* precision() { return shown_->precision(); }
  RewriteModel* rewrites() { return shown_->rewrites(); }
  WeightMapModel* weightMap() { return shown_->weightMap(); }
  OnnxExport* onnxExport() { return shown_->onnxExport(); }
  QVariantList checkTabs() const;
  QString systemFont() const;
  QVariantList examples() const;
  QVariantList networks() const;
  /// At the user's very first start: opens the smallest example, when it is there.
  void greet();
  const QString& watched() const { return watched_; }
  void setWatched(const QString& what);
  /// The folder of a file, for dialogs; the user's documents for none.
  Q_INVOKABLE QUrl folderOf(const QString& path) const;
  /// What `text` names, seen from a folder; a whole path and ~ are understood. {kind: "folder", "file", "new" (its
  /// folder is there) or "nowhere", url, name}. A new name without a suffix gets `suffix`.
  Q_INVOKABLE QVariantMap lookUp(const QUrl& folder, const QString& text, const QString& suffix) const;
  /// Puts the halfwire-cli call that does what Run does on the clipboard, and returns it; "" when there is none, and
  /// refused() says why.
  Q_INVOKABLE QString copyCommandLine();
  /// Shows the differences between the shown document and the open one at `row`.
  Q_INVOKABLE void compareWithOpen(int row);
  /// The place nearest below `near` where a new card covers no other. Canvas units.
  Q_INVOKABLE QPointF freeSpot(QPointF near) const;

 Q_SIGNALS:
  void shownChanged();
  void refused(const QString& code, const QString& reason, const QString& remedy);
  void watchedChanged();

 private:
  void show();
  Library library_;
  OpenDocuments documents_;
  RecentFiles recent_;
  ProblemReport report_;
  DTypeCards dtypes_;
  PaletteModel palette_{library_};
  DocumentContext* shown_;
  QString watched_;
};

/// Makes known to QML, beside what app/canvas and app/plots have:
///   Halfwire.App      Shell, as App
///   Halfwire.Models   the types of what panels are given; Calculator
///   Halfwire.Desktop  items of the desktop
void register_types(Shell& shell);

}  // namespace hw::app
