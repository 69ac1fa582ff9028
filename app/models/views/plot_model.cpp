#include "app/models/views/plot_model.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "engine/devices/devices.h"

namespace hw::app {
namespace {

/// The Plot View that is meant: the active node, else the first.
std::optional<PlotSources> find_plot(const Graph& graph, const QString& active) {
  if (const Node* node = graph.find(to_std(active)))
    if (auto view = plot_view_of(*node, graph)) return view;
  return find_plot_view(graph);
}

/// The node's name, and the socket's where it has several.
QString name_of(const Graph& graph, const SocketRef& from) {
  const Node* node = graph.find(from.node);
  const NodeType* type = node ? Registry::instance().find(node->type) : nullptr;
  if (!type) return to_q(from.node);
  const QString name = to_q(display_name(*node));
  const Declaration declared = type->declared(node->params);
  const SocketDecl* socket = declared->find_output(from.socket);
  return declared->outputs().size() < 2 || !socket ? name : name + QStringLiteral(" · ") + to_q(socket->label);
}

}  // namespace

struct PlotModel::Built {
  uint64_t seed = 0, step = 0;
  ForwardMode mode = ForwardMode::evaluation;
  std::optional<PlotSources> view;
  std::shared_ptr<PlotEvaluator> plot;
  std::optional<Error> error;
};

PlotModel::PlotModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : WatchedView(document, run, std::move(assets), parent) {
  connect(&document, &Document::nodesChanged, this, &PlotModel::contentChanged);  // names are shown
  connect(run.evaluation(), &Evaluation::modeChanged, this, &PlotModel::changed);
  connect(run.evaluation(), &Evaluation::inputsChanged, this, &PlotModel::changed);
}

PlotModel::~PlotModel() {
  end();
}

bool PlotModel::shows(const Node& node) const {
  return plot_view_of(node, document_.flat()).has_value();
}

QVariantList PlotModel::legend() const {
  QVariantList list;
  if (empty() || !built_ || !built_->view) return list;
  for (const PlotSources::Line& line : built_->view->lines) {
    const auto found =
        std::find_if(lines_->begin(), lines_->end(), [&](const PlotLine& l) { return l.input == line.input; });
    if (found == lines_->end()) continue;
    QString text = name_of(document_.flat(), line.from);
    if (found->rows > kMostPlotRows) text += tr(" (%1 of %2)").arg(kMostPlotRows).arg(found->rows);
    list.append(QVariantMap{{"input", static_cast<int>(line.input)}, {"text", text}});
  }
  return list;
}

PlotModel::Plan PlotModel::plan() {
  auto built = std::make_shared<Built>();
  built->view = find_plot(document_.flat(), document_.activePath());
  const QString id = built->view ? to_q(built->view->node) : QString();
  const bool blocked =
      built->view && document_.validator().blocking(document_.flat(), built->view->node, Pins::ignored);
  if (!built->view || built->view->lines.empty() || blocked) {
    const QString hint = !built->view ? tr("Add a Plot View node and wire a tensor to it to see its lines here.")
                         : built->view->lines.empty() ? tr("Wire a tensor to the Plot View node to see its lines here.")
                                                      : tr("The wires into the Plot View have problems: see below.");
    return {id, {}, [this, built, hint] {
              accept(built);
              setHint(hint);
            }};
  }
  built->seed = seed();
  built->mode = mode();
  built->step = static_cast<uint64_t>(run_.evaluation()->batch());
  return {id,
          [this, built, graph = document_.flat(), assets = assets_, device = device(), before = built_,
           given = run_.evaluation()->given()]() -> Accept {
            const Status made = [&]() -> Status {
              HW_TRY(std::shared_ptr<Device> on, make_device(device));
              HW_TRY(built->plot,
                     PlotEvaluator::make(graph, *built->view, *assets, std::move(on), built->mode, values_of(*given)));
              if (before && before->plot) built->plot->continue_from(*before->plot);
              return ok();
            }();
            if (!made) built->error = made.error();
            return [this, built] { accept(built); };
          },
          {}};
}

void PlotModel::accept(std::shared_ptr<const Built> built) {
  const bool same = built->plot && built_ && built_->view && built_->view->node == built->view->node;
  built_ = std::move(built);
  if (!same) lines_.reset();  // else they stay until the new ones are there
  setHint(built_->error ? textOf(*built_->error) : QString());
  Q_EMIT contentChanged();
}

void PlotModel::draw() {
  if (!built_ || !built_->plot) return;
  startDrawing([this, built = built_, weights = weights()](const HandOver& handOver) -> Status {
    HW_TRY(std::vector<PlotLine> drawn, built->plot->evaluate(weights, built->seed, &cancel_, built->step));
    const auto lines = std::make_shared<const std::vector<PlotLine>>(std::move(drawn));
    handOver([this, built, lines] {
      lines_ = lines;
      training_ = built->mode == ForwardMode::training;
    });
    return ok();
  });
}

}  // namespace hw::app
