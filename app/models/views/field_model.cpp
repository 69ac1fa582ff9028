#include "app/models/views/field_model.h"

#include "app/document/text.h"
#include "engine/devices/devices.h"

namespace hw::app {
namespace {

bool is_viewer(const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  return type && type->decl.role() == Role::viewport && !node.bypassed;
}

/// The node the viewport shows: the active one when it is a viewer, else the first.
const Node* find_viewer(const Graph& graph, const QString& active) {
  const Node* found = nullptr;
  for (const auto& [id, node] : graph.nodes()) {
    if (!is_viewer(node)) continue;
    if (to_q(id) == active) return &node;
    if (!found) found = &node;
  }
  return found;
}

/// The mesh that is wired into the viewer.
std::optional<SocketRef> mesh_into(const Graph& graph, const Node& viewer) {
  for (const SocketDecl& input : Registry::instance().find(viewer.type)->decl.inputs()) {
    if (input.kind != Kind::mesh) continue;
    const std::vector<Link> links = graph.links_into(viewer.id, input.id);
    if (!links.empty()) return SocketRef{links.front().from, links.front().from_socket};
  }
  return std::nullopt;
}

}  // namespace

struct FieldModel::Built {
  uint64_t seed = 0;
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<FieldEvaluator> evaluator;
  std::shared_ptr<WeightedShader> shader;
  std::optional<Error> error, shader_error;
};

FieldModel::FieldModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : WatchedView(document, run, std::move(assets), parent) {
  // Baking takes the field also when the view is not visible.
  connect(document.weights(), &DocumentWeights::loaded, this, [this] { drawSoon_.start(); });
}

FieldModel::~FieldModel() {
  end();
}

bool FieldModel::shows(const Node& node) const {
  return is_viewer(node);
}

FieldModel::Plan FieldModel::plan() {
  const Graph& graph = document_.flat();
  const Node* viewer = find_viewer(graph, document_.activePath());
  const auto mesh = viewer ? mesh_into(graph, *viewer) : std::nullopt;
  const QString id = viewer ? to_q(viewer->id) : QString();
  if (!mesh) {
    const QString hint = viewer ? tr("Wire a mesh to the Viewport node to see it here.")
                                : tr("Add a Viewport node and wire a mesh to it to see it here.");
    return {id, {}, [this, hint] {
              accept({});
              setHint(hint);
            }};
  }
  if (const Diagnostic* wrong = document_.validator().blocking(graph, mesh->node, Pins::ignored)) {
    const Node* at = graph.find(wrong->node);
    const QString reason = sentence(wrong->reason);
    const QString hint = at ? to_q(display_name(*at)) + QStringLiteral(": ") + reason : reason;
    return {id, {}, [this, hint] {
              accept({});
              setHint(hint);
            }};
  }
  const bool blocked = document_.validator().blocking(graph, viewer->id, Pins::ignored);
  const auto field = blocked ? std::nullopt : field_into(graph, *viewer);
  return {id,
          [this, graph, mesh = *mesh, field, assets = assets_, seed = seed(), device = device(),
           shader = shader_]() -> Accept {
            auto built = std::make_shared<Built>();
            built->seed = seed;
            auto lowered = lower(graph, std::span(&mesh, 1), {}, *assets);
            if (lowered) {
              const auto* loaded = std::get_if<std::shared_ptr<const Mesh>>(&lowered->sockets.at(mesh));
              if (loaded) built->mesh = *loaded;
            } else {
              built->error = lowered.error();
            }
            if (field) {
              const Status made = [&]() -> Status {
                HW_TRY(std::shared_ptr<Device> on, make_device(device));
                HW_TRY(built->evaluator, FieldEvaluator::make(graph, *field, assets, std::move(on)));
                return ok();
              }();
              if (!made && !built->error) built->error = made.error();
              if (made && shader) {
                // The CPU computes what does not depend on the points, for each snapshot.
                auto written = ShaderField::make(graph, field->from, {}, *assets, *make_device("cpu"));
                if (written)
                  built->shader = std::make_shared<WeightedShader>(std::move(*written), seed);
                else
                  built->shader_error = written.error();
              }
            }
            return [this, built] { accept(*built); };
          },
          {}};
}

void FieldModel::setShader(bool on) {
  if (on == shader_) return;
  shader_ = on;
  if (on) return refresh();
  weighted_shader_.reset();
  gpu_field_.reset();
  shader_problem_.clear();
  Q_EMIT fieldChanged();
}

void FieldModel::accept(const Built& built) {
  if (built.mesh != mesh_) {
    mesh_ = built.mesh;
    Q_EMIT meshChanged();
  }
  evaluator_ = built.evaluator ? std::make_shared<WeightedField>(built.evaluator, built.seed) : nullptr;
  weighted_shader_ = built.shader;
  shader_problem_ = built.shader_error ? textOf(*built.shader_error) : QString();
  setHint(built.error ? textOf(*built.error)
          : mesh_     ? QString()
                      : tr("Wire a mesh to the Viewport node to see it here."));
}

void FieldModel::draw() {
  if (!evaluator_ && !field_) return;
  const auto newest = weights();
  field_ = evaluator_ ? evaluator_->with(newest) : nullptr;
  gpu_field_ = weighted_shader_ ? weighted_shader_->with(newest) : nullptr;
  Q_EMIT fieldChanged();
}

}  // namespace hw::app
