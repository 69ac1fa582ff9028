#include "app/workspace/device_choice.h"

#include <algorithm>

#include "engine/backend/cuda/gpus.h"
#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/program/device_id.h"

namespace hw::workspace {
namespace {

/// "cuda", "cuda:0" …
bool can_be_gpu(const std::string& name) {
  const std::string id = canonical_device_id(name);
  constexpr std::string_view kGpu = "cuda:";
  return id.starts_with(kGpu) && id.size() > kGpu.size() && id.find_first_not_of("0123456789", kGpu.size()) == id.npos;
}

/// Why a GPU that is asked for is not here.
Error missing_gpu() {
  if (const Status any = check_any_gpu(); !any) return any.error();
  const size_t last = cuda::gpus()->size() - 1;
  return {codes::no_gpu, "", last == 0 ? "There is one GPU." : "There are " + std::to_string(last + 1) + " GPUs.",
          last == 0 ? "Choose cuda:0." : "Choose one of cuda:0 to cuda:" + std::to_string(last) + "."};
}

}  // namespace

Status check_any_gpu() {
  const auto& gpus = cuda::gpus();
  if (!gpus) return gpus.error();
  if (gpus->empty()) return Error{codes::no_gpu, "", "There is no GPU that CUDA sees.", "Choose the cpu device."};
  return ok();
}

Result<std::shared_ptr<Device>> choose_device(const std::string& id, const std::string& asked) {
  auto device = make_device(id);
  if (device) return device;
  Error error = device.error();
  if (error.code == codes::bad_usage && can_be_gpu(id)) error = missing_gpu();
#ifdef HALFWIRE_CUDA
  if (error.code == codes::bad_usage) error.remedy += " Where there is an NVIDIA GPU, cuda:0 and so on, too.";
#endif
  error.where = asked;
  return error;
}

Diagnostic explained(Diagnostic d) {
  if (d.code != codes::no_device || d.got.empty() || std::ranges::count(device_ids(), canonical_device_id(d.got)))
    return d;
  d.reason += " " + (can_be_gpu(d.got) ? missing_gpu().reason : "There is no such device.");
  return d;
}

}  // namespace hw::workspace
