#include "app/models/views/picture_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "engine/devices/devices.h"

namespace hw::app {
namespace {

constexpr double kQuickSeconds = 0.15;  // for a picture while weights keep coming
constexpr double kEditSeconds = 0.04;   // for the first after an edit
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

}  // namespace

struct PictureModel::Built {
  uint64_t seed = 0;
  bool linear = false;
  std::shared_ptr<const Image> image;
  std::shared_ptr<FieldEvaluator> field;
  std::optional<Error> error;
};

PictureModel::PictureModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : WatchedView(document, run, std::move(assets), parent) {}

PictureModel::~PictureModel() {
  end();
}

bool PictureModel::shows(const Node& node) const {
  return image_view_of(node, document_.flat()).has_value();
}

QString PictureModel::drawnSize() const {
  const QImage& shown = picture_.isNull() ? original_ : picture_;
  return shown.isNull() ? QString() : tr("%1 × %2").arg(shown.width()).arg(shown.height());
}

PictureModel::Plan PictureModel::plan() {
  auto view = find_view(document_.flat(), document_.activePath());
  const QString id = view ? to_q(view->node) : QString();
  auto built = std::make_shared<Built>();
  built->seed = seed();
  if (!view || !view->image) {
    const QString hint = view ? tr("Wire a picture to the Image View node to see it here.")
                              : tr("Add an Image View node and wire a picture to it to see it here.");
    return {id, {}, [this, built, hint] {
              accept(built);
              setHint(hint);
            }};
  }
  // Where a field cannot be drawn, its picture can.
  if (const Diagnostic* wrong = document_.validator().blocking(document_.flat(), view->image->node, Pins::ignored)) {
    return {id, {}, [this, built, hint = sentence(wrong->reason)] {
              accept(built);
              setHint(hint);
            }};
  }
  built->linear = view->linear;
  if (document_.validator().blocking(document_.flat(), view->node, Pins::ignored)) view->field.reset();
  return {id,
          [this, built, graph = document_.flat(), view = *view, assets = assets_, device = device(),
           before = built_]() -> Accept {
            auto lowered = lower(graph, std::span(&*view.image, 1), {}, *assets);
            if (lowered) {
              const auto& arg = lowered->sockets.at(*view.image);
              if (const auto* image = std::get_if<std::shared_ptr<const Image>>(&arg)) built->image = *image;
            } else {
              built->error = lowered.error();
            }
            if (view.field && built->image) {
              const Status made = [&]() -> Status {
                HW_TRY(std::shared_ptr<Device> on, make_device(device));
                HW_TRY(built->field, FieldEvaluator::make(graph, *view.field, assets, std::move(on)));
                if (before && before->field) built->field->continue_from(*before->field);
                return ok();
              }();
              if (!made) built->error = made.error();
            }
            return [this, built] { accept(built); };
          },
          {}};
}

void PictureModel::accept(std::shared_ptr<const Built> built) {
  const bool same = built_ && built_->image == built->image;
  built_ = std::move(built);
  edited_ = true;
  if (!same) original_ = built_->image ? to_qimage(*built_->image) : QImage();
  if (!built_->field) {
    picture_ = QImage();
    psnr_.clear();
  }
  setHint(built_->error   ? textOf(*built_->error)
          : built_->image ? QString()
                          : tr("Wire a picture to the Image View node to see it here."));
  Q_EMIT contentChanged();
}

void PictureModel::draw() {
  if (!built_ || !built_->field) return;
  const RunSnapshot& run = run_.snapshot();
  const QString when = run.weights && run.weights == weights() ? tr(" at step %1").arg(run.weights_step) : QString();
  const double seconds = std::exchange(edited_, false) ? kEditSeconds : kQuickSeconds;
  startDrawing([this, built = built_, weights = weights(), first = picture_.isNull(), when,
                seconds](const HandOver& handOver) -> Status {
    HW_CHECK(built->field->set_weights(weights, built->seed));
    const int full = std::min(kMostSide, std::max(built->image->width, built->image->height));
    const double aspect = static_cast<double>(built->image->width) / built->image->height;
    const auto quick = [&] {
      const double points = pointsPerSecond_ * seconds;
      return static_cast<int>(std::sqrt(points * std::max(aspect, 1 / aspect)));
    };
    bool drawn = false;
    for (int side : {first ? kFirstSide : 0, std::max(kFirstSide, quick()), full}) {
      side = std::min(side, full);
      // What would be overtaken while it is drawn is not begun; a coarse picture is always shown.
      if (side == 0 || (newer_ && drawn)) continue;
      const int width = aspect >= 1 ? side : std::max(1, static_cast<int>(side * aspect));
      const int height = aspect >= 1 ? std::max(1, static_cast<int>(side / aspect)) : side;
      const auto begin = std::chrono::steady_clock::now();
      const auto drawing = picture_of(*built->field, width, height, built->linear, &cancel_);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      pointsPerSecond_ = static_cast<double>(width) * height / std::max(1e-4, taken.count());
      if (!drawing) return drawing.error();
      const std::vector<float>& colours = *drawing;
      const bool whole = width == built->image->width && height == built->image->height;
      const QString psnr = whole ? tr("PSNR %1 dB").arg(psnr_of(colours, *built->image), 0, 'f', 2) + when : QString();
      handOver([this, picture = to_qimage(to_image(colours, width, height)), psnr] {
        picture_ = picture;
        psnr_ = psnr;
      });
      drawn = true;
      if (side == full) break;
    }
    return ok();
  });
}

}  // namespace hw::app
