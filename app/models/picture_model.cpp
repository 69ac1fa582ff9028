#include "app/models/picture_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/document/text.h"
#include "app/models/run_model.h"
#include "engine/run/train_settings.h"

namespace hw::app {
namespace {

constexpr int kRebuildMs = 80;
constexpr int kWeightsMs = 100;
constexpr double kQuickSeconds = 0.15;  // for a picture while weights keep coming
constexpr int kFirstSide = 64;          // of the very first picture, shown at once
constexpr int kMostSide = 2048;

/// The Image View that is meant: the active node, else the first.
std::optional<ImageViewSources> find_view(const Graph& graph, const QString& active) {
  if (const Node* node = graph.find(to_std(active)))
    if (auto view = image_view_of(*node, graph)) return view;
  return find_image_view(graph);
}

QImage to_qimage(const Image& image) {
  return QImage(image.rgba.data(), image.width, image.height, image.width * 4, QImage::Format_RGBA8888).copy();
}

QString for_people(const Error& error) {
  return error.remedy.empty() ? reason_text(error) : reason_text(error) + QLatin1Char(' ') + to_q(error.remedy);
}

}  // namespace

struct PictureModel::Request {
  Graph graph;
  ImageViewSources view;
  int generation = 0;
  uint64_t seed = 0;
};

struct PictureModel::Built {
  int generation = 0;
  uint64_t seed = 0;
  bool linear = false;
  std::shared_ptr<const Image> image;
  std::shared_ptr<FieldEvaluator> field;
  std::optional<Error> error;
};

struct PictureModel::Drawn {
  int generation = 0;
  QImage picture;
  QString psnr;
  std::optional<Error> error;
  bool last = false;
};

PictureModel::PictureModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), run_(run), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  rebuildSoon_.setSingleShot(true);
  rebuildSoon_.setInterval(kRebuildMs);
  connect(&rebuildSoon_, &QTimer::timeout, this, &PictureModel::rebuild);
  drawSoon_.setSingleShot(true);
  drawSoon_.setInterval(kWeightsMs);
  connect(&drawSoon_, &QTimer::timeout, this, &PictureModel::draw);
  const auto soon = [this] {
    stale_ = true;
    if (watched_) rebuildSoon_.start();
  };
  connect(&document, &Document::structureChanged, this, soon);
  connect(&document, &Document::reset, this, soon);
  connect(&document, &Document::fileChanged, this, soon);
  connect(&document, &Document::selectionChanged, this, [this, soon] {
    const Node* active = document_.graph().find(to_std(document_.activeNode()));
    if (active && document_.activeNode() != viewer_ && image_view_of(*active, document_.graph())) soon();
  });
  const auto weights = [this] {
    newer_ = true;
    if (watched_ && !drawSoon_.isActive()) drawSoon_.start();
  };
  connect(&document, &Document::weightsLoaded, this, weights);
  connect(&run, &RunModel::weightsChanged, this, weights);
}

PictureModel::~PictureModel() {
  cancel_ = true;
  work_.waitForDone();
}

void PictureModel::setWatched(bool on) {
  if (on == watched_) return;
  watched_ = on;
  run_.setWeightsWanted(on);
  if (!on) return;
  if (stale_)
    rebuild();
  else
    drawSoon_.start();
}

void PictureModel::reload() {
  stale_ = true;
  rebuild();
}

QString PictureModel::drawnSize() const {
  const QImage& shown = picture_.isNull() ? original_ : picture_;
  return shown.isNull() ? QString() : tr("%1 × %2").arg(shown.width()).arg(shown.height());
}

void PictureModel::rebuild() {
  if (!watched_ || building_) return;  // accept() comes back here when something changed meanwhile
  stale_ = false;
  cancel_ = true;
  auto request = std::make_shared<Request>();
  request->generation = ++generation_;
  const auto view = find_view(document_.graph(), document_.activeNode());
  viewer_ = view ? to_q(view->node) : QString();
  if (!view || !view->image) {
    auto nothing = std::make_shared<Built>();
    nothing->generation = generation_;
    accept(nothing);
    return;
  }
  request->graph = document_.graph();
  request->view = *view;
  if (document_.validator().blocking(document_.graph(), view->node)) request->view.field.reset();
  const auto trainer = find_trainer(request->graph);
  request->seed = trainer ? train_settings(*request->graph.find(*trainer)).seed : 0;
  building_ = true;
  Q_EMIT hintChanged();
  work_.start([this, request, assets = assets_] {
    auto built = std::make_shared<Built>();
    built->generation = request->generation;
    built->seed = request->seed;
    built->linear = request->view.linear;
    auto lowered = lower(request->graph, std::span(&*request->view.image, 1), {}, *assets);
    if (lowered) {
      const auto& arg = lowered->sockets.at(*request->view.image);
      if (const auto* image = std::get_if<std::shared_ptr<const Image>>(&arg)) built->image = *image;
    } else {
      built->error = lowered.error();
    }
    if (request->view.field && built->image) {
      auto field = FieldEvaluator::make(request->graph, *request->view.field, assets, 1 << 14, {"pixel"});
      if (field) {
        built->field = *field;
      } else {
        built->error = field.error();
      }
    }
    // The destructor waits for this thread.
    QMetaObject::invokeMethod(
        this, [this, built] { accept(built); }, Qt::QueuedConnection);
  });
}

void PictureModel::accept(const std::shared_ptr<Built>& built) {
  building_ = false;
  if (built->generation == generation_) {
    built_ = built;
    original_ = built->image ? to_qimage(*built->image) : QImage();
    if (!built->field) {
      picture_ = QImage();
      psnr_.clear();
    }
    if (viewer_.isEmpty()) {
      hint_ = tr("Add an Image View node and wire a picture to it to see it here.");
    } else if (built->error) {
      hint_ = for_people(*built->error);
    } else {
      hint_ = built->image ? QString() : tr("Wire a picture to the Image View node to see it here.");
    }
    Q_EMIT pictureChanged();
    draw();
  }
  Q_EMIT hintChanged();
  if (stale_) rebuildSoon_.start();
}

void PictureModel::draw() {
  if (!watched_ || building_ || !built_ || !built_->field) return;
  newer_ = true;
  if (drawing_) return;  // its end comes back here
  drawing_ = true;
  newer_ = false;
  cancel_ = false;
  std::shared_ptr<const Weights> weights = run_.snapshot().weights;
  if (!weights) weights = document_.weights();
  work_.start([this, built = built_, weights, first = picture_.isNull()] {
    const auto post = [this](Drawn drawn) {
      QMetaObject::invokeMethod(
          this, [this, drawn = std::move(drawn)] { show(drawn); }, Qt::QueuedConnection);
    };
    Drawn drawn{built->generation, {}, {}, {}, true};
    if (const Status set = built->field->set_weights(weights, built->seed); !set) {
      drawn.error = set.error();
      return post(drawn);
    }
    const int full = std::min(kMostSide, std::max(built->image->width, built->image->height));
    const double aspect = static_cast<double>(built->image->width) / built->image->height;
    const auto quick = [&] {
      const double points = pointsPerSecond_ * kQuickSeconds;
      return static_cast<int>(std::sqrt(points * std::max(aspect, 1 / aspect)));
    };
    for (int side : {first ? kFirstSide : 0, std::max(kFirstSide, quick()), full}) {
      side = std::min(side, full);
      // What would be overtaken while it is drawn is not begun; a coarse picture is always shown.
      if (side == 0 || (newer_ && !drawn.picture.isNull())) continue;
      const int width = aspect >= 1 ? side : std::max(1, static_cast<int>(side * aspect));
      const int height = aspect >= 1 ? std::max(1, static_cast<int>(side / aspect)) : side;
      const auto begin = std::chrono::steady_clock::now();
      const auto colours = picture_of(*built->field, width, height, built->linear, &cancel_);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      if (!colours) break;
      pointsPerSecond_ = static_cast<double>(width) * height / std::max(1e-4, taken.count());
      drawn.picture = to_qimage(to_image(*colours, width, height));
      const bool whole = width == built->image->width && height == built->image->height;
      drawn.psnr = whole ? tr("%1 dB").arg(psnr_of(*colours, *built->image), 0, 'f', 2) : QString();
      drawn.last = false;
      post(drawn);
      if (side == full) break;
    }
    drawn.picture = QImage();
    drawn.last = true;
    post(drawn);
  });
}

void PictureModel::show(const Drawn& drawn) {
  if (drawn.last) drawing_ = false;
  if (drawn.generation == generation_) {
    if (drawn.error) {
      hint_ = for_people(*drawn.error);
      Q_EMIT hintChanged();
    } else if (!drawn.picture.isNull()) {
      picture_ = drawn.picture;
      psnr_ = drawn.psnr;
      Q_EMIT pictureChanged();
    }
  }
  if (drawn.last && newer_ && watched_) drawSoon_.start();
}

}  // namespace hw::app
