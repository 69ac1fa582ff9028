#include "app/viewport/gpu_shading.h"

#include "engine/core/exceptions.h"

namespace hw::viewport {

GpuShading::GpuShading(Device device, std::shared_ptr<DeviceGate> gate, std::function<void()> wake)
    : device_(std::move(device)), gate_(std::move(gate)), wake_(std::move(wake)) {}

bool GpuShading::refuses(const std::shared_ptr<const GpuField>& field) const {
  return field && (field == refused_field_ || field->shader == refused_shader_);
}

std::string GpuShading::problem(const std::shared_ptr<const GpuField>& field) const {
  return refuses(field) ? problem_ : std::string();
}

void GpuShading::take() {
  const std::lock_guard mail(gate_->mailbox);
  if (!mail_->done) return;
  Prepared done = std::move(*mail_->done);
  mail_->done.reset();
  preparing_ = false;
  if (done.error) {
    refused_field_ = done.field;
    if (done.of_kernel) refused_shader_ = done.field->shader;
    problem_ = done.error->reason + (done.error->remedy.empty() ? "" : " " + done.error->remedy);
    return;
  }
  if (!done.kernel) done.kernel = ready_.kernel;
  std::swap(ready_, done);
  gate_->discarded.push_back(std::move(done.weights));  // freeing much memory takes milliseconds
}

// On the worker's thread. What is made is in the mail before the gate is unlocked, behind which the device may go.
void GpuShading::prepare(const Device& device, DeviceGate& gate, Mail& mail, Prepared made, bool with_kernel,
                         const std::function<bool()>& stopping) {
  std::vector<uint32_t> code, words;
  Status status = guarded([&]() -> Status {
    if (with_kernel) {
      made.of_kernel = true;
      HW_TRY(code, compile_field(device, *made.field->shader));
      made.of_kernel = false;
    }
    if (stopping()) return ok();
    HW_TRY(words, made.field->weights());
    return ok();
  });
  const std::lock_guard lock(gate.mutex);
  if (!gate.open || stopping()) return;
  if (status)
    status = guarded([&]() -> Status {
      if (with_kernel) {
        made.of_kernel = true;
        HW_TRY(made.kernel, FieldKernel::create(device, code));
        made.of_kernel = false;
      }
      HW_TRY(made.weights, FieldWeights::stage(device, words));
      return ok();
    });
  if (!status) made.error = status.error();
  const std::lock_guard letter(gate.mailbox);
  mail.done = std::move(made);
}

std::shared_ptr<const GpuField> GpuShading::newest(const std::shared_ptr<const GpuField>& field) {
  take();
  if (!field || refuses(field)) return nullptr;
  const bool same_text = ready_.field && ready_.field->shader->text == field->shader->text;
  if (ready_.field != field && !preparing_) {
    preparing_ = true;
    worker_.post([this, device = device_, gate = gate_, mail = mail_, wake = wake_, field, same_text] {
      const auto stopping = [&] { return gate->closing || worker_.stopping(); };
      prepare(device, *gate, *mail, {.field = field, .kernel = nullptr, .weights = nullptr, .error = {}}, !same_text,
              stopping);
      wake();
    });
  }
  return same_text ? ready_.field : nullptr;
}

Result<FieldPass> GpuShading::pass(const Pipelines& pipelines, const GBuffer& gbuffer) const {
  return FieldPass::create(device_, pipelines, ready_.kernel, ready_.weights, gbuffer);
}

void GpuShading::release() {
  ready_ = {};
  mail_->done.reset();
}

}  // namespace hw::viewport
