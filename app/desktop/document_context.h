// DocumentContext: one open document with everything that follows it: its run and its view-models.
#pragma once

#include <QObject>

#include "app/desktop/document_parts.h"
#include "app/desktop/training_tabs.h"
#include "app/document/autosave.h"
#include "app/document/document.h"
#include "app/document/document_assets.h"
#include "app/models/checks/bad_value_model.h"
#include "app/models/checks/gradient_check_model.h"
#include "app/models/checks/parity_model.h"
#include "app/models/checks/xray_heat.h"
#include "app/models/exports/onnx_export.h"
#include "app/models/graph/graph_model.h"
#include "app/models/graph/pass_marks.h"
#include "app/models/inspector/group_interface_model.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/inspector/jacobian_model.h"
#include "app/models/instruments/gradient_flow_model.h"
#include "app/models/instruments/heat_map_model.h"
#include "app/models/instruments/instruments_heat.h"
#include "app/models/precision/precision_model.h"
#include "app/models/previews/card_facts.h"
#include "app/models/previews/node_previews.h"
#include "app/models/problems/asset_watch.h"
#include "app/models/problems/problems_model.h"
#include "app/models/problems/structure_watch.h"
#include "app/models/rewrite/rewrite_model.h"
#include "app/models/run/device_model.h"
#include "app/models/run/input_values.h"
#include "app/models/run/run_model.h"
#include "app/models/tensors/evaluated_node.h"
#include "app/models/tensors/tensor_model.h"
#include "app/models/views/bake_model.h"
#include "app/models/views/field_model.h"
#include "app/models/views/picture_model.h"
#include "app/models/views/plot_model.h"
#include "app/models/views/view_choice.h"
#include "app/models/weights/weight_map_model.h"

namespace hw::app {

/// Owns one of each; each knows only this document. A run goes on while another document is shown. GUI thread.
class DocumentContext : public QObject {
  Q_OBJECT
  Q_PROPERTY(hw::app::Document* document READ document CONSTANT)
  Q_PROPERTY(hw::app::RunModel* run READ run CONSTANT)

 public:
  explicit DocumentContext(Recovery& recovery, QObject* parent = nullptr);

  Document* document() { return &document_; }
  const Document* document() const { return &document_; }
  Autosave* autosave() { return &autosave_; }
  RunModel* run() { return &run_; }
  GraphModel* graph() { return &graph_; }
  HeatMapModel* heatMap() { return &heatMap_; }
  DeviceModel* devices() { return &devices_; }
  GradientFlowModel* gradientFlow() { return &gradientFlow_; }
  /// In the order of training_tabs().
  const std::vector<TabModel>& trainingTabs() const { return trainingTabs_; }
  InspectorModel* inspector() { return &inspector_; }
  GroupInterfaceModel* groupInterface() { return &groupInterface_; }
  TensorModel* tensors() { return &tensors_; }
  TensorModel* gradients() { return &gradients_; }
  ProblemsModel* problems() { return &problems_; }
  FieldModel* field() { return &field_; }
  PictureModel* picture() { return &picture_; }
  PlotModel* plot() { return &plot_; }
  ViewChoice* view() { return &view_; }
  BakeModel* bake() { return &bake_; }
  BadValueModel* badValue() { return &badValue_; }
  InputValues* inputs() { return &inputs_; }
  JacobianModel* jacobian() { return &jacobian_; }
  /// In the order of kChecks.
  const std::array<CheckModel*, kChecks.size()>& checks() const { return checks_; }
  PrecisionModel* precision() { return &precision_; }
  RewriteModel* rewrites() { return &rewrites_; }
  WeightMapModel* weightMap() { return &weightMap_; }
  OnnxExport* onnxExport() { return &onnxExport_; }

  /// "", "values" or "gradients": which tensors of the active node are inspected, and so measured.
  void watch(const QString& what);
  /// Stops what runs, so that it becomes quiet.
  void leave() { parts_.leave(); }
  /// Nothing was made, opened or trained here yet.
  bool untouched() const;
  /// No worker thread holds it up: deleting it does not wait. False while it trains, loads or writes.
  bool quiet() const { return !parts_.busy(); }

 Q_SIGNALS:
  /// A file that nodes name has changed on disk and was read again.
  void fileReloaded(const QString& name, bool running);

 private:
  /// While a run goes on its own tensors are shown, and no other consumer needs its weights for them.
  void evaluateNode() { evaluatedNode_.setWatched(valuesWatched_ && (!run_.running() || groupIsActive())); }
  /// Runs hand out no tensors of groups.
  bool groupIsActive() const;
  /// Problems that the graph's own rules do not see: files, what checks found, hints about the structure.
  void gatherFindings();
  /// A model with a worker of its own, or that reads files, has its line here; but for those whose work ends by itself
  /// at once: tensors, values of Inputs, maps of weights.
  void add_parts();

  // In the order in which they are made: each is given those before it.
  Document document_;
  Autosave autosave_;
  std::shared_ptr<DocumentAssets> assets_ = assets_of(document_);
  RunModel run_{document_, assets_};
  InputValues inputs_{document_, *run_.evaluation()};
  DeviceModel devices_{document_, run_};
  InstrumentsModel instruments_{run_};
  GradientFlowModel gradientFlow_{document_, run_};
  const std::vector<TabModel> trainingTabs_ = make_training_tabs(document_, run_);
  GraphModel graph_{document_};
  PassMarks passMarks_{document_, assets_, run_.device()};
  InspectorModel inspector_{document_};
  GroupInterfaceModel groupInterface_{document_};
  EvaluatedNode evaluatedNode_{document_, run_, assets_};
  NodePreviews previews_{document_, run_, assets_};
  CardFacts cardFacts_{document_, run_, previews_};
  TensorModel tensors_{run_, &evaluatedNode_, TensorModel::What::values};
  TensorModel gradients_{run_, nullptr, TensorModel::What::gradients};
  ProblemsModel problems_{document_};
  FieldModel field_{document_, run_, assets_};
  PictureModel picture_{document_, run_, assets_};
  PlotModel plot_{document_, run_, assets_};
  ViewChoice view_{document_};
  BakeModel bake_{field_};
  XrayModel xray_{document_, run_, assets_};
  InstrumentsHeat instrumentsHeat_{instruments_};
  XrayHeat xrayHeat_{xray_};
  HeatMapModel heatMap_{{&instrumentsHeat_, &xrayHeat_}};
  BadValueModel badValue_{document_, run_, assets_};
  JacobianModel jacobian_{document_, run_, assets_};
  GradientCheckModel gradientCheck_{document_, assets_};
  ParityModel parity_{document_, run_, assets_};
  const std::array<CheckModel*, kChecks.size()> checks_;
  PrecisionModel precision_{document_, run_, assets_};
  RewriteModel rewrites_{document_, run_, assets_};
  WeightMapModel weightMap_{document_, run_};
  OnnxExport onnxExport_{document_, assets_};
  AssetWatch watch_{document_, assets_};
  StructureWatch structure_{document_, assets_};
  DocumentParts parts_;
  bool valuesWatched_ = false;
};

}  // namespace hw::app
