#include "app/models/field_model.h"

#include "app/document/text.h"
#include "app/models/run_model.h"
#include "engine/run/train_settings.h"

namespace hw::app {
namespace {

constexpr int kRebuildMs = 80;
constexpr int kWeightsMs = 100;

/// The node the viewport shows: the active one when it is a viewer, else the first.
const Node* find_viewer(const Graph& graph, const QString& active) {
  const Node* found = nullptr;
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.role() != Role::viewport || node.bypassed) continue;
    if (to_q(id) == active) return &node;
    if (!found) found = &node;
  }
  return found;
}

/// What is wired into the viewer's input of a kind.
std::optional<SocketRef> source_of(const Graph& graph, const Node& viewer, Kind kind) {
  for (const SocketDecl& input : Registry::instance().find(viewer.type)->decl.inputs()) {
    if (input.kind != kind) continue;
    const std::vector<Link> links = graph.links_into(viewer.id, input.id);
    if (!links.empty()) return SocketRef{links.front().from, links.front().from_socket};
  }
  return std::nullopt;
}

QString for_people(const Error& error) {
  return error.remedy.empty() ? reason_text(error) : reason_text(error) + QLatin1Char(' ') + to_q(error.remedy);
}

}  // namespace

struct FieldModel::Request {
  Graph graph;
  std::optional<SocketRef> mesh, field;
  int generation = 0;
};

struct FieldModel::Built {
  int generation = 0;
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<FieldEvaluator> evaluator;
  std::optional<Error> error;
};

FieldModel::FieldModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), run_(run), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  rebuildSoon_.setSingleShot(true);
  rebuildSoon_.setInterval(kRebuildMs);
  connect(&rebuildSoon_, &QTimer::timeout, this, &FieldModel::rebuild);
  weightsSoon_.setSingleShot(true);
  weightsSoon_.setInterval(kWeightsMs);
  connect(&weightsSoon_, &QTimer::timeout, this, &FieldModel::renewField);
  const auto soon = [this] {
    stale_ = true;
    if (watched_) rebuildSoon_.start();
  };
  connect(&document, &Document::structureChanged, this, soon);
  connect(&document, &Document::reset, this, soon);
  connect(&document, &Document::fileChanged, this, soon);
  connect(&document, &Document::weightsLoaded, this, [this] { weightsSoon_.start(); });
  connect(&document, &Document::selectionChanged, this, [this, soon] {
    const Node* viewer = find_viewer(document_.graph(), document_.activeNode());
    if (viewer && to_q(viewer->id) == document_.activeNode() && document_.activeNode() != viewer_) soon();
  });
  connect(&run, &RunModel::weightsChanged, this, [this] {
    if (watched_ && !weightsSoon_.isActive()) weightsSoon_.start();
  });
}

FieldModel::~FieldModel() {
  work_.waitForDone();
}

void FieldModel::setWatched(bool on) {
  if (on == watched_) return;
  watched_ = on;
  run_.setWeightsWanted(on);
  if (on && stale_) rebuild();
}

void FieldModel::reload() {
  stale_ = true;
  rebuild();
}

void FieldModel::rebuild() {
  if (!watched_ || building_) return;  // accept() comes back here when something changed meanwhile
  stale_ = false;
  auto request = std::make_shared<Request>();
  request->generation = ++generation_;
  const Node* viewer = find_viewer(document_.graph(), document_.activeNode());
  viewer_ = viewer ? to_q(viewer->id) : QString();
  if (viewer) {
    request->mesh = source_of(document_.graph(), *viewer, Kind::mesh);
    if (!document_.validator().blocking(document_.graph(), viewer->id)) {
      request->field = source_of(document_.graph(), *viewer, Kind::tensor);
    }
  }
  if (!request->mesh) {
    auto nothing = std::make_shared<Built>();
    nothing->generation = generation_;
    accept(nothing);
    return;
  }
  request->graph = document_.graph();
  const auto trainer = find_trainer(request->graph);
  seed_ = trainer ? train_settings(*request->graph.find(*trainer)).seed : 0;
  building_ = true;
  Q_EMIT hintChanged();
  work_.start([this, request, assets = assets_] {
    auto built = std::make_shared<Built>();
    built->generation = request->generation;
    auto lowered = lower(request->graph, std::span(&*request->mesh, 1), {}, *assets);
    if (lowered) {
      if (const auto* mesh = std::get_if<std::shared_ptr<const Mesh>>(&lowered->sockets.at(*request->mesh))) {
        built->mesh = *mesh;
      }
    } else {
      built->error = lowered.error();
    }
    if (request->field) {
      auto evaluator = FieldEvaluator::make(request->graph, *request->field, assets);
      if (evaluator) {
        built->evaluator = *evaluator;
      } else if (!built->error) {
        built->error = evaluator.error();
      }
    }
    // The destructor waits for this thread.
    QMetaObject::invokeMethod(
        this, [this, built] { accept(built); }, Qt::QueuedConnection);
  });
}

void FieldModel::accept(const std::shared_ptr<Built>& built) {
  building_ = false;
  if (built->generation == generation_) {
    if (built->mesh != mesh_) {
      mesh_ = built->mesh;
      Q_EMIT meshChanged();
    }
    evaluator_ = built->evaluator ? std::make_shared<WeightedField>(built->evaluator, seed_) : nullptr;
    renewField();
    if (viewer_.isEmpty()) {
      hint_ = tr("Add a Viewport node and wire a mesh to it to see it here.");
    } else if (built->error) {
      hint_ = for_people(*built->error);
    } else {
      hint_ = mesh_ ? QString() : tr("Wire a mesh to the Viewport node to see it here.");
    }
  }
  Q_EMIT hintChanged();
  if (stale_) rebuildSoon_.start();
}

void FieldModel::renewField() {
  if (!evaluator_) {
    if (!field_) return;
    field_.reset();
    Q_EMIT fieldChanged();
    return;
  }
  std::shared_ptr<const Weights> weights = run_.snapshot().weights;
  if (!weights) weights = document_.weights();
  field_ = evaluator_->with(std::move(weights));
  Q_EMIT fieldChanged();
}

}  // namespace hw::app
