#include "app/models/plot_model.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/models/run_model.h"
#include "engine/run/train_settings.h"

namespace hw::app {
namespace {

constexpr int kRebuildMs = 80;
constexpr int kWeightsMs = 100;

/// The Plot View that is meant: the active node, else the first.
std::optional<PlotSources> find_view(const Graph& graph, const QString& active) {
  if (const Node* node = graph.find(to_std(active)))
    if (auto view = plot_view_of(*node, graph)) return view;
  return find_plot_view(graph);
}

QString for_people(const Error& error) {
  return error.remedy.empty() ? reason_text(error) : reason_text(error) + QLatin1Char(' ') + to_q(error.remedy);
}

/// The node's name, and the socket's where it has several.
QString name_of(const Graph& graph, const SocketRef& from) {
  const Node* node = graph.find(from.node);
  const NodeType* type = node ? Registry::instance().find(node->type) : nullptr;
  if (!type) return to_q(from.node);
  const QString name = to_q(display_name(*node));
  const SocketDecl* socket = type->decl.find_output(from.socket);
  return type->decl.outputs().size() < 2 || !socket ? name : name + QStringLiteral(" · ") + to_q(socket->label);
}

}  // namespace

struct PlotModel::Built {
  int generation = 0;
  uint64_t seed = 0;
  std::optional<PlotSources> view;
  std::shared_ptr<PlotEvaluator> plot;
  std::optional<Error> error;
};

PlotModel::PlotModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), run_(run), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  rebuildSoon_.setSingleShot(true);
  rebuildSoon_.setInterval(kRebuildMs);
  connect(&rebuildSoon_, &QTimer::timeout, this, &PlotModel::rebuild);
  drawSoon_.setSingleShot(true);
  drawSoon_.setInterval(kWeightsMs);
  connect(&drawSoon_, &QTimer::timeout, this, &PlotModel::draw);
  const auto soon = [this] {
    stale_ = true;
    if (watched_) rebuildSoon_.start();
  };
  connect(&document, &Document::structureChanged, this, soon);
  connect(&document, &Document::reset, this, soon);
  connect(&document, &Document::fileChanged, this, soon);
  connect(&document, &Document::nodesChanged, this, &PlotModel::linesChanged);  // names are shown
  connect(&document, &Document::selectionChanged, this, [this, soon] {
    const Node* active = document_.graph().find(to_std(document_.activeNode()));
    if (active && document_.activeNode() != viewer_ && plot_view_of(*active, document_.graph())) soon();
  });
  const auto weights = [this] {
    if (watched_ && !drawSoon_.isActive()) drawSoon_.start();
  };
  connect(&document, &Document::weightsLoaded, this, weights);
  connect(&run, &RunModel::weightsChanged, this, weights);
}

PlotModel::~PlotModel() {
  cancel_ = true;
  work_.waitForDone();
}

QVariantList PlotModel::legend() const {
  QVariantList list;
  if (empty() || !built_ || !built_->view) return list;
  for (const PlotSources::Line& line : built_->view->lines) {
    const auto found =
        std::find_if(lines_->begin(), lines_->end(), [&](const PlotLine& l) { return l.input == line.input; });
    if (found == lines_->end()) continue;
    QString text = name_of(document_.graph(), line.from);
    if (found->rows > kMostPlotRows) text += tr(" (%1 of %2)").arg(kMostPlotRows).arg(found->rows);
    list.append(QVariantMap{{"input", static_cast<int>(line.input)}, {"text", text}});
  }
  return list;
}

QString PlotModel::along() const {
  return built_ && built_->view && built_->view->x ? name_of(document_.graph(), *built_->view->x) : QString();
}

void PlotModel::setWatched(bool on) {
  if (on == watched_) return;
  watched_ = on;
  run_.setWeightsWanted(on);
  if (!on) return;
  if (stale_)
    rebuild();
  else
    drawSoon_.start();
}

void PlotModel::reload() {
  stale_ = true;
  rebuild();
}

void PlotModel::rebuild() {
  if (!watched_ || building_) return;  // accept() comes back here when something changed meanwhile
  stale_ = false;
  cancel_ = true;
  auto built = std::make_shared<Built>();
  built->generation = ++generation_;
  built->view = find_view(document_.graph(), document_.activeNode());
  viewer_ = built->view ? to_q(built->view->node) : QString();
  if (!built->view || built->view->lines.empty() ||
      document_.validator().blocking(document_.graph(), built->view->node)) {
    accept(built);
    return;
  }
  const auto trainer = find_trainer(document_.graph());
  built->seed = trainer ? train_settings(*document_.graph().find(*trainer)).seed : 0;
  building_ = true;
  Q_EMIT hintChanged();
  work_.start([this, built, graph = document_.graph(), assets = assets_] {
    auto plot = PlotEvaluator::make(graph, *built->view, *assets);
    if (plot) {
      built->plot = *plot;
    } else {
      built->error = plot.error();
    }
    // The destructor waits for this thread.
    QMetaObject::invokeMethod(
        this, [this, built] { accept(built); }, Qt::QueuedConnection);
  });
}

void PlotModel::accept(const std::shared_ptr<Built>& built) {
  building_ = false;
  if (built->generation == generation_) {
    built_ = built;
    lines_.reset();
    Q_EMIT linesChanged();
    if (viewer_.isEmpty()) {
      setHint(tr("Add a Plot View node and wire a tensor to it to see its lines here."));
    } else if (built->error) {
      setHint(for_people(*built->error));
    } else if (built->view->lines.empty()) {
      setHint(tr("Wire a tensor to the Plot View node to see its lines here."));
    } else {
      setHint(built->plot ? QString() : tr("The wires into the Plot View have problems: see below."));
    }
    draw();
  }
  Q_EMIT hintChanged();
  if (stale_) rebuildSoon_.start();
}

void PlotModel::draw() {
  if (!watched_ || building_ || !built_ || !built_->plot) return;
  newer_ = true;
  if (drawing_) return;  // its end comes back here
  drawing_ = true;
  newer_ = false;
  cancel_ = false;
  std::shared_ptr<const Weights> weights = run_.snapshot().weights;
  if (!weights) weights = document_.weights();
  work_.start([this, built = built_, weights] {
    auto drawn = built->plot->evaluate(weights, built->seed, &cancel_);
    QMetaObject::invokeMethod(
        this, [this, generation = built->generation, drawn = std::move(drawn)] { show(generation, drawn); },
        Qt::QueuedConnection);
  });
}

void PlotModel::show(int generation, const Result<std::vector<PlotLine>>& drawn) {
  drawing_ = false;
  if (generation == generation_) {
    if (drawn) lines_ = std::make_shared<const std::vector<PlotLine>>(*drawn);
    setHint(drawn ? QString() : for_people(drawn.error()));
    Q_EMIT linesChanged();
  }
  if (newer_ && watched_) drawSoon_.start();
}

void PlotModel::setHint(const QString& hint) {
  if (hint == hint_) return;
  hint_ = hint;
  Q_EMIT hintChanged();
}

}  // namespace hw::app
