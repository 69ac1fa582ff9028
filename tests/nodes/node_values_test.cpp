// Every registered node × example × dtype: what lower() makes is what shape() says; every device agrees with ref, op by
// op and as a whole.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/compare/tolerance.h"
#include "engine/devices/devices.h"
#include "tests/backends/host_gpu.h"
#include "tests/engine/op_by_op.h"
#include "tests/nodes/node_case.h"

namespace hw::test {
namespace {

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

// For whole nodes, in f32 and f64: the errors of ops that follow one another add up, `factor` says by how much. A sum
// of products (factor > 1) can cancel: its error is relative to the tensor's magnitude, not to the element.
void expect_close(const Tensor& got, const Tensor& wanted, double factor, const std::string& what) {
  ASSERT_EQ(got.dims(), wanted.dims()) << what;
  const std::vector<double> a = got.to_f64(), b = wanted.to_f64();
  const Tolerance t = tolerance(got.dtype());
  const double magnitude = factor > 1 ? rms(b) : 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double allowed = factor * (t.absolute + t.relative * std::max(std::abs(b[i]), magnitude));
    ASSERT_LE(std::abs(a[i] - b[i]), allowed) << what << ", element " << i << ": " << a[i] << ", wanted " << b[i];
  }
}

// Values whose rounding may differ from device to device by as much as a narrow dtype's neighbours are apart.
bool has_narrow_values(const Program& p) {
  const auto narrow = [](DType d) { return info(d).is_float && info(d).mantissa_bits < 23; };
  for (const Value& v : p.values)
    if (narrow(v.dtype)) return true;
  for (const Instr& i : p.instrs) {
    if (const auto* a = std::get_if<MatmulAttr>(&i.attr); a && a->compute) return true;
    if (const auto* a = std::get_if<ConvAttr>(&i.attr); a && a->compute) return true;
  }
  return false;
}

// "gpu on the host": the functors of GPUs, run by a driver in host memory.
// Each made once: Vulkan compiles its kernels anew for every device.
std::shared_ptr<Device> device_of(const std::string& name) {
  static std::map<std::string, std::shared_ptr<Device>> made;
  std::shared_ptr<Device>& device = made[name];
  if (!device) device = name == "gpu_on_the_host" ? host_gpu() : *make_device(name);
  return device;
}
// What is held against ref.
std::vector<std::string> judged_devices() {
  std::vector<std::string> names{"gpu_on_the_host"};
  for (const std::string& id : device_ids())
    if (id != "ref") names.push_back(id);
  return names;
}

// The outputs of a case on a device, `all` values kept or only these; empty when something failed, which is reported.
std::vector<Tensor> outputs_on(const std::shared_ptr<Device>& device, const NodeCase& c, bool all = false) {
  LoweredCase lowered = lower_case(c);
  if (!lowered.builder->status()) {
    ADD_FAILURE() << lowered.builder->status().error().text();
    return {};
  }
  const std::vector<Val> outputs = lowered.tensor_outputs();
  std::vector<Val> kept = outputs;
  if (all)
    for (const Instr& instr : lowered.program->instrs)
      for (const ValueId id : instr.out) kept.push_back({id});
  auto running = start(lowered, device, kept);
  if (!running) {
    ADD_FAILURE() << running.error().text();
    return {};
  }
  const Status ran = running->run();
  if (!ran) {
    ADD_FAILURE() << ran.error().text();
    return {};
  }
  std::vector<Tensor> tensors;
  for (const Val v : outputs) {
    auto tensor = running->executable->read(v.id);
    if (!tensor) {
      ADD_FAILURE() << tensor.error().text();
      return {};
    }
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

class NodeShapes : public testing::TestWithParam<NodeCase> {};

TEST_P(NodeShapes, LowerMakesWhatShapeSays) {
  const NodeCase& c = GetParam();
  const Declaration declared = c.type->declared(c.example.params);
  const NodeDecl& decl = *declared;
  const LoweredCase lowered = lower_case(c);
  ASSERT_TRUE(lowered.shapes) << lowered.shapes.error().text();
  ASSERT_TRUE(lowered.builder->status()) << lowered.builder->status().error().text();
  ASSERT_EQ(lowered.shapes->size(), decl.outputs().size());
  ASSERT_EQ(lowered.outputs.size(), decl.outputs().size());
  for (size_t i = 0; i < lowered.outputs.size(); ++i) {
    const WireType& said = (*lowered.shapes)[i];
    const std::string& socket = decl.outputs()[i].id;
    EXPECT_EQ(said.kind, decl.outputs()[i].kind) << socket;
    EXPECT_EQ(lowered.outputs[i].index(), static_cast<size_t>(said.kind)) << socket;
    if (said.kind != Kind::tensor) {
      EXPECT_TRUE(std::visit([](const auto& value) { return static_cast<bool>(value); }, lowered.outputs[i])) << socket;
      continue;
    }
    const Value& made = (*lowered.builder)[std::get<Val>(lowered.outputs[i])];
    EXPECT_EQ(name(made.dtype), name(said.dtype)) << socket;
    EXPECT_EQ(made.dims, said.shape.dims()) << socket;
    for (size_t k = 0; k < made.axes.size(); ++k) EXPECT_EQ(made.axes[k], said.shape[k].name) << socket;
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, NodeShapes, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return case_name(test.param); });

class NodeValues : public testing::TestWithParam<std::tuple<NodeCase, std::string>> {};

// Every op of the node within its own bound, on the inputs that it has there; the same bits where values are not kept
// between ops; and, where roundings between ops are small, the node as a whole.
TEST_P(NodeValues, AgreeWithRef) {
  const auto& [c, name] = GetParam();
  const auto device = device_of(name);
  const LoweredCase lowered = lower_case(c);
  ASSERT_TRUE(lowered.builder->status()) << lowered.builder->status().error().text();
  RunStart start;
  start.step.seed = 7;
  start.step.step = 3;
  start.states = example_states(*lowered.program);
  for (const auto& [port, tensor] : lowered.inputs) start.inputs[port] = tensor;
  EXPECT_EQ(first_disagreement(lowered.program, *device, start), "");
  const std::vector<Tensor> got = outputs_on(device, c), kept = outputs_on(device, c, true);
  const std::vector<Tensor> wanted = outputs_on(device_of("ref"), c);
  const Declaration declared = c.type->declared(c.example.params);
  ASSERT_EQ(got.size(), wanted.size());
  ASSERT_EQ(got.size(), kept.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const std::string& socket = declared->outputs()[i].id;
    for (const double v : wanted[i].to_f64()) ASSERT_TRUE(std::isfinite(v)) << socket;
    ASSERT_EQ(hw::name(got[i].dtype()), hw::name(wanted[i].dtype()));
    EXPECT_EQ(std::memcmp(got[i].data(), kept[i].data(), got[i].bytes()), 0) << socket;
    const bool wide = !info(got[i].dtype()).is_float || info(got[i].dtype()).mantissa_bits >= 23;
    if (wide && !has_narrow_values(*lowered.program))
      expect_close(got[i], wanted[i], c.example.tolerance_factor, socket);
  }
}

std::string device_case_name(const testing::TestParamInfo<std::tuple<NodeCase, std::string>>& test) {
  std::string text = std::get<0>(test.param).name + "_on_" + std::get<1>(test.param);
  for (char& c : text)
    if (c == ':') c = '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(Nodes, NodeValues,
                         testing::Combine(testing::ValuesIn(all_cases()), testing::ValuesIn(judged_devices())),
                         device_case_name);

}  // namespace
}  // namespace hw::test
