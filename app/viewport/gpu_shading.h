// GpuShading: a window's field on the graphics device. Its kernel and weights are made by a worker of its own, so that
// pictures need not wait for a compiler.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/viewport/field_kernel.h"
#include "app/viewport/shade_job.h"
#include "app/viewport/worker.h"
#include "engine/field/gpu_field.h"

namespace hw::viewport {

/// Render thread.
class GpuShading {
 public:
  /// `wake` is called on the worker's thread when something is ready.
  GpuShading(Device device, std::shared_ptr<DeviceGate> gate, std::function<void()> wake);

  /// The newest snapshot, of a field of the same text, that is ready; begins to prepare `field`. Null: there is none
  /// yet, or the device cannot compute it, or `field` is null.
  std::shared_ptr<const GpuField> newest(const std::shared_ptr<const GpuField>& field);
  /// The evaluation of what newest() gave on a G-buffer.
  Result<FieldPass> pass(const Pipelines& pipelines, const GBuffer& gbuffer) const;
  /// Why the device does not compute `field`, for the user; empty: it does, or will.
  std::string problem(const std::shared_ptr<const GpuField>& field) const;
  /// Frees everything of the device's. The gate is closed.
  void release();

 private:
  struct Prepared {
    std::shared_ptr<const GpuField> field;
    std::shared_ptr<const FieldKernel> kernel;  // of the shader's text; from the worker null: the one before
    std::shared_ptr<FieldWeights> weights;
    std::optional<Error> error;
    bool of_kernel = false;  // the error: so it is for all snapshots
  };
  struct Mail {
    std::optional<Prepared> done;  // guarded by DeviceGate::mailbox
  };
  static void prepare(const Device& device, DeviceGate& gate, Mail& mail, Prepared made, bool with_kernel,
                      const std::function<bool()>& stopping);
  void take();
  bool refuses(const std::shared_ptr<const GpuField>& field) const;

  Device device_;
  std::shared_ptr<DeviceGate> gate_;
  std::function<void()> wake_;
  std::shared_ptr<Mail> mail_ = std::make_shared<Mail>();
  bool preparing_ = false;
  Prepared ready_;
  std::shared_ptr<const shader::FieldShader> refused_shader_;
  std::shared_ptr<const GpuField> refused_field_;
  std::string problem_;  // of the one refused last
  Worker worker_;        // last: it ends before what it uses
};

}  // namespace hw::viewport
