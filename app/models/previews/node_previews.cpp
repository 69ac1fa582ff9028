#include "app/models/previews/node_previews.h"

#include <algorithm>
#include <cmath>

#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "engine/core/srgb.h"
#include "engine/devices/devices.h"
#include "engine/field/picture.h"
#include "engine/graph/node_draws.h"

namespace hw::app {
namespace {

constexpr size_t kMostKept = size_t{64} << 20;  // bytes
constexpr int kFieldSide = 96;                  // points across a field
constexpr qint64 kScrubPauseMs = 80;            // between drawings, so that what the user interacts with comes first,
constexpr qint64 kScrubPauses = 5;              // and at least this many times what the last took;
constexpr qint64 kLeastPauseMs = 500;           // the same while a run goes on,
constexpr qint64 kPauses = 10;                  // and at least this many times what the last took

std::optional<Field> pixel_field(const Document& document, const SocketRef& wire) {
  const auto type = document.validator().output_type(wire.node, wire.socket);
  if (!type || !type->field || type->kind != Kind::tensor || type->shape.rank() != 2) return std::nullopt;
  const Axis& channels = type->shape[1];
  if (channels.size != 1 && channels.size != 3) return std::nullopt;
  return Field{wire, {channels.size == 1 ? Channels::distance : Channels::color, {"pixel"}}};
}

}  // namespace

/// One node that is looked at, and how it is drawn: the first of these that is there.
struct NodePreviews::Item {
  std::string path;
  const NodeType* type = nullptr;  // null: an instance of a group
  QString blocked;                 // why it cannot be computed
  std::optional<SocketRef> image;
  std::optional<Field> field;
  bool linear = false;              // the field's colours
  bool mayFail = false;             // the field: its samples are shown where it cannot be evaluated over pixels
  std::optional<PlotSources> plot;  // of the tensors
  bool hasTensors = false;
  bool draws = false;  // random numbers, as a source
  bool computes() const { return image || field || hasTensors; }
};

struct NodePreviews::Planned {
  EvaluationRequest request;
  std::vector<Item> items;
};

struct NodePreviews::LiveField {
  EvaluationRequest of;
  std::shared_ptr<FieldEvaluator> evaluator;
};

NodePreviews::NodePreviews(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : WatchedView(document, run, assets, parent), kept_(kMostKept), keptFacts_(kMostKept), evaluator_(assets) {
  for (const auto change : {&Evaluation::modeChanged, &Evaluation::inputsChanged})
    connect(run.evaluation(), change, this, &NodePreviews::changed);
  connect(&document, &Document::reset, this, [this] {
    shown_.clear();
    facts_ = std::make_shared<const Facts>();
  });
  later_.setSingleShot(true);
  connect(&later_, &QTimer::timeout, this, [this] { draw(); });
  drawn_.start();
}

NodePreviews::~NodePreviews() {
  end();
}

void NodePreviews::lookAt(const QStringList& paths) {
  if (paths == lookedAt_) return;
  const QSet<QString> before(lookedAt_.begin(), lookedAt_.end());
  lookedAt_ = paths;
  const bool more = std::ranges::any_of(paths, [&](const QString& path) { return !before.contains(path); });
  if (more) changed();
  setWatched(!paths.isEmpty());
}

const NodeFacts* NodePreviews::facts(const QString& path) const {
  const auto found = facts_->find(to_std(path));
  return found == facts_->end() ? nullptr : &found->second;
}

std::shared_ptr<const NodePreviews::Planned> NodePreviews::planned() {
  auto planned = std::make_shared<Planned>();
  const Graph& graph = document_.flat();
  const Validator& validator = document_.validator();
  for (const QString& path : lookedAt_) {
    Item item;
    item.path = to_std(path);
    const Node* node = graph.find(item.path);
    item.type = node ? Registry::instance().find(node->type) : nullptr;
    const NodeTensors tensors = tensors_of(graph, item.path);
    item.hasTensors = !tensors.wires.empty();
    const Diagnostic* wrong = node ? validator.blocking(graph, item.path, Pins::ignored) : nullptr;
    for (const SocketRef& wire : tensors.wires)
      if (!wrong) wrong = validator.blocking(graph, wire.node, Pins::ignored);
    if (wrong) item.blocked = sentence(wrong->reason);
    if (node && item.type) {
      const bool given = run_.evaluation()->given()->find(item.path) != nullptr;
      item.draws = !given && item.type->decl.category() == "Source" && node_draws(*node).draws;
      if (const auto view = image_view_of(*node, graph)) {
        item.image = view->image;
        item.field = view->field;
        item.linear = view->linear;
      } else if (auto plot = plot_view_of(*node, graph)) {
        item.plot = std::move(plot);
      } else if (!item.type->decl.outputs().empty()) {
        const Declaration declared = item.type->declared(node->params);
        const SocketDecl& first = declared->outputs().front();
        if (first.kind == Kind::image) item.image = SocketRef{item.path, first.id};
        if (first.domain.empty()) item.field = pixel_field(document_, {item.path, first.id});
        item.mayFail = item.field.has_value();
      }
    }
    if (!item.computes() && item.blocked.isEmpty()) item.blocked = tr("Nothing to show");
    planned->items.push_back(std::move(item));
  }
  planned->request.graph = std::make_shared<const Graph>(graph);
  planned->request.inputs = {
      device(), mode() == ForwardMode::training, seed(), static_cast<uint64_t>(run_.evaluation()->batch()),
      0,        run_.evaluation()->given(),      files()};
  return planned;
}

NodePreviews::Plan NodePreviews::plan() {
  return {QStringLiteral("previews"), {}, [this, made = planned()] {
            planned_ = made;
            setHint({});
          }};
}

EvaluationRequest NodePreviews::with_weights(const Planned& planned) {
  EvaluationRequest request = planned.request;
  request.weights = weights();
  request.inputs.weights = weightsVersion();
  return request;
}

bool NodePreviews::known() {
  const auto planned = this->planned();
  ConeKeys keys(*planned->request.graph, with_weights(*planned).inputs);
  return std::ranges::all_of(
      planned->items, [&](const Item& item) { return !item.blocked.isEmpty() || kept_.find(keys.of(item.path)); });
}

/// One drawing, on the worker thread.
class NodePreviews::Drawing {
 public:
  /// `shown`: what is seen now.
  Drawing(NodePreviews& previews, std::shared_ptr<const Planned> planned, EvaluationRequest request,
          QHash<QString, Preview> shown)
      : previews_(previews),
        planned_(std::move(planned)),
        request_(std::move(request)),
        shown_(std::move(shown)),
        keys_(*request_.graph, request_.inputs) {}

  Status draw(const HandOver& handOver) {
    QElapsedTimer timer;
    timer.start();
    QSet<QString> wanted;
    for (const Item& item : planned_->items) wanted.insert(to_q(item.path));
    previews_.fields_.removeIf([&](const auto& kept) { return !wanted.contains(kept.key()); });
    std::vector<const Item*> tensors, others;
    for (const Item& item : planned_->items) {
      if (!item.blocked.isEmpty()) {
        contents_.insert(to_q(item.path), hint(to_q(item.path), item.blocked));
      } else if (Content kept = previews_.kept_.find(keys_.of(item.path))) {
        contents_.insert(to_q(item.path), std::move(kept));
      } else {
        (item.image || item.field ? others : tensors).push_back(&item);
      }
    }
    // What is shown already is not reported: a drawing that has reported something gives way to the next edit.
    if (has_changed()) give(handOver);
    for (const Item* item : others) {
      const Result<PreviewContent> made = item->field ? of_field(*item) : of_image(*item);
      if (made) {
        keep(*item, *made);
      } else if (made.error().code == codes::cancelled) {
        return made.error();
      } else if (item->mayFail) {
        tensors.push_back(item);
      } else {
        contents_.insert(to_q(item->path), hint(to_q(item->path), textOf(made.error())));
      }
    }
    if (has_changed()) give(handOver);
    HW_CHECK(draw_tensors(tensors));
    give(handOver);
    previews_.took_ = timer.elapsed();
    return ok();
  }

 private:
  /// Equal ones are one, so that nothing changes on the card.
  Content hint(const QString& path, const QString& text) const {
    const PreviewContent* seen = shown_.value(path).content();
    if (seen && seen->hint == text) return shown_.value(path).shared();
    auto content = std::make_shared<PreviewContent>();
    content->hint = text;
    return content;
  }
  void keep(const Item& item, PreviewContent made) {
    const auto content = std::make_shared<const PreviewContent>(std::move(made));
    previews_.kept_.put(keys_.of(item.path), content, content->bytes());
    contents_.insert(to_q(item.path), content);
  }

  /// All by one program; where that fails each by its own, so that one that cannot be computed takes no other along.
  Status draw_tensors(const std::vector<const Item*>& items) {
    if (items.empty()) return ok();
    std::vector<std::string> paths;
    for (const Item* item : items) paths.push_back(item->path);
    const auto found = previews_.evaluator_.evaluate(request_, paths, &previews_.cancel_);
    if (!found && found.error().code == codes::cancelled) return found.error();
    if (found) {
      ++previews_.evaluations_;
      for (size_t i = 0; i < items.size(); ++i) keep_tensors(*items[i], *(*found)[i]);
      for (const auto& [node, facts] : previews_.evaluator_.facts())
        previews_.keptFacts_.put(keys_.program_of(node), std::make_shared<const NodeFacts>(facts),
                                 sizeof(NodeFacts) * 2);
      return ok();
    }
    if (items.size() == 1) {
      const QString path = to_q(items.front()->path);
      contents_.insert(path, hint(path, textOf(found.error())));
      return ok();
    }
    for (const Item* item : items) HW_CHECK(draw_tensors({item}));
    return ok();
  }
  void keep_tensors(const Item& item, const NodeInspection& inspection) {
    PreviewContent made = item.plot   ? of_plot(*item.plot, inspection)
                          : item.type ? preview_of(*item.type, inspection)
                                      : preview_of(inspection.items.front().value);
    const bool is_source = item.type && item.type->decl.category() == "Source";
    if (is_source && inspection.batches > 0) made.batches = inspection.batches;
    if (item.draws && inspection.batches == 0) made.batches = PreviewContent::kEndless;
    keep(item, std::move(made));
  }
  static PreviewContent of_plot(const PlotSources& sources, const NodeInspection& inspection) {
    constexpr std::string_view kInputs[] = {"a", "b", "c", "d"};
    std::vector<double> x;
    std::vector<PlotLine> lines;
    for (const NodeInspection::Item& item : inspection.items)
      if (item.name == "x") x = item.value.to_f64();
    for (const NodeInspection::Item& item : inspection.items) {
      const auto input = std::ranges::find(kInputs, item.name);
      if (input == std::end(kInputs)) continue;
      const auto number = static_cast<size_t>(input - std::begin(kInputs));
      if (const Status drawn = append_lines(item.value, number, x, sources.node, lines); !drawn) {
        PreviewContent wrong;
        wrong.hint = textOf(drawn.error());
        return wrong;
      }
    }
    return preview_of(lines);
  }
  Result<PreviewContent> of_image(const Item& item) {
    HW_TRY(const std::shared_ptr<const Image> image, image_of(item));
    return preview_of(*image);
  }
  Result<std::shared_ptr<const Image>> image_of(const Item& item) {
    HW_TRY(const LoweredGraph lowered, lower(*request_.graph, std::span(&*item.image, 1), {}, *previews_.assets_));
    const auto* image = std::get_if<std::shared_ptr<const Image>>(&lowered.sockets.at(*item.image));
    if (!image || !*image) return Error{codes::kind_mismatch, item.path, "it has no picture.", ""};
    return *image;
  }
  /// As wide for its height as the picture that it is shown beside.
  Result<QSize> size_of_field(const Item& item) {
    if (!item.image) return QSize(kFieldSide, kFieldSide);
    HW_TRY(const std::shared_ptr<const Image> image, image_of(item));
    const double wide = std::sqrt(static_cast<double>(image->width) / image->height);
    const auto points = [](double across) { return std::clamp(static_cast<int>(across), 1, kFieldSide * kFieldSide); };
    return QSize(points(kFieldSide * wide), points(kFieldSide / wide));
  }
  Result<PreviewContent> of_field(const Item& item) {
    std::shared_ptr<LiveField>& last = previews_.fields_[to_q(item.path)];
    constexpr int64_t block = int64_t{kFieldSide} * kFieldSide;
    HW_TRY(const QSize size, size_of_field(item));
    if (!last || last->of.graph != request_.graph || last->of.inputs.device != request_.inputs.device) {
      HW_TRY(std::shared_ptr<Device> on, make_device(request_.inputs.device));
      HW_TRY(std::shared_ptr<FieldEvaluator> made,
             FieldEvaluator::make(*request_.graph, *item.field, previews_.assets_, std::move(on), block));
      if (last) made->continue_from(*last->evaluator);
      last = std::make_shared<LiveField>(LiveField{request_, std::move(made)});
      last->of.weights.reset();
    }
    FieldEvaluator& field = *last->evaluator;
    HW_CHECK(field.set_weights(request_.weights, request_.inputs.seed));
    HW_TRY(const std::vector<float> values,
           picture_of(field, size.width(), size.height(), item.linear, &previews_.cancel_));
    return preview_of_field(values, size, static_cast<int>(info(field.channels()).count));
  }

  bool has_changed() const {
    for (auto it = contents_.begin(); it != contents_.end(); ++it)
      if (shown_.value(it.key()) != Preview(it.value())) return true;
    return false;
  }
  void give(const HandOver& handOver) {
    for (auto it = contents_.begin(); it != contents_.end(); ++it) shown_.insert(it.key(), Preview(it.value()));
    auto facts = std::make_shared<Facts>();
    for (const std::string& node : keys_.nodes())
      if (const auto known = previews_.keptFacts_.find(keys_.program_of(node))) facts->emplace(node, *known);
    handOver([previews = &previews_, contents = contents_, facts] {
      previews->show(contents);
      previews->facts_ = facts;
      Q_EMIT previews->factsChanged();
    });
  }

  NodePreviews& previews_;
  const std::shared_ptr<const Planned> planned_;
  const EvaluationRequest request_;
  QHash<QString, Preview> shown_;
  ConeKeys keys_;
  QHash<QString, Content> contents_;
};

void NodePreviews::draw() {
  if (!planned_) return;
  const qint64 pause =
      run_.running() ? std::max(kLeastPauseMs, kPauses * took_) : std::max(kScrubPauseMs, kScrubPauses * took_);
  if (drawn_.elapsed() < pause) return later_.start(static_cast<int>(pause - drawn_.elapsed()));
  drawn_.start();
  startDrawing([this, planned = planned_, request = with_weights(*planned_),
                shown = shown_](const HandOver& handOver) -> Status {
    return Drawing(*this, planned, request, shown).draw(handOver);
  });
}

void NodePreviews::show(const QHash<QString, Content>& contents) {
  QStringList changed;
  for (auto it = contents.begin(); it != contents.end(); ++it) {
    Preview& shown = shown_[it.key()];
    const Preview now(it.value());
    if (now.batches() > 0) run_.evaluation()->setBatches(now.batches());
    if (shown == now) continue;
    shown = now;
    changed << it.key();
  }
  if (!changed.isEmpty()) Q_EMIT previewsChanged(changed);
}

}  // namespace hw::app
