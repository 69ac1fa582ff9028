#include "fixture_cases.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace hw::test {
namespace {

using nlohmann::json;

DType dtype_of(const std::string& text, DType dtype) {
  if (text == "T") return dtype;
  if (text == "M") return dtype == DType::f64 ? DType::f64 : DType::f32;
  const auto named = dtype_from_name(text);
  EXPECT_TRUE(named) << text;
  return named.value_or(dtype);
}

double number_of(const json& j) {
  if (j == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (j == "inf") return std::numeric_limits<double>::infinity();
  if (j == "-inf") return -std::numeric_limits<double>::infinity();
  return j.get<double>();
}

FixtureTensor tensor_of(const json& j) {
  FixtureTensor t{j.value("dtype", ""), j.at("dims").get<Dims>(), {}};
  for (const json& x : j.at("values")) t.values.push_back(number_of(x));
  EXPECT_EQ(static_cast<int64_t>(t.values.size()), element_count(t.dims));
  return t;
}

// Whether the inputs are numbers of `dtype`: the expected values are those of exactly these inputs.
bool holds_inputs(DType dtype, const Fixture& f) {
  for (const FixtureTensor& t : f.inputs)
    if ((t.dtype.empty() || t.dtype == "T") && Tensor::from_f64(dtype, t.dims, t.values).to_f64() != t.values)
      return false;
  return true;
}

Fixture fixture_of(const std::string& file, const json& j) {
  const std::string op = j.at("op").get<std::string>();
  const auto row = std::ranges::find(op_table(), op, &OpInfo::name);
  if (row == op_table().end()) throw std::runtime_error("there is no op " + op);
  Fixture f;
  f.op = static_cast<Op>(row - op_table().begin());
  f.name = file + ": " + op + ", " + j.at("name").get<std::string>();
  const json attr = j.value("attr", json::object());
  f.attr = attr.dump();
  f.function = attr.value("fn", "");
  for (const json& t : j.at("inputs")) f.inputs.push_back(tensor_of(t));
  for (const json& t : j.at("expected")) f.expected.push_back(tensor_of(t));
  f.tolerance_factor = j.value("tolerance_factor", 1.0);
  for (DType dtype : kComputeDTypes)
    if (info(dtype).bits > 8 || holds_inputs(dtype, f)) f.dtypes.push_back(dtype);
  if (j.contains("dtypes")) {
    f.dtypes.clear();
    for (const json& name : j.at("dtypes")) f.dtypes.push_back(dtype_of(name.get<std::string>(), DType::f64));
  }
  return f;
}

DimsAttr dims_attr(const json& j, DType dtype) {
  return {j.at("dims").get<Dims>(), dtype_of(j.at("dtype").get<std::string>(), dtype)};
}

AxisAttr axis_attr(const json& j, DType) {
  return {j.at("axis").get<int>(), j.value("begin", int64_t{0}), j.value("end", int64_t{0}),
          j.value("size", int64_t{0}), j.value("fill", 0.0)};
}

HashGridAttr hash_grid_attr(const json& j, DType) {
  return make_hash_grid(j.at("dims").get<int>(), j.at("levels").get<int>(), j.at("features").get<int>(),
                        j.at("log2_table").get<int>(), j.at("base_resolution").get<double>(),
                        j.at("per_level_scale").get<double>(), j.at("smoothstep").get<bool>());
}

RandomAttr random_attr(const json& j, DType dtype) {
  RandomAttr a;
  if (j.at("distribution") == "normal") a.distribution = RandomAttr::Distribution::normal;
  a.dims = j.at("dims").get<Dims>();
  a.dtype = dtype_of(j.at("dtype"), dtype);
  a.a = j.at("a");
  a.b = j.at("b");
  a.random.stream = j.at("stream");
  return a;
}

UpdateAttr update_attr(const json& j, DType) {
  UpdateAttr a;
  a.beta1 = j.value("beta1", a.beta1);
  a.beta2 = j.value("beta2", a.beta2);
  a.epsilon = j.value("epsilon", a.epsilon);
  a.weight_decay = j.value("weight_decay", a.weight_decay);
  a.decoupled = j.value("decoupled", a.decoupled);
  a.nesterov = j.value("nesterov", a.nesterov);
  a.unscale = j.value("unscale", a.unscale);
  a.clip_norm = j.value("clip_norm", a.clip_norm);
  a.has_touched = j.value("has_touched", a.has_touched);
  a.guarded = j.value("guarded", a.guarded);
  return a;
}

ConvAttr conv_attr(const json& j, DType dtype) {
  return {j.at("stride"),
          j.at("dilation"),
          j.at("pad_begin"),
          j.at("pad_end"),
          j.at("groups"),
          j.value("dims", Dims{}),
          dtype_of(j.value("dtype", "f32"), dtype)};
}

PoolAttr pool_attr(const json& j, DType) {
  PoolAttr a;
  a.kernel = j.value("kernel", a.kernel);
  a.stride = j.value("stride", a.stride);
  a.pad_begin = j.value("pad_begin", a.pad_begin);
  a.pad_end = j.value("pad_end", a.pad_end);
  a.count_padding = j.value("count_padding", a.count_padding);
  a.adaptive = j.value("adaptive", a.adaptive);
  a.size = j.value("size", a.size);
  a.dims = j.value("dims", a.dims);
  return a;
}

// The row of a function table that "fn" names.
template <class Fn>
Fn function_of(const json& j, std::span<const FunctionInfo> table) {
  const auto row = std::ranges::find(table, j.at("fn").get<std::string>(), &FunctionInfo::name);
  EXPECT_NE(row, table.end()) << j;
  return static_cast<Fn>(row - table.begin());
}

Attr function_attr(Op op, const json& j) {
  if (op == Op::unary || op == Op::unary_grad)
    return UnaryAttr{function_of<UnaryFn>(j, unary_table()), j.value("a", 0.0), j.value("b", 0.0)};
  if (op == Op::compare) return CompareAttr{function_of<CompareFn>(j, compare_table())};
  if (op == Op::reduce) return ReduceAttr{function_of<ReduceFn>(j, reduce_table()), j.at("dims").get<Dims>()};
  return BinaryAttr{function_of<BinaryFn>(j, binary_table()), j.value("wrt", 0)};
}

SoftmaxAttr softmax_attr(const json& j, DType) {
  return {j.at("axis").get<int>(), j.at("log").get<bool>()};
}

ResizeAttr resize_attr(const json& j, DType) {
  return {j.at("mode") == "nearest" ? ResizeAttr::Kind::nearest : ResizeAttr::Kind::bilinear, j.at("align_corners"),
          j.at("size"), j.value("dims", Dims{})};
}

Attr batch_norm_attr(const json& j, DType) {
  return BatchNormAttr{j.at("epsilon"), j.at("batch")};
}

Attr group_norm_attr(const json& j, DType) {
  return GroupNormAttr{j.at("group_size"), j.at("channels"), j.at("inner"), j.at("epsilon")};
}

struct Reader {
  Op op;
  Attr (*read)(const json&, DType);
};
// One row for each op that has attributes.
constexpr Reader kReaders[] = {
    {Op::cast, [](const json& j, DType d) -> Attr { return CastAttr{dtype_of(j.at("dtype"), d)}; }},
    {Op::scale, [](const json& j, DType) -> Attr { return ScaleAttr{j.at("factor")}; }},
    {Op::affine,
     [](const json& j, DType) -> Attr {
       return AffineAttr{j.at("scale"), j.at("offset")};
     }},
    {Op::clamp,
     [](const json& j, DType) -> Attr {
       return ClampAttr{j.at("lo"), j.at("hi")};
     }},
    {Op::clamp_grad,
     [](const json& j, DType) -> Attr {
       return ClampAttr{j.at("lo"), j.at("hi")};
     }},
    {Op::gradient_scale,
     [](const json& j, DType) -> Attr {
       return GradientScaleAttr{j.at("factor"), j.at("unscale")};
     }},
    {Op::unary, [](const json& j, DType) -> Attr { return function_attr(Op::unary, j); }},
    {Op::unary_grad, [](const json& j, DType) -> Attr { return function_attr(Op::unary_grad, j); }},
    {Op::binary, [](const json& j, DType) -> Attr { return function_attr(Op::binary, j); }},
    {Op::binary_grad, [](const json& j, DType) -> Attr { return function_attr(Op::binary_grad, j); }},
    {Op::compare, [](const json& j, DType) -> Attr { return function_attr(Op::compare, j); }},
    {Op::reduce, [](const json& j, DType) -> Attr { return function_attr(Op::reduce, j); }},
    {Op::softmax, [](const json& j, DType d) -> Attr { return softmax_attr(j, d); }},
    {Op::softmax_grad, [](const json& j, DType d) -> Attr { return softmax_attr(j, d); }},
    {Op::argmax, [](const json& j, DType d) -> Attr { return axis_attr(j, d); }},
    {Op::gather_elements, [](const json& j, DType d) -> Attr { return axis_attr(j, d); }},
    {Op::gather_elements_grad, [](const json& j, DType d) -> Attr { return axis_attr(j, d); }},
    {Op::dropout,
     [](const json& j, DType) -> Attr {
       return DropoutAttr{j.at("p"), {j.at("stream").get<uint32_t>()}};
     }},
    {Op::matmul, [](const json& j, DType) -> Attr { return MatmulAttr{j.at("transpose_b")}; }},
    {Op::matmul_tn, [](const json& j, DType d) -> Attr { return MatmulAttr{.dtype = dtype_of(j.at("dtype"), d)}; }},
    {Op::batch_matmul,
     [](const json& j, DType) -> Attr {
       return MatmulAttr{j.at("transpose_b"), j.at("transpose_a")};
     }},
    {Op::sum_to, [](const json& j, DType d) -> Attr { return dims_attr(j, d); }},
    {Op::broadcast_to, [](const json& j, DType d) -> Attr { return dims_attr(j, d); }},
    {Op::reshape, [](const json& j, DType d) -> Attr { return dims_attr(j, d); }},
    {Op::concat, [](const json& j, DType d) -> Attr { return axis_attr(j, d); }},
    {Op::slice, [](const json& j, DType d) -> Attr { return axis_attr(j, d); }},
    {Op::pad, [](const json& j, DType d) -> Attr { return axis_attr(j, d); }},
    {Op::transpose, [](const json& j, DType) -> Attr { return PermuteAttr{j.at("order")}; }},
    {Op::random, [](const json& j, DType d) -> Attr { return random_attr(j, d); }},
    {Op::hash_grid, [](const json& j, DType d) -> Attr { return hash_grid_attr(j, d); }},
    {Op::hash_grid_grad_table, [](const json& j, DType d) -> Attr { return hash_grid_attr(j, d); }},
    {Op::gather_grad, [](const json& j, DType) -> Attr { return DimsAttr{j.at("dims").get<Dims>()}; }},
    {Op::triplane_grad_planes, [](const json& j, DType) -> Attr { return DimsAttr{j.at("dims").get<Dims>()}; }},
    {Op::hash_grid_grad_input, [](const json& j, DType d) -> Attr { return hash_grid_attr(j, d); }},
    {Op::hash_grid_tangent, [](const json& j, DType d) -> Attr { return hash_grid_attr(j, d); }},
    {Op::hash_grid_tangent_grad_table, [](const json& j, DType d) -> Attr { return hash_grid_attr(j, d); }},
    {Op::hash_grid_tangent_grad_input, [](const json& j, DType d) -> Attr { return hash_grid_attr(j, d); }},
    {Op::triplane_tangent_grad_planes, [](const json& j, DType) -> Attr { return DimsAttr{j.at("dims").get<Dims>()}; }},
    {Op::conv2d, [](const json& j, DType d) -> Attr { return conv_attr(j, d); }},
    {Op::conv2d_grad_input, [](const json& j, DType d) -> Attr { return conv_attr(j, d); }},
    {Op::conv2d_grad_weight, [](const json& j, DType d) -> Attr { return conv_attr(j, d); }},
    {Op::max_pool, [](const json& j, DType d) -> Attr { return pool_attr(j, d); }},
    {Op::max_pool_grad, [](const json& j, DType d) -> Attr { return pool_attr(j, d); }},
    {Op::avg_pool, [](const json& j, DType d) -> Attr { return pool_attr(j, d); }},
    {Op::avg_pool_grad, [](const json& j, DType d) -> Attr { return pool_attr(j, d); }},
    {Op::resize, [](const json& j, DType d) -> Attr { return resize_attr(j, d); }},
    {Op::resize_grad, [](const json& j, DType d) -> Attr { return resize_attr(j, d); }},
    {Op::batch_norm, batch_norm_attr},
    {Op::batch_norm_grad_sums, batch_norm_attr},
    {Op::batch_norm_grad_input, batch_norm_attr},
    {Op::moments_update,
     [](const json& j, DType) -> Attr {
       return MomentsAttr{j.at("rate"), j.at("variance_factor")};
     }},
    {Op::group_norm, group_norm_attr},
    {Op::group_norm_grad_input, group_norm_attr},
    {Op::group_norm_grad_sums, group_norm_attr},
    {Op::gradient_norm, [](const json& j, DType) -> Attr { return NormAttr{j.at("factors")}; }},
#define HW_UPDATE(name, ...) {Op::name##_update, [](const json& j, DType d) -> Attr { return update_attr(j, d); }},
#include "engine/program/optimisers.def"
    {Op::check_finite, [](const json&, DType) -> Attr { return LossScaleAttr{}; }},
    {Op::loss_scale_update,
     [](const json& j, DType) -> Attr {
       return LossScaleAttr{j.at("dynamic"), j.at("growth"), j.at("backoff"), j.at("interval")};
     }},
    {Op::average_update, [](const json& j, DType) -> Attr { return ScaleAttr{j.at("factor")}; }},
};

}  // namespace

std::vector<Fixture> fixtures() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(HALFWIRE_FIXTURES))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Fixture> all;
  for (const auto& file : files) {
    try {
      std::ifstream in(file);
      for (const json& j : json::parse(in)) all.push_back(fixture_of(file.filename().string(), j));
    } catch (const std::exception& e) {
      ADD_FAILURE() << file << ": " << e.what();
    }
  }
  return all;
}

Attr fixture_attr(const Fixture& f, DType dtype) {
  const json j = json::parse(f.attr);
  for (const Reader& reader : kReaders)
    if (reader.op == f.op) return reader.read(j, dtype);
  EXPECT_TRUE(j.empty()) << f.name << ": the attributes of " << info(f.op).name << " need a row in kReaders";
  return {};
}

CaseProgram fixture_program(const Fixture& f, DType dtype) {
  CaseProgram p;
  p.program = std::make_shared<Program>();
  OpBuilder b(*p.program);
  b.set_node("case");
  const bool update = info(f.op).outputs == 0;  // writes its inputs, which are states
  for (size_t k = 0; k < f.inputs.size(); ++k) {
    const FixtureTensor& t = f.inputs[k];
    const DType own = dtype_of(t.dtype, dtype);
    const std::string name = "x" + std::to_string(k);
    p.in.push_back(update ? b.state(name, own, t.dims) : b.input(name, own, t.dims));
    p.values.push_back(Tensor::from_f64(own, t.dims, t.values));
    p.dtypes.push_back(own);
  }
  p.out = b.emit(f.op, p.in, fixture_attr(f, dtype));
  EXPECT_TRUE(b.status()) << f.name << ": " << (b.status() ? "" : b.status().error().text());
  if (!b.status()) return p;
  if (update) {
    p.out.assign(p.in.begin(), p.in.begin() + static_cast<std::ptrdiff_t>(f.expected.size()));
  } else {
    for (Val v : p.out) {
      p.dtypes.push_back((*p.program)[v.id].dtype);
      p.program->outputs.push_back({"y", v.id});
    }
  }
  return p;
}

}  // namespace hw::test
