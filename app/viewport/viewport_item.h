// The viewport as a Qt Quick item: properties, mouse and keys. Drawing is WindowRenderer's.
#pragma once

#include <QColor>
#include <QQuickItem>
#include <QTimer>
#include <QUrl>
#include <memory>

#include "app/viewport/camera.h"
#include "app/viewport/view.h"
#include "engine/core/color_field.h"
#include "engine/core/mesh.h"
#include "engine/field/gpu_field.h"

namespace hw::viewport {

class WindowRenderer;
class Worker;
struct ViewUpdate;

/// Left drag orbits, middle or Shift+left drag pans, the wheel zooms about the pointer, a double click, Home or F
/// frames the mesh, the keys 1 to 6 choose a view, dragging near the split moves it. All functions are for the GUI
/// thread; none waits for drawing.
class ViewportItem : public QQuickItem {
  Q_OBJECT
  /// Where the mesh's own texture (left) ends and the field (right) begins, 0 to 1.
  Q_PROPERTY(qreal split READ split WRITE setSplit NOTIFY splitChanged)
  /// A headlight; without it the field's bare values are seen.
  Q_PROPERTY(bool lit READ lit WRITE setLit NOTIFY litChanged)
  /// What is shown on the surface: a number of View, in the order of the keys 1 to 6.
  Q_PROPERTY(int mode READ mode WRITE setMode NOTIFY modeChanged)
  /// Behind the mesh; equal colours are drawn as they are, different ones as a gradient.
  Q_PROPERTY(QColor backgroundTop READ backgroundTop WRITE setBackgroundTop NOTIFY backgroundChanged)
  Q_PROPERTY(QColor backgroundBottom READ backgroundBottom WRITE setBackgroundBottom NOTIFY backgroundChanged)
  /// Vertical, in degrees, 5 to 120. The target keeps its size.
  Q_PROPERTY(qreal fieldOfView READ fieldOfView WRITE setFieldOfView NOTIFY cameraChanged)
  /// The picture is not yet the full one of what is asked for.
  Q_PROPERTY(bool coarse READ coarse NOTIFY coarseChanged)
  Q_PROPERTY(bool hasMesh READ hasMesh NOTIFY hasMeshChanged)
  Q_PROPERTY(bool hasField READ hasField NOTIFY hasFieldChanged)
  /// Milliseconds that the last full picture took, drawn and computed; 0: there was none.
  Q_PROPERTY(qreal frameMs READ frameMs NOTIFY frameMsChanged)
  /// The device that draws computed what is shown of the field, not the CPU.
  Q_PROPERTY(bool fieldOnGpu READ fieldOnGpu NOTIFY gpuChanged)
  /// It is a graphics card or an integrated GPU; false: the CPU draws, or it is not known yet.
  Q_PROPERTY(bool hasGpu READ hasGpu NOTIFY gpuChanged)
  /// Why it cannot compute the field, for the user; empty when it can.
  Q_PROPERTY(QString gpuProblem READ gpuProblem NOTIFY gpuChanged)
  /// Errors, or what is missing, for the user; empty when there is nothing.
  Q_PROPERTY(QString statusText READ statusText NOTIFY statusTextChanged)

 public:
  explicit ViewportItem(QQuickItem* parent = nullptr);
  ~ViewportItem() override;

  qreal split() const { return split_; }
  void setSplit(qreal split);
  bool lit() const { return lit_; }
  void setLit(bool lit);
  int mode() const { return static_cast<int>(mode_); }
  void setMode(int mode);
  QColor backgroundTop() const;
  void setBackgroundTop(const QColor& color);
  QColor backgroundBottom() const;
  void setBackgroundBottom(const QColor& color);
  qreal fieldOfView() const { return camera_.fov; }
  void setFieldOfView(qreal degrees);
  bool coarse() const { return coarse_; }
  bool hasMesh() const { return mesh_ != nullptr; }
  bool hasField() const { return field_ != nullptr; }
  QString statusText() const { return status_text_; }
  qreal frameMs() const { return frame_ms_; }
  bool fieldOnGpu() const { return gpu_.field; }
  bool hasGpu() const { return gpu_.present; }
  QString gpuProblem() const { return gpu_.problem; }

  /// A new mesh is framed; null empties the viewport.
  void setMesh(std::shared_ptr<const hw::Mesh> mesh);
  /// Each evaluator is one snapshot of weights; null shows the mesh's own texture. `gpu`: the same for the device that
  /// draws, which computes it where it can; null: the CPU does.
  void setField(std::shared_ptr<const ColorField> field, std::shared_ptr<const GpuField> gpu = {});
  const Camera& camera() const { return camera_; }
  Q_INVOKABLE void frameMesh();
  /// Writes the picture as PNG, in device pixels, once it is the full one. Ends with screenshotDone.
  Q_INVOKABLE void saveScreenshot(const QUrl& file);

 Q_SIGNALS:
  void splitChanged();
  void litChanged();
  void coarseChanged();
  void hasMeshChanged();
  void hasFieldChanged();
  void statusTextChanged();
  void frameMsChanged();
  void gpuChanged();
  void cameraChanged();
  void modeChanged();
  void backgroundChanged();
  /// `error`: why there is no file; "" when there is.
  void screenshotDone(const QString& file, const QString& error);

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
  void releaseResources() override;
  void geometryChange(const QRectF& now, const QRectF& before) override;
  void itemChange(ItemChange change, const ItemChangeData& data) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseUngrabEvent() override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void hoverMoveEvent(QHoverEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  enum class Drag { None, Orbit, Pan, Split };

  void cameraMoved();
  void viewChanged();
  bool nearSplit(qreal x) const;
  void createRenderer();
  void takeScreenshot();
  void showState(bool coarse, const QString& status, int wake_in_ms);
  struct Gpu {
    bool present = false, field = false;
    QString problem;
    bool operator==(const Gpu&) const = default;
  };
  void showGpu(const Gpu& gpu);

  qreal split_ = 0.5;
  bool lit_ = true;
  View mode_ = View::field;
  Background background_;
  QString screenshot_;  // the file that is asked for
  bool coarse_ = false;
  QString status_text_;
  qreal frame_ms_ = 0;
  std::shared_ptr<const hw::Mesh> mesh_;
  std::shared_ptr<const ColorField> field_;
  std::shared_ptr<const GpuField> gpu_field_;
  Gpu gpu_;
  Camera camera_;
  bool moving_ = false;
  quint64 view_ = 0;  // counts changes of mesh, camera and size
  QTimer rest_{this};
  QTimer wake_{this};
  Drag drag_ = Drag::None;
  QPointF drag_at_;

  std::shared_ptr<Worker> worker_;
  std::shared_ptr<WindowRenderer> renderer_;  // written in the sync phase and on the GUI thread, never at once
};

}  // namespace hw::viewport
