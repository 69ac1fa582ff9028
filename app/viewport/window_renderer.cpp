#include "app/viewport/window_renderer.h"

#include <algorithm>
#include <cmath>

#include "engine/core/exceptions.h"

namespace hw::viewport {
namespace {

constexpr int kFramesInFlight = 4;  // Qt keeps two; one more for the frame being built, one for safety
constexpr int kEmptyFactor = 16;    // without a mesh a few empty pixels do
constexpr std::chrono::milliseconds kFieldInterval(100);  // at most ten weight snapshots a second
constexpr std::chrono::milliseconds kLongestInterval(1000);

/// What a view cannot show of the mesh, for the user.
std::string lacking(const ViewState& state, bool has_wires) {
  const bool textured = std::any_of(state.mesh->parts.begin(), state.mesh->parts.end(),
                                    [](const MeshPart& part) { return part.texture != nullptr; });
  if (state.view == View::field && !state.field) return "No field: the mesh's own texture is shown.";
  if (needs_uvs(state.view) && state.mesh->uvs.empty()) return "The mesh has no texture coordinates.";
  if (state.view == View::texture && (!textured || state.mesh->uvs.empty()))
    return "The mesh has no texture: its base colours are shown.";
  if (state.view == View::wireframe && !has_wires) return "The mesh is too large for this device's wireframe.";
  return "";
}

}  // namespace

/// Slow beginnings, kept off the render thread: pipelines once, then the buffers of each new mesh.
struct WindowRenderer::Preparation {
  std::shared_ptr<DeviceGate> gate;
  // Guarded by gate->mailbox.
  std::shared_ptr<const Pipelines> pipelines;
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<GpuMesh> gpu_mesh;
  std::optional<Error> error;
  std::optional<Error> mesh_error;
};

WindowRenderer::WindowRenderer(Device device, std::shared_ptr<Worker> worker, std::function<void()> wake)
    : device_(std::move(device)),
      worker_(std::move(worker)),
      wake_(std::move(wake)),
      preparation_(std::make_shared<Preparation>()),
      gpu_(device_, gate_, wake_) {
  preparation_->gate = gate_;
  // The task gets its own copy of the handles: this object may be gone when the task runs.
  worker_->post([preparation = preparation_, device = device_, wake = wake_] {
    {
      const std::lock_guard lock(preparation->gate->mutex);
      if (!preparation->gate->open) return;
      auto made = guarded([&] { return Pipelines::create(device); });
      const std::lock_guard mail(preparation->gate->mailbox);
      if (made)
        preparation->pipelines = std::make_shared<const Pipelines>(std::move(*made));
      else
        preparation->error = made.error();
    }
    wake();
  });
}

WindowRenderer::~WindowRenderer() {
  release();
}

void WindowRenderer::release() {
  if (released_) return;
  released_ = true;
  if (job_) job_->shade->cancel = true;
  gate_->close();
  // Waits for Qt's frames too, which may still read the picture.
  vkQueueWaitIdle(device_.queue);
  submitter_.collect();
  if (job_) job_->shade->result.reset();
  job_.reset();
  launched_.reset();
  recording_.reset();
  preparation_->pipelines.reset();
  preparation_->gpu_mesh.reset();
  gpu_.release();
  retired_.clear();
  gate_->discarded.clear();
  composed_frame_.reset();
  shown_ = {};
  picture_.reset();
  gbuffers_.clear();
  gpu_mesh_.reset();
  submitter_ = {};
  pipelines_.reset();
}

void WindowRenderer::retire(std::shared_ptr<const void> resource) {
  if (resource) retired_.push_back({std::move(resource), kFramesInFlight});
}

// For what only this object's own finished submissions used.
void WindowRenderer::discard(std::shared_ptr<const void> resource) {
  if (!resource) return;
  {
    const std::lock_guard lock(gate_->mailbox);
    gate_->discarded.push_back(std::move(resource));
  }
  worker_->post([gate = gate_] { gate->free_discarded(); });
}

void WindowRenderer::frame_ended() {
  for (RetiredResource& resource : retired_) --resource.frames_left;
  std::erase_if(retired_, [](const RetiredResource& resource) { return resource.frames_left <= 0; });
}

ViewUpdate WindowRenderer::step(const ViewState& state) {
  ViewUpdate update;
  if (released_) return update;
  redrawn_ = false;
  wake_in_ms_ = -1;
  if (const Status status = advance(state); !status) error_ = status.error().text();
  if (picture_) {
    update.image = picture_->image();
    update.size = picture_->extent();
  }
  update.redrawn = redrawn_;
  update.wake_in_ms = wake_in_ms_;
  describe(state, update);
  return update;
}

Status WindowRenderer::advance(const ViewState& state) {
  submitter_.collect();
  HW_CHECK(take_preparation());
  if (!pipelines_ || state.size.width == 0 || state.size.height == 0) return ok();
  prepare_mesh(state);
  HW_CHECK(take_result());
  recording_.reset();  // left behind by a step that failed
  launched_.reset();
  HW_CHECK(compose(state));
  HW_CHECK(start_job(state));
  return flush();
}

Result<std::shared_ptr<Submission>> WindowRenderer::recording() {
  if (!recording_) {
    HW_TRY(recording_, submitter_.begin());
  }
  return recording_;
}

// One submission a step: each may cost a time slice when the device is the CPU itself.
Status WindowRenderer::flush() {
  const auto recorded = std::exchange(recording_, nullptr);
  if (!recorded) return ok();
  HW_CHECK(submitter_.submit(recorded));
  if (launched_) post(std::move(*std::exchange(launched_, nullptr)));  // its fence may be waited for from now on
  return ok();
}

Status WindowRenderer::take_preparation() {
  const std::lock_guard lock(gate_->mailbox);
  if (preparation_->error) return *preparation_->error;
  if (!pipelines_ && preparation_->pipelines) {
    HW_TRY(submitter_, Submitter::create(device_));
    pipelines_ = preparation_->pipelines;
  }
  if (mesh_in_preparation_ && preparation_->mesh == mesh_in_preparation_) {
    mesh_ = std::exchange(mesh_in_preparation_, nullptr);
    retire(std::exchange(gpu_mesh_, std::move(preparation_->gpu_mesh)));
    mesh_error_ = preparation_->mesh_error ? preparation_->mesh_error->text() : "";
    preparation_->mesh.reset();
    preparation_->gpu_mesh.reset();
    preparation_->mesh_error.reset();
  }
  return ok();
}

void WindowRenderer::prepare_mesh(const ViewState& state) {
  if (mesh_in_preparation_ || state.mesh == mesh_) return;
  if (!state.mesh) {
    mesh_.reset();
    mesh_error_.clear();
    retire(std::move(gpu_mesh_));
    gpu_mesh_ = nullptr;
    return;
  }
  mesh_in_preparation_ = state.mesh;
  worker_->post(
      [preparation = preparation_, device = device_, pipelines = pipelines_.get(), mesh = state.mesh, wake = wake_] {
        {
          const std::lock_guard lock(preparation->gate->mutex);
          if (!preparation->gate->open) return;
          auto staged = guarded([&] { return GpuMesh::stage(device, *pipelines, *mesh); });
          const std::lock_guard mail(preparation->gate->mailbox);
          if (staged)
            preparation->gpu_mesh = std::move(*staged);
          else
            preparation->mesh_error = staged.error();
          preparation->mesh = mesh;
        }
        wake();
      });
}

Status WindowRenderer::take_result() {
  if (!job_) return ok();
  std::optional<ShadeResult> result;
  {
    const std::lock_guard lock(gate_->mailbox);
    if (!job_->shade->result) return ok();
    result = std::move(job_->shade->result);
    job_->shade->result.reset();
  }
  const std::unique_ptr<Job> job = std::move(job_);
  if (result->cancelled) return ok();
  if (!result->error) {
    error_.clear();
    const double seconds = std::chrono::duration<double>(Clock::now() - job->start).count();
    const VkExtent2D extent = job->gbuffer->extent();
    if (job->factor == 1) frame_ms_ = 1000 * seconds;
    schedule_.measured(double(extent.width) * extent.height, job->field.shading(), seconds);
  } else {
    error_ = result->error->text();
  }
  HW_TRY(auto frame, ShadedFrame::create(device_, *pipelines_, job->gbuffer,
                                         !result->error && job->colors ? job->colors : result->colors));
  discard(std::move(shown_.points));
  shown_ = {job->key, job->factor, job->field, job->gbuffer, result->points, std::move(frame)};
  return ok();
}

// The field that the picture needs: the device's, once it can compute it.
WindowRenderer::FieldSource WindowRenderer::wanted(const ViewState& state) {
  if (state.view != View::field || !gpu_mesh_) return {};
  if (auto gpu = gpu_.newest(state.gpu_field)) return {nullptr, std::move(gpu)};
  return {state.field, nullptr};
}

Status WindowRenderer::start_job(const ViewState& state) {
  const FieldSource field = wanted(state);
  const Key key{mesh_, state.view, state.camera, state.size.width, state.size.height};
  if (job_) {
    // A full picture of another view is wasted work of the CPU; a coarse one is nearly done and better than nothing.
    if (!(job_->key == key) && (job_->factor == 1 || job_->key.mesh != mesh_)) job_->shade->cancel = true;
    return ok();
  }
  const double pixels = double(key.width) * key.height;
  const bool same_view = shown_.frame && shown_.key == key;
  int factor = gpu_mesh_ ? 1 : kEmptyFactor;
  if (gpu_mesh_ && state.moving)
    factor = schedule_.moving_factor(pixels, field.shading());
  else if (gpu_mesh_ && !same_view)
    factor = schedule_.first_factor(pixels, field.shading());
  if (same_view && shown_.factor <= factor) {
    if (shown_.field == field) return ok();
    // The device draws the window's frames, too: half of its time is theirs.
    const auto busy = std::chrono::milliseconds(field.gpu ? static_cast<int>(std::min(2 * frame_ms_, 1e9)) : 0);
    const auto interval = std::clamp(busy, kFieldInterval, kLongestInterval);
    const auto since = Clock::now() - last_field_start_;
    if (field && since < interval) {
      wake_in_ms_ = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(interval - since).count());
      return ok();
    }
    if (field.gpu || shown_.points || !field) return reshade(field);
    factor = std::max(factor, shown_.factor);
  }
  return launch(field, key, factor);
}

Status WindowRenderer::launch(const FieldSource& field, const Key& key, int factor) {
  const auto reduced = [&](uint32_t n) {
    return (n + static_cast<uint32_t>(factor) - 1) / static_cast<uint32_t>(factor);
  };
  Job job{.key = key, .factor = factor, .field = field, .start = Clock::now()};
  HW_TRY(job.gbuffer, acquire_gbuffer({reduced(key.width), reduced(key.height)}));
  FieldPass pass;  // before anything is recorded, as it may fail
  if (field.gpu) {
    HW_TRY(pass, gpu_.pass(*pipelines_, *job.gbuffer));
  }
  HW_TRY(job.raster, recording());
  Camera camera = key.camera;
  if (mesh_) camera.set_scene(mesh_->bounds_min, mesh_->bounds_max);
  const float aspect =
      static_cast<float>(job.gbuffer->extent().width) / static_cast<float>(job.gbuffer->extent().height);
  job.gbuffer->record(*job.raster, *pipelines_, gpu_mesh_.get(), camera.clip_from_object(aspect), key.view,
                      static_cast<bool>(field.cpu));
  if (field.gpu) HW_CHECK(pass.record(*job.raster));
  job.colors = pass.colors();
  job.raster->keep(job.gbuffer);
  job.raster->keep(gpu_mesh_);
  launched_ = std::make_unique<Job>(std::move(job));
  return ok();
}

// Another field on the same G-buffer: the worker alone has something to do, or the device.
Status WindowRenderer::reshade(const FieldSource& field) {
  Job job{.key = shown_.key,
          .factor = shown_.factor,
          .field = field,
          .gbuffer = shown_.gbuffer,
          .raster = nullptr,
          .colors = nullptr,
          .shade = nullptr,
          .start = Clock::now()};
  if (!field.gpu) {
    post(std::move(job));
    return ok();
  }
  HW_TRY(const FieldPass pass, gpu_.pass(*pipelines_, *job.gbuffer));
  HW_TRY(job.raster, recording());
  HW_CHECK(pass.record(*job.raster));
  job.colors = pass.colors();
  job.raster->keep(job.gbuffer);
  launched_ = std::make_unique<Job>(std::move(job));
  return ok();
}

void WindowRenderer::post(Job job) {
  job.shade = std::make_shared<ShadeJob>();
  job.shade->device = device_;
  job.shade->gbuffer = job.gbuffer.get();
  job.shade->raster = job.raster ? job.raster->fence() : VK_NULL_HANDLE;
  job.shade->points = job.raster ? nullptr : shown_.points;
  job.shade->field = job.field.cpu;
  job.shade->gate = gate_;
  if (job.field) last_field_start_ = job.start;
  // The worker outlives its tasks; a shared_ptr to it inside one would make it join itself.
  worker_->post([shade = job.shade, wake = wake_, worker = worker_.get()] {
    shade->run([worker] { return worker->stopping(); });
    wake();
  });
  job_ = std::make_unique<Job>(std::move(job));
}

Result<std::shared_ptr<GBuffer>> WindowRenderer::acquire_gbuffer(VkExtent2D extent) {
  // A count of one: only the pool holds it, not the device either (submissions keep what they use).
  std::shared_ptr<GBuffer> found;
  size_t spare = 0;
  std::erase_if(gbuffers_, [&](const std::shared_ptr<GBuffer>& g) {
    if (g.use_count() > 1) return false;
    const bool fits = g->extent().width == extent.width && g->extent().height == extent.height;
    if (fits && !found) {
      found = g;
      return false;
    }
    if (++spare <= 2) return false;  // coarse and full take turns
    discard(g);
    return true;
  });
  if (found) return found;
  HW_TRY(auto made, GBuffer::create(device_, *pipelines_, extent, false));
  gbuffers_.push_back(made);
  return made;
}

Status WindowRenderer::compose(const ViewState& state) {
  if (!shown_.frame) return ok();
  const bool resized =
      !picture_ || picture_->extent().width != state.size.width || picture_->extent().height != state.size.height;
  const bool same = !resized && composed_frame_ == shown_.frame && composed_options_ == state.compose;
  if (same) return ok();
  if (resized) {
    HW_TRY(auto picture, Picture::create(device_, *pipelines_, state.size));
    retire(std::exchange(picture_, std::move(picture)));
  }
  HW_TRY(const auto submission, recording());
  picture_->record(submission, *pipelines_, shown_.frame, shown_.key.camera.eye(), state.compose);
  submission->keep(picture_);
  discard(std::exchange(composed_frame_, shown_.frame));
  composed_options_ = state.compose;
  redrawn_ = true;
  return ok();
}

void WindowRenderer::describe(const ViewState& state, ViewUpdate& update) const {
  const Key key{state.mesh, state.view, state.camera, state.size.width, state.size.height};
  update.frame_ms = frame_ms_;
  update.has_gpu = !device_.is_software;
  update.field_on_gpu = shown_.frame && shown_.field.gpu;
  update.gpu_problem = gpu_.problem(state.gpu_field);
  update.mesh_shown = shown_.frame && shown_.key.mesh && gpu_mesh_;
  update.coarse = state.mesh && mesh_error_.empty() && (!(shown_.key == key) || shown_.factor > 1);
  if (!mesh_error_.empty())
    update.status = mesh_error_;
  else if (!error_.empty())
    update.status = error_;
  else if (!state.mesh)
    update.status = "No mesh.";
  else if (!pipelines_ || state.mesh != mesh_)
    update.status = "Loading the mesh…";
  else
    update.status = lacking(state, !gpu_mesh_ || gpu_mesh_->has_wires());
}

}  // namespace hw::viewport
