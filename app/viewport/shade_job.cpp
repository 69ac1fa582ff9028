#include "app/viewport/shade_job.h"

#include "engine/core/codes.h"
#include "engine/core/exceptions.h"

namespace hw::viewport {
namespace {

constexpr uint64_t kWaitSliceNs = 4'000'000;  // how long closing the gate may have to wait for a look at `closing`
constexpr int kWaitSlices = 10'000;  // 40 s: a card that needs longer hangs. The CPU has no limit: it compiles first

}  // namespace

void DeviceGate::close() {
  closing = true;
  const std::lock_guard lock(mutex);
  open = false;
}

void DeviceGate::free_discarded() {
  const std::lock_guard lock(mutex);
  if (!open) return;  // the render thread frees it
  std::vector<std::shared_ptr<const void>> taken;
  {
    const std::lock_guard mail(mailbox);
    taken.swap(discarded);
  }
}

// False when the gate has closed or the worker stops.
bool ShadeJob::wait_and_gather(const std::function<bool()>& stopping, ShadeResult& out) {
  VkResult state = raster ? VK_TIMEOUT : VK_SUCCESS;
  for (int slice = 0; state == VK_TIMEOUT && (slice < kWaitSlices || device.is_software); ++slice) {
    if (gate->closing || stopping()) return false;
    const std::lock_guard lock(gate->mutex);
    if (!gate->open) return false;
    state = vkWaitForFences(device.device, 1, &raster, VK_TRUE, kWaitSliceNs);
  }
  if (state != VK_SUCCESS) {
    out.error = vulkan_error("vkWaitForFences", state == VK_TIMEOUT ? VK_ERROR_DEVICE_LOST : state);
    return true;
  }
  if (points || !field) {
    out.points = points;
    return true;
  }
  const std::lock_guard lock(gate->mutex);
  if (!gate->open) return false;
  out.points = std::make_shared<Points>(gather_points(*gbuffer));
  return true;
}

void ShadeJob::finish(ShadeResult out, const std::vector<Float3>& colors) {
  const std::lock_guard lock(gate->mutex);
  if (!gate->open) return;
  if (field && !out.error && !out.cancelled) {
    const size_t pixels = static_cast<size_t>(out.points->width) * static_cast<size_t>(out.points->height);
    if (auto buffer = create_color_buffer(device, pixels)) {
      out.colors = std::move(*buffer);
      pack_colors(*out.points, colors, {static_cast<uint32_t*>(out.colors->data()), pixels});
    } else {
      out.error = buffer.error();
    }
  }
  const std::lock_guard mail(gate->mailbox);
  result = std::move(out);
}

void ShadeJob::run(const std::function<bool()>& stopping) {
  const Status done = guarded([&]() -> Status {
    shade(stopping);
    return ok();
  });
  if (done) return;
  const std::lock_guard mail(gate->mailbox);
  result.emplace();
  result->error = done.error();
}

void ShadeJob::shade(const std::function<bool()>& stopping) {
  ShadeResult out;
  if (!wait_and_gather(stopping, out)) return;
  std::vector<Float3> colors;
  if (field && !out.error) {
    auto evaluated = guarded(
        [&] { return evaluate_field(*field, *out.points, [&] { return cancel || gate->closing || stopping(); }); });
    if (evaluated)
      colors = std::move(*evaluated);
    else if (evaluated.error().code == codes::picture_cancelled)
      out.cancelled = true;
    else
      out.error = evaluated.error();
  }
  finish(std::move(out), colors);
}

}  // namespace hw::viewport
