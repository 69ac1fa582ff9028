// Every registered node × example × dtype: what lower() makes is what shape() says; every device agrees with ref.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/nodes/node_case.h"

namespace hw::test {
namespace {

struct Tolerance {
  double relative, absolute;
};

// NUMERICS: values (rtol, atol).
Tolerance tolerance_of(DType dtype) {
  const int bits = info(dtype).mantissa_bits;
  if (bits >= 52) return {1e-7, 1e-7};
  if (bits >= 23) return {1.3e-6, 1e-5};
  if (bits >= 7) return {bits >= 10 ? 1e-3 : 1.6e-2, 1e-5};
  return {std::ldexp(0.5, -bits), info(dtype).min_subnormal / 2};
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

// A sum of products (factor > 1) can cancel: its error is relative to the tensor's magnitude, not to the element.
void expect_close(const Tensor& got, const Tensor& wanted, DType dtype, double factor, const std::string& what) {
  ASSERT_EQ(got.dims(), wanted.dims()) << what;
  const std::vector<double> a = got.to_f64(), b = wanted.to_f64();
  const Tolerance t = tolerance_of(dtype);
  const double magnitude = factor > 1 ? rms(b) : 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double allowed = factor * (t.absolute + t.relative * std::max(std::abs(b[i]), magnitude));
    ASSERT_LE(std::abs(a[i] - b[i]), allowed) << what << ", element " << i << ": " << a[i] << ", wanted " << b[i];
  }
}

// The outputs of a case on a device; empty when something failed, which is reported.
std::vector<Tensor> outputs_on(const std::string& device, const NodeCase& c) {
  LoweredCase lowered = lower_case(c);
  if (!lowered.builder->status()) {
    ADD_FAILURE() << lowered.builder->status().error().text();
    return {};
  }
  const std::vector<Val> outputs = lowered.tensor_outputs();
  auto running = start(lowered, device, outputs);
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

TEST_P(NodeValues, AgreeWithRef) {
  const auto& [c, device] = GetParam();
  const std::vector<Tensor> got = outputs_on(device, c);
  if (device == "ref") {
    // The oracle itself: finite, and the same bits again.
    const std::vector<Tensor> again = outputs_on(device, c);
    ASSERT_EQ(got.size(), again.size());
    for (size_t i = 0; i < got.size(); ++i) {
      for (const double v : got[i].to_f64()) ASSERT_TRUE(std::isfinite(v));
      EXPECT_EQ(std::memcmp(got[i].data(), again[i].data(), got[i].bytes()), 0);
    }
    return;
  }
  const std::vector<Tensor> wanted = outputs_on("ref", c);
  const Declaration declared = c.type->declared(c.example.params);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(name(got[i].dtype()), name(wanted[i].dtype()));
    // Narrow inputs are the same numbers on both devices; only what is stored on the way counts.
    expect_close(got[i], wanted[i], got[i].dtype(), c.example.tolerance_factor, declared->outputs()[i].id);
  }
}

std::string device_case_name(const testing::TestParamInfo<std::tuple<NodeCase, std::string>>& test) {
  std::string text = std::get<0>(test.param).name + "_on_" + std::get<1>(test.param);
  for (char& c : text)
    if (c == ':') c = '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(Nodes, NodeValues,
                         testing::Combine(testing::ValuesIn(all_cases()), testing::ValuesIn(device_ids())),
                         device_case_name);

}  // namespace
}  // namespace hw::test
