#include "app/interop/onnx/fold.h"

#include "engine/backend/backend.h"
#include "engine/core/codes.h"
#include "engine/plan/write_weights.h"

namespace hw::interop {
namespace {

class NoAssets : public Assets {
 public:
  Result<std::shared_ptr<const Mesh>> mesh(const std::string&) override { return none(); }
  Result<std::shared_ptr<const Image>> image(const std::string&) override { return none(); }
  Result<std::shared_ptr<const Dataset>> dataset(const std::string&, const DatasetSpec&) override { return none(); }

 private:
  static Error none() { return {codes::asset_missing, "", "an ONNX model reads no files.", ""}; }
};

}  // namespace

Result<Tensor> folded(const Graph& graph, const SocketRef& wire, const Weights& weights) {
  NoAssets assets;
  HW_TRY(const LoweredGraph lowered, lower(graph, std::span(&wire, 1), {}, assets));
  const ValueId value = std::get<Val>(lowered.sockets.at(wire)).id;
  lowered.program->outputs.push_back({"y", value});
  HW_TRY(const std::shared_ptr<Device> device, make_device("ref"));
  HW_TRY(const std::shared_ptr<States> states, device->prepare_states(*lowered.program, nullptr, 0, nullptr));
  HW_CHECK(write_weights(*lowered.program, *states, weights));
  HW_TRY(const std::unique_ptr<Executable> executable, device->compile(lowered.program, states, std::span(&value, 1)));
  HW_CHECK(executable->run({}));
  return executable->read(value);
}

}  // namespace hw::interop
