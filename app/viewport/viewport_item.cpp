#include "app/viewport/viewport_item.h"

#include <QPointer>
#include <QQuickItemGrabResult>
#include <QQuickWindow>
#include <QRunnable>
#include <QSaveFile>
#include <QThreadPool>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/viewport/viewport_node.h"
#include "app/viewport/window_renderer.h"
#include "app/viewport/worker.h"
#include "engine/core/exceptions.h"

namespace hw::viewport {
namespace {

constexpr int kRestMs = 80;  // no input for this long: the movement has ended

VkExtent2D device_pixels(const QQuickItem& item) {
  const qreal ratio = item.window()->effectiveDevicePixelRatio();
  return {static_cast<uint32_t>(std::max(0, qRound(item.width() * ratio))),
          static_cast<uint32_t>(std::max(0, qRound(item.height() * ratio)))};
}

QColor to_color(const Float3& c) {
  return QColor::fromRgbF(c[0], c[1], c[2]);
}

Float3 to_float3(const QColor& c) {
  return {static_cast<float>(c.redF()), static_cast<float>(c.greenF()), static_cast<float>(c.blueF())};
}

}  // namespace

ViewportItem::ViewportItem(QQuickItem* parent) : QQuickItem(parent), worker_(std::make_shared<Worker>()) {
  setFlag(ItemHasContents);
  setAcceptedMouseButtons(Qt::LeftButton | Qt::MiddleButton);
  setAcceptHoverEvents(true);
  setActiveFocusOnTab(true);
  rest_.setSingleShot(true);
  rest_.setInterval(kRestMs);
  connect(&rest_, &QTimer::timeout, this, [this] {
    moving_ = false;
    update();
  });
  wake_.setSingleShot(true);
  connect(&wake_, &QTimer::timeout, this, [this] { update(); });
}

ViewportItem::~ViewportItem() {
  ViewportItem::releaseResources();
  worker_->stop();
}

void ViewportItem::setSplit(qreal split) {
  split = std::clamp(split, 0.0, 1.0);
  if (split == split_) return;
  split_ = split;
  update();
  emit splitChanged();
}

void ViewportItem::setLit(bool lit) {
  if (lit == lit_) return;
  lit_ = lit;
  update();
  emit litChanged();
}

void ViewportItem::setMode(int mode) {
  if (mode < 0 || mode >= static_cast<int>(kViewNames.size()) || mode == this->mode()) return;
  mode_ = static_cast<View>(mode);
  viewChanged();
  emit modeChanged();
}

QColor ViewportItem::backgroundTop() const {
  return to_color(background_.top);
}

QColor ViewportItem::backgroundBottom() const {
  return to_color(background_.bottom);
}

void ViewportItem::setBackgroundTop(const QColor& color) {
  if (color == backgroundTop()) return;
  background_.top = to_float3(color);
  update();
  emit backgroundChanged();
}

void ViewportItem::setBackgroundBottom(const QColor& color) {
  if (color == backgroundBottom()) return;
  background_.bottom = to_float3(color);
  update();
  emit backgroundChanged();
}

void ViewportItem::setFieldOfView(qreal degrees) {
  const auto fov = static_cast<float>(std::clamp(degrees, 5.0, 120.0));
  if (fov == camera_.fov) return;
  const auto half_tangent = [](float angle) { return std::tan(angle * std::numbers::pi_v<float> / 360); };
  camera_.distance *= half_tangent(camera_.fov) / half_tangent(fov);
  camera_.fov = fov;
  cameraMoved();
}

void ViewportItem::saveScreenshot(const QUrl& file) {
  screenshot_ = file.toLocalFile();
  takeScreenshot();
}

void ViewportItem::takeScreenshot() {
  if (screenshot_.isEmpty() || coarse_ || !hasMesh()) return;  // the full picture comes back here
  const QString file = std::exchange(screenshot_, QString());
  const auto grabbed = grabToImage((size() * window()->effectiveDevicePixelRatio()).toSize());
  if (!grabbed) {
    emit screenshotDone(file, tr("The viewport cannot be seen."));
    return;
  }
  connect(grabbed.get(), &QQuickItemGrabResult::ready, this, [guard = QPointer<ViewportItem>(this), grabbed, file] {
    QThreadPool::globalInstance()->start([guard, image = grabbed->image(), file] {
      QSaveFile out(file);
      const Result<bool> saved = guarded(
          [&]() -> Result<bool> { return out.open(QIODevice::WriteOnly) && image.save(&out, "PNG") && out.commit(); });
      const QString error = !saved   ? QString::fromStdString(saved.error().reason)
                            : *saved ? QString()
                                     : out.errorString();
      QMetaObject::invokeMethod(
          QCoreApplication::instance(),
          [guard, file, error] {
            if (guard) emit guard->screenshotDone(file, error);
          },
          Qt::QueuedConnection);
    });
  });
}

void ViewportItem::setMesh(std::shared_ptr<const hw::Mesh> mesh) {
  if (mesh == mesh_) return;
  const bool had = hasMesh();
  mesh_ = std::move(mesh);
  if (mesh_)
    frameMesh();
  else
    update();
  if (had != hasMesh()) emit hasMeshChanged();
}

void ViewportItem::setField(std::shared_ptr<const ColorField> field, std::shared_ptr<const GpuField> gpu) {
  if (field == field_ && gpu == gpu_field_) return;
  const bool had = hasField();
  field_ = std::move(field);
  gpu_field_ = std::move(gpu);
  update();
  if (had != hasField()) emit hasFieldChanged();
}

void ViewportItem::frameMesh() {
  if (!mesh_) return;
  const float aspect = height() > 0 ? static_cast<float>(width() / height()) : 1.0f;
  camera_.frame(mesh_->bounds_min, mesh_->bounds_max, 1, aspect);
  cameraMoved();
}

void ViewportItem::cameraMoved() {
  viewChanged();
  emit cameraChanged();
}

void ViewportItem::viewChanged() {
  ++view_;
  moving_ = true;
  rest_.start();
  if (hasMesh()) showState(true, status_text_, -1);
  update();
}

// Render thread, sync phase: the GUI thread is blocked, so the item's members may be read.
QSGNode* ViewportItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  if (!renderer_ || renderer_->released()) createRenderer();
  ViewUpdate shown;
  if (renderer_) {
    ViewState state{.mesh = mesh_,
                    .field = field_,
                    .gpu_field = gpu_field_,
                    .view = mode_,
                    .camera = camera_,
                    .size = device_pixels(*this),
                    .moving = moving_};
    state.compose.split = static_cast<float>(split_);
    state.compose.lit = lit_;
    state.compose.background = background_;
    shown = renderer_->step(state);
    const Gpu gpu{shown.has_gpu, shown.field_on_gpu, QString::fromStdString(shown.gpu_problem)};
    if (gpu != gpu_)
      QMetaObject::invokeMethod(
          this, [this, gpu] { showGpu(gpu); }, Qt::QueuedConnection);
    const QString status = QString::fromStdString(shown.status);
    if (shown.coarse != coarse_ || status != status_text_ || shown.wake_in_ms >= 0 || shown.frame_ms != frame_ms_)
      QMetaObject::invokeMethod(
          this,
          [this, view = view_, coarse = shown.coarse, status, wake = shown.wake_in_ms, ms = shown.frame_ms] {
            if (std::exchange(frame_ms_, ms) != ms) emit frameMsChanged();
            showState(coarse || view != view_, status, wake);  // the view may have moved on since
          },
          Qt::QueuedConnection);
  }
  auto* node = static_cast<ViewportNode*>(old);
  if (!shown.image) {
    delete node;
    return nullptr;
  }
  if (!node) node = new ViewportNode;
  node->show(window(), shown.image, shown.size, shown.redrawn);
  return node;
}

void ViewportItem::createRenderer() {
  renderer_.reset();
  const auto device = qt_device(window());
  if (!device) {
    QMetaObject::invokeMethod(
        this, [this, text = QString::fromStdString(device.error().text())] { showState(false, text, -1); },
        Qt::QueuedConnection);
    return;
  }
  // The worker may not touch the item: it only posts to the GUI thread, where the guard is looked at.
  auto wake = [guard = QPointer<ViewportItem>(this)] {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [guard] {
          if (guard) guard->update();
        },
        Qt::QueuedConnection);
  };
  renderer_ = std::make_shared<WindowRenderer>(*device, worker_, std::move(wake));
  // These outlive the item on purpose: the device may go only after the renderer's resources, whoever else has gone.
  connect(
      window(), &QQuickWindow::sceneGraphInvalidated, window(), [renderer = renderer_] { renderer->release(); },
      Qt::DirectConnection);
  connect(
      window(), &QQuickWindow::afterFrameEnd, window(), [renderer = renderer_] { renderer->frame_ended(); },
      Qt::DirectConnection);
}

// GUI thread, when the item leaves its window or dies. After the next sync the item's node is gone.
void ViewportItem::releaseResources() {
  const auto renderer = std::exchange(renderer_, nullptr);
  if (renderer && window())
    window()->scheduleRenderJob(QRunnable::create([renderer] { renderer->release(); }),
                                QQuickWindow::AfterSynchronizingStage);
}

void ViewportItem::showGpu(const Gpu& gpu) {
  if (gpu == gpu_) return;
  gpu_ = gpu;
  emit gpuChanged();
}

void ViewportItem::showState(bool coarse, const QString& status, int wake_in_ms) {
  if (wake_in_ms >= 0) wake_.start(wake_in_ms);
  if (coarse != coarse_) {
    coarse_ = coarse;
    emit coarseChanged();
    takeScreenshot();
  }
  if (status != status_text_) {
    status_text_ = status;
    emit statusTextChanged();
  }
}

void ViewportItem::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  if (now.size() == before.size()) return;
  if (before.isEmpty() && mesh_) frameMesh();
  viewChanged();  // a size that changes by the frame needs no full picture each time
}

void ViewportItem::itemChange(ItemChange change, const ItemChangeData& data) {
  if (change == ItemDevicePixelRatioHasChanged || change == ItemSceneChange) update();
  QQuickItem::itemChange(change, data);
}

}  // namespace hw::viewport
