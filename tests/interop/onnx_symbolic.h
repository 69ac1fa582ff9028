// Models of ONNX with symbolic sizes, for tests.
#pragma once

#include <numeric>

#include "app/interop/onnx/export_graph.h"
#include "tests/interop/onnx_models.h"

namespace hw::test {

using interop::ImportedModel;
using Values = std::vector<double>;

/// A size of −1 has the next of these symbols.
inline onnx::ModelProto symbolic_model(const std::vector<int64_t>& dims, const std::vector<std::string>& symbols,
                                       int type = onnx::TensorProto::FLOAT) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", dims, type);
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  size_t next = 0;
  for (auto& dim :
       *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
    if (!dim.has_dim_value()) dim.set_dim_param(symbols[next++]);
  return model;
}

/// Integer constants by name.
inline void add_numbers(onnx::ModelProto& model) {
  for (const int64_t n : {-1, 0, 1, 2, 4}) add_integers(model, "n" + std::to_string(n), {n});
  add_integers(model, "axis", {0});
}

/// i64 [1]: a size of x.
inline std::string size_of_x(onnx::ModelProto& model, const std::string& axis) {
  add_node(model, "Shape", {"x"}, {"shape_" + axis});
  add_node(model, "Gather", {"shape_" + axis, "n" + axis}, {"size_" + axis});
  return "size_" + axis;
}

inline Tensor counting(const Dims& dims) {
  Values values(static_cast<size_t>(element_count(dims)));
  std::iota(values.begin(), values.end(), 1);
  return Tensor::from_f64(DType::f32, dims, values);
}

/// Nothing of it is fixed or missing.
inline ImportedModel whole(const onnx::ModelProto& model) {
  auto made = imported(model);
  EXPECT_TRUE(made) << made.error().text();
  if (!made) return {};
  EXPECT_EQ(made->fixed_because, "");
  for (const auto& m : made->missing) ADD_FAILURE() << m.op << ": " << m.reason;
  return std::move(*made);
}

/// Exported and read again, it computes the same.
inline void expect_same_exported(const ImportedModel& model, const Tensor& x) {
  FileAssets assets("");
  const auto exported =
      interop::export_graph(model.graph, {{"y", model.outputs.front().second}}, &model.weights, assets);
  ASSERT_TRUE(exported) << exported.error().text();
  const auto back = interop::import_graph(*exported);
  ASSERT_TRUE(back) << back.error().text();
  for (const auto& m : back->missing) ADD_FAILURE() << m.op << ": " << m.reason;
  EXPECT_EQ(values_of(*back, x), values_of(model, x));
}

}  // namespace hw::test
