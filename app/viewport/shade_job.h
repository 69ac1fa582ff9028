// One evaluation of the field on the worker thread, and how its result comes back to the render thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "app/viewport/compose.h"
#include "app/viewport/cpu_shading.h"
#include "app/viewport/submission.h"

namespace hw::viewport {

/// Shared by the render thread and the worker's tasks. The worker touches the device only inside `mutex` while `open`;
/// closing it therefore waits a few milliseconds, never for an evaluation, but for a driver that compiles a field's
/// kernel.
struct DeviceGate {
  std::mutex mutex;
  bool open = true;                  // guarded by mutex
  std::atomic<bool> closing{false};  // ends the worker's waits early
  std::mutex mailbox;                // guards what is handed over; held for moments, so the render thread may take it
  std::vector<std::shared_ptr<const void>> discarded;  // guarded by mailbox: freeing much memory takes milliseconds

  void close();
  /// Worker thread: frees `discarded`.
  void free_discarded();
};

struct ShadeResult {
  std::shared_ptr<const Points> points;  // null when there was no field to need them
  std::shared_ptr<const Buffer> colors;  // null: no field
  std::optional<Error> error;
  bool cancelled = false;
};

/// The G-buffer and its fence are the caller's, who keeps them until `result` is set or the gate is closed.
struct ShadeJob {
  Device device;
  const GBuffer* gbuffer = nullptr;
  VkFence raster = VK_NULL_HANDLE;  // null: `points` are there already
  std::shared_ptr<const Points> points;
  std::shared_ptr<const ColorField> field;  // null: only wait for the G-buffer
  std::shared_ptr<DeviceGate> gate;
  std::atomic<bool> cancel{false};
  std::optional<ShadeResult> result;  // guarded by gate->mailbox

  /// Worker thread. What is thrown, such as a lack of memory, is the result's error. Sets `result` unless the gate
  /// closes; `stopping` ends it early as well.
  void run(const std::function<bool()>& stopping);

 private:
  void shade(const std::function<bool()>& stopping);
  bool wait_and_gather(const std::function<bool()>& stopping, ShadeResult& out);
  void finish(ShadeResult out, const std::vector<Float3>& colors);
};

}  // namespace hw::viewport
