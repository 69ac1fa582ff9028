// The viewport of one window: decides what to draw, keeps the shown pair matched, never waits. Vulkan, no Qt.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/viewport/camera.h"
#include "app/viewport/compose.h"
#include "app/viewport/gpu_shading.h"
#include "app/viewport/schedule.h"
#include "app/viewport/shade_job.h"
#include "app/viewport/worker.h"
#include "engine/core/mesh.h"

namespace hw::viewport {

/// What the item wants to see: a copy of its values, taken in the sync phase.
struct ViewState {
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<const ColorField> field;
  std::shared_ptr<const GpuField> gpu_field;  // the same, for the device that draws; null: the CPU computes it
  View view = View::field;
  Camera camera;
  VkExtent2D size{};  // device pixels
  ComposeOptions compose;
  bool moving = false;  // the camera is being moved: prefer speed
};

/// What there is to show after a step.
struct ViewUpdate {
  VkImage image = VK_NULL_HANDLE;  // SHADER_READ_ONLY layout; null: nothing yet
  VkExtent2D size{};
  bool redrawn = false;
  bool coarse = false;  // not yet the full picture of what was asked for
  bool mesh_shown = false;
  double frame_ms = 0;        // that the last full picture took, drawn and computed; 0: there was none
  int wake_in_ms = -1;        // step again after this time even if nothing else happens
  std::string status;         // for the user; empty: nothing to report
  bool has_gpu = false;       // the device that draws is not the CPU
  bool field_on_gpu = false;  // the device that draws computed what is shown of the field
  std::string gpu_problem;    // why it cannot, for the user
};

/// Everything but the worker's tasks runs on the render thread. Owns all device resources; `release` frees them and
/// must run before the device goes.
class WindowRenderer {
 public:
  /// `wake` asks for another step; called on the worker thread.
  WindowRenderer(Device device, std::shared_ptr<Worker> worker, std::function<void()> wake);
  ~WindowRenderer();

  /// One frame's work: a few milliseconds at most, no waiting.
  ViewUpdate step(const ViewState& state);
  /// Call after each frame of the window: what Qt's frames in flight may still read is freed later.
  void frame_ended();
  /// Frees everything. Safe to call twice. Waits for the device.
  void release();
  bool released() const { return released_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// What a pair was made for; pairs with equal keys have equal G-buffers but for `factor`.
  struct Key {
    std::shared_ptr<const Mesh> mesh;
    View view = View::field;
    Camera camera;
    uint32_t width = 0, height = 0;
    bool operator==(const Key&) const = default;
  };
  /// One snapshot of the field, by who computes it; neither: there is no field.
  struct FieldSource {
    std::shared_ptr<const ColorField> cpu;
    std::shared_ptr<const GpuField> gpu;
    explicit operator bool() const { return cpu || gpu; }
    Shading shading() const { return gpu ? Shading::gpu : cpu ? Shading::cpu : Shading::none; }
    bool operator==(const FieldSource&) const = default;
  };
  struct Job {
    Key key;
    int factor = 1;
    FieldSource field;
    std::shared_ptr<GBuffer> gbuffer;
    std::shared_ptr<Submission> raster;
    std::shared_ptr<const Buffer> colors;  // that the device computes
    std::shared_ptr<ShadeJob> shade;
    Clock::time_point start;
  };
  struct Shown {
    Key key;
    int factor = 1;
    FieldSource field;
    std::shared_ptr<GBuffer> gbuffer;
    std::shared_ptr<const Points> points;
    std::shared_ptr<ShadedFrame> frame;
  };
  struct Preparation;  // made by the worker, taken by the render thread

  Status advance(const ViewState& state);
  Status take_preparation();
  void prepare_mesh(const ViewState& state);
  Status take_result();
  Status start_job(const ViewState& state);
  FieldSource wanted(const ViewState& state);
  Status launch(const FieldSource& field, const Key& key, int factor);
  Status reshade(const FieldSource& field);
  void post(Job job);
  Status compose(const ViewState& state);
  Result<std::shared_ptr<Submission>> recording();
  Status flush();
  Result<std::shared_ptr<GBuffer>> acquire_gbuffer(VkExtent2D extent);
  /// Keeps it until the frames in flight are done.
  void retire(std::shared_ptr<const void> resource);
  void discard(std::shared_ptr<const void> resource);
  void describe(const ViewState& state, ViewUpdate& update) const;

  Device device_;
  std::shared_ptr<Worker> worker_;
  std::function<void()> wake_;
  std::shared_ptr<DeviceGate> gate_ = std::make_shared<DeviceGate>();
  std::shared_ptr<Preparation> preparation_;
  bool released_ = false;

  std::shared_ptr<const Pipelines> pipelines_;
  Submitter submitter_;
  std::shared_ptr<const Mesh> mesh_;  // the mesh that gpu_mesh_ shows, or whose staging failed
  std::shared_ptr<const Mesh> mesh_in_preparation_;
  std::shared_ptr<GpuMesh> gpu_mesh_;
  std::vector<std::shared_ptr<GBuffer>> gbuffers_;

  std::shared_ptr<Submission> recording_;  // this step's commands, if there are any
  std::unique_ptr<Job> launched_;          // recorded in this step, posted once it is submitted
  std::unique_ptr<Job> job_;               // with the worker
  Shown shown_;
  GpuShading gpu_;
  Schedule schedule_;
  double frame_ms_ = 0;
  Clock::time_point last_field_start_{};
  int wake_in_ms_ = -1;
  std::string error_;  // sticks until its cause changes
  std::string mesh_error_;

  std::shared_ptr<Picture> picture_;
  ComposeOptions composed_options_;
  std::shared_ptr<const ShadedFrame> composed_frame_;
  bool redrawn_ = false;
  struct RetiredResource {
    std::shared_ptr<const void> resource;
    int frames_left;
  };
  std::vector<RetiredResource> retired_;
};

}  // namespace hw::viewport
