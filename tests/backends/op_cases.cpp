#include "op_cases.h"

#include <cmath>
#include <cstring>

#include "engine/core/philox.h"
#include "tests/bench/neural_texture.h"

namespace hw::test {
namespace {

std::vector<double> numbers(int64_t count, double lo, double hi, uint32_t stream) {
  std::vector<double> v;
  for (int64_t i = 0; i < count; ++i) {
    const auto e = static_cast<uint64_t>(i);
    v.push_back(lo + (hi - lo) * uniform01(philox_block(91, stream, 0, e / 4)[e % 4]));
  }
  return v;
}

void add_pointwise(std::vector<OpCase>& all) {
  for (Op op : {Op::add, Op::sub, Op::mul}) {
    all.push_back({op, "same", {{37, 5}, {37, 5}}});
    all.push_back({op, "long", {{5003, 3}, {5003, 3}}});
    all.push_back({op, "row", {{2100, 7}, {7}}});
    all.push_back({op, "column", {{130, 7}, {130, 1}}});
    all.push_back({op, "row and column", {{1, 7}, {300, 1}}});
    all.push_back({op, "scalar", {{33}, {}}});
    all.push_back({op, "scalars", {{}, {}}});
    all.push_back({op, "middle", {{11, 1, 5}, {4, 1}}});
    all.push_back({op, "one row", {{1, 1}, {1, 9}}});
    all.push_back({op, "empty", {{0, 3}, {3}}});
  }
  const auto unary = [&](Op op, Attr attr) {
    for (const Dims& d : {Dims{}, Dims{1}, Dims{17}, Dims{4099, 3}, Dims{0, 4}, Dims{3, 2, 5}})
      all.push_back({op, to_string(d), {d}, attr});
  };
  unary(Op::scale, ScaleAttr{-1.7});
  unary(Op::clamp, ClampAttr{-0.5, 0.75});
  unary(Op::relu, {});
  unary(Op::sigmoid, {});
  unary(Op::gradient_scale, GradientScaleAttr{128, true});
  unary(Op::dropout, DropoutAttr{0.3, 77});
  all.push_back({Op::sigmoid, "far", {{1000}}, {}, -120, 120});
  all.push_back({Op::dropout, "none", {{65}}, DropoutAttr{0, 5}});
  for (const Dims& d : {Dims{3}, Dims{1, 3}, Dims{2049, 3}, Dims{2, 7, 3}, Dims{0, 3}})
    all.push_back({Op::affine, to_string(d), {d}, AffineAttr{{0.5, -2, 3}, {1, 0.25, -4}}});
  const auto gradient = [&](Op op, Attr attr) {
    for (const Dims& d : {Dims{}, Dims{19}, Dims{1500, 3}, Dims{0, 2}}) all.push_back({op, to_string(d), {d, d}, attr});
  };
  gradient(Op::clamp_grad, ClampAttr{-0.5, 0.75});
  gradient(Op::relu_grad, {});
  gradient(Op::sigmoid_grad, {});
}

void add_linear(std::vector<OpCase>& all) {
  for (bool transposed : {false, true}) {
    const auto b = [&](int64_t k, int64_t m) { return transposed ? Dims{m, k} : Dims{k, m}; };
    const MatmulAttr attr{transposed};
    all.push_back({Op::matmul, "mlp", {{2100, 32}, b(32, 32)}, attr, -1, 1, 32});
    all.push_back({Op::matmul, "narrow", {{77, 32}, b(32, 3)}, attr, -1, 1, 32});
    all.push_back({Op::matmul, "one", {{1, 1}, b(1, 1)}, attr, -1, 1, 1});
    all.push_back({Op::matmul, "vector", {{13}, b(13, 5)}, attr, -1, 1, 13});
    all.push_back({Op::matmul, "batched", {{9, 4, 17}, b(17, 6)}, attr, -1, 1, 17});
    all.push_back({Op::matmul, "no rows", {{0, 8}, b(8, 2)}, attr});
    all.push_back({Op::matmul, "no inner", {{6, 0}, b(0, 2)}, attr});
  }
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      const auto product = [&](const char* name, Dims batch, int64_t n, int64_t k, int64_t m) {
        Dims a = batch, b = batch;
        a.insert(a.end(), {ta ? k : n, ta ? n : k});
        b.insert(b.end(), {tb ? m : k, tb ? k : m});
        all.push_back({Op::batch_matmul, name, {a, b}, MatmulAttr{tb, ta}, -1, 1, static_cast<double>(k)});
      };
      product("small", {300}, 3, 4, 5);
      product("heads", {3, 2}, 33, 17, 40);
      product("one", {1, 1}, 1, 1, 1);
      product("wide", {2}, 65, 70, 9);
      product("no batch", {0}, 3, 4, 5);
      product("no inner", {2, 3}, 3, 0, 5);
      product("no rows", {2}, 0, 4, 5);
    }
  all.push_back({Op::matmul_tn, "mlp", {{2100, 32}, {2100, 3}}, CastAttr{DType::f32}, -1, 1, 2100});
  all.push_back({Op::matmul_tn, "many tiles", {{30011, 4}, {30011, 5}}, CastAttr{DType::f32}, -1, 1, 30011});
  all.push_back({Op::matmul_tn, "outer", {{4}, {3}}, CastAttr{DType::f32}, -1, 1, 1});
  all.push_back({Op::matmul_tn, "batched", {{5, 6, 7}, {5, 6, 2}}, CastAttr{DType::f64}, -1, 1, 30});
  all.push_back({Op::matmul_tn, "empty", {{0, 3}, {0, 2}}, CastAttr{DType::f32}});
  const auto sum = [&](const char* name, Dims from, Dims to, double length) {
    all.push_back({Op::sum_to, name, {from}, DimsAttr{to, DType::f32}, -1, 1, length});
  };
  sum("all", {5001, 3}, {}, 15003);
  sum("rows", {5001, 3}, {3}, 5001);
  sum("rows kept", {300, 7}, {1, 7}, 300);
  sum("columns", {300, 7}, {300, 1}, 7);
  sum("middle", {6, 5, 4}, {6, 1, 4}, 5);
  sum("outer and inner", {6, 5, 4}, {5, 1}, 24);
  sum("nothing", {6, 5}, {6, 5}, 1);
  sum("scalar", {}, {}, 1);
  sum("empty", {0, 5}, {5}, 1);
  sum("one", {1, 5}, {1, 1}, 5);
  all.push_back({Op::gradient_norm, "three", {{100000}, {7, 3}, {}}, NormAttr{{1, 0.5, 2}}, -1, 1, 100022});
  all.push_back({Op::gradient_norm, "plain", {{33}}, NormAttr{}, -1, 1, 33});
}

void add_layout(std::vector<OpCase>& all) {
  const auto stretch = [&](Dims from, Dims to) {
    all.push_back({Op::broadcast_to, to_string(from), {from}, DimsAttr{to, DType::f32}});
  };
  stretch({}, {2050, 3});
  stretch({3}, {2050, 3});
  stretch({700, 1}, {700, 5});
  stretch({1, 5}, {8, 5});
  stretch({4, 1, 2}, {3, 4, 6, 2});
  stretch({1}, {0, 1});
  all.push_back({Op::reshape, "rows kept", {{40, 6}}, DimsAttr{{40, 2, 3}, DType::f32}});
  all.push_back({Op::reshape, "flat", {{40, 6}}, DimsAttr{{240}, DType::f32}});
  all.push_back({Op::reshape, "scalar", {{1, 1}}, DimsAttr{{}, DType::f32}});
  all.push_back({Op::reshape, "empty", {{0, 6}}, DimsAttr{{3, 0}, DType::f32}});
  for (int axis : {0, 1, 2}) {
    Dims a{5, 6, 7}, b = a, wide = a;
    b[static_cast<size_t>(axis)] = 2;
    wide[static_cast<size_t>(axis)] = 11;
    all.push_back({Op::concat, "axis " + std::to_string(axis), {a, b, a}, AxisAttr{axis, 0, 0, 0}});
    all.push_back({Op::slice, "axis " + std::to_string(axis), {a}, AxisAttr{axis, 1, 4, 0}});
    all.push_back({Op::pad, "axis " + std::to_string(axis), {b}, AxisAttr{axis, 3, 5, 11}});
  }
  for (int axis : {0, 1})
    all.push_back(
        {Op::pad, "filled " + std::to_string(axis), {{33, 7}}, AxisAttr{axis, 2, 2 + (axis ? 7 : 33), 40, -0.3}});
  const auto transpose = [&](const char* name, Dims dims, std::vector<int> order) {
    all.push_back({Op::transpose, name, {std::move(dims)}, PermuteAttr{std::move(order)}});
  };
  transpose("matrix", {333, 70}, {1, 0});
  transpose("tall", {5003, 3}, {1, 0});
  transpose("flat", {3, 5003}, {1, 0});
  transpose("one row", {1, 9}, {1, 0});
  transpose("to channels first", {4, 9, 11, 3}, {0, 3, 1, 2});
  transpose("to channels last", {4, 3, 9, 11}, {0, 2, 3, 1});
  transpose("heads", {2, 7, 3, 8}, {0, 2, 1, 3});
  transpose("reversed", {3, 4, 5, 6}, {3, 2, 1, 0});
  transpose("rows inward", {40, 5, 6}, {1, 2, 0});
  transpose("same", {6, 5}, {0, 1});
  transpose("vector", {1000}, {0});
  transpose("scalar", {}, {});
  transpose("empty", {4, 0, 3}, {2, 1, 0});
  all.push_back({Op::concat, "tall", {{3000, 3}, {3000, 1}}, AxisAttr{1, 0, 0, 0}});
  all.push_back({Op::slice, "nothing", {{9, 4}}, AxisAttr{1, 2, 2, 0}});
  for (DType to : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2, DType::i8, DType::u8,
                   DType::i32, DType::i64})
    all.push_back({Op::cast, std::string(name(to)), {{1037, 3}}, CastAttr{to}, -20, 20});
}

void add_grids(std::vector<OpCase>& all) {
  struct Form {
    const char* name;
    int64_t points;
    HashGridAttr grid;
  };
  const Form forms[] = {{"3d f2", 1111, make_hash_grid(3, 16, 2, 14, 16, 1.447, false)},
                        {"3d f2 smooth", 130, make_hash_grid(3, 5, 2, 10, 4, 2.0, true)},
                        {"3d f2 17 levels", 65, make_hash_grid(3, 17, 2, 8, 4, 1.3, false)},
                        {"3d f1", 97, make_hash_grid(3, 4, 1, 9, 4, 2.0, false)},
                        {"3d f4", 50, make_hash_grid(3, 4, 4, 9, 4, 2.0, false)},
                        {"3d f8", 50, make_hash_grid(3, 3, 8, 9, 4, 2.0, false)},
                        {"2d f2", 300, make_hash_grid(2, 6, 2, 8, 8, 1.6, false)},
                        {"2d f4 smooth", 1, make_hash_grid(2, 3, 4, 8, 8, 1.6, true)},
                        {"no points", 0, make_hash_grid(3, 4, 2, 8, 8, 1.6, false)}};
  for (const Form& f : forms) {
    const Dims x{f.points, f.grid.dims}, table{f.grid.table_entries(), f.grid.features};
    const Dims g{f.points, static_cast<int64_t>(f.grid.levels.size()) * f.grid.features};
    all.push_back({Op::hash_grid, f.name, {x, table}, f.grid, 0, 1, 8});
    all.push_back({Op::hash_grid_grad_table, f.name, {x, g}, f.grid, 0, 1, 64});
    all.push_back({Op::hash_grid_grad_input, f.name, {x, table, g}, f.grid, 0, 1, 4096});
  }
}

void add_updates(std::vector<OpCase>& all) {
  const auto update = [&](const char* name, UpdateAttr attr, Dims d) {
    for (Op op : {Op::sgd_update, Op::adam_update}) {
      std::vector<Dims> in(op == Op::adam_update ? 5 : 4, d);
      if (attr.has_touched) in.push_back({(element_count(d) + 15) / 16});
      if (attr.clip_norm > 0) in.push_back({});
      all.push_back({op, name, in, attr, -1, 1, 1});
    }
  };
  UpdateAttr plain, decay, decoupled, clipped, touched;
  decay.weight_decay = decoupled.weight_decay = 0.05;
  decoupled.decoupled = true;
  clipped.clip_norm = 0.25;
  clipped.unscale = 1.0 / 128;
  touched.has_touched = true;
  touched.unscale = 0.5;
  update("plain", plain, {33, 3});
  update("empty", plain, {0, 3});
  update("decay", decay, {7});
  update("decoupled", decoupled, {40000, 2});
  update("clipped", clipped, {100});
  update("touched", touched, {2003, 2});
  update("touched long", touched, {50000, 2});
  for (const Dims& d : {Dims{33, 3}, Dims{0, 3}, Dims{}, Dims{70001}}) {
    all.push_back({Op::accumulate, to_string(d), {d, d}});
    all.push_back({Op::average_update, to_string(d), {d, d}, ScaleAttr{0.25}});
  }
  all.push_back({Op::average_update, "warming up", {{7}, {7}}, ScaleAttr{0.9375}});
}

DType master_of(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

std::vector<DType> input_dtypes(const OpCase& c, DType dtype) {
  const DType master = master_of(dtype);
  std::vector<DType> d(c.in.size(), dtype);
  if (c.op == Op::hash_grid || c.op == Op::hash_grid_grad_table || c.op == Op::hash_grid_grad_input) d[0] = master;
  if (c.op == Op::where) d[0] = DType::boolean;
  if (c.op == Op::pick || c.op == Op::pick_grad) d[1] = DType::i64;
  if (const auto* attr = std::get_if<UpdateAttr>(&c.attr)) {
    const size_t same = c.op == Op::adam_update ? 5 : 4;
    for (size_t k = 1; k < same; ++k) d[k] = master;
    if (attr->has_touched) d[same] = DType::u8;
    if (attr->clip_norm > 0) d.back() = DType::f32;
  }
  if (info(c.op).outputs == 0) d[0] = c.op == Op::accumulate || c.op == Op::average_update ? master : d[0];
  switch (c.op) {  // statistics are in the master's dtype
    case Op::batch_norm:
      d[1] = master;
      break;
    case Op::batch_norm_grad_input:
      d[4] = master;
      [[fallthrough]];
    case Op::batch_norm_grad_sums:
      d[2] = master;
      break;
    case Op::moments_update:
      d = {master, master, master};
      break;
    default:
      break;
  }
  return d;
}

// Which input holds means and variances; −1: none.
int moments_input(Op op) {
  if (op == Op::batch_norm) return 1;
  return op == Op::batch_norm_grad_sums || op == Op::batch_norm_grad_input ? 2 : -1;
}

void add_data(std::vector<OpCase>& all) {
  using Mode = SampleImageAttr::Mode;
  const auto picture = bench::textured_sphere(2, 3, 37)->parts[0].texture;
  for (Mode mode : {Mode::bilinear, Mode::nearest, Mode::centres})
    for (int64_t points : {1, 2049}) {
      const SampleImageAttr attr{mode, picture, points, 9, mode == Mode::centres};
      all.push_back(
          {Op::sample_image, std::to_string(static_cast<int>(mode)) + ", " + std::to_string(points), {}, attr});
    }
  auto data = std::make_shared<Dataset>();
  data->sample = {2, 3, 5};
  data->classes = 4;
  data->train.x = Tensor(DType::u8, {11, 2, 3, 5});
  for (int64_t i = 0; i < data->train.x.size(); ++i) data->train.x.as<uint8_t>()[i] = static_cast<uint8_t>(i * 37);
  data->train.labels = Tensor(DType::i64, {11});
  for (int64_t i = 0; i < 11; ++i) data->train.labels.as<int64_t>()[i] = i % 4;
  data->test.x = Tensor::from_f64(DType::f32, {3, 2, 3, 5}, numbers(90, -2, 2, 3));
  all.push_back({Op::sample_rows, "shuffled", {}, SampleRowsAttr{data, false, 64, true, 9, 0, 0.1307, 0.3081}});
  all.push_back({Op::sample_rows, "in order, no labels", {}, SampleRowsAttr{data, true, 7, false, 9, 2, -0.5, 2}});
}

}  // namespace

std::vector<OpCase> op_cases() {
  std::vector<OpCase> all;
  add_pointwise(all);
  add_functions(all);
  add_along_axes(all);
  add_linear(all);
  add_layout(all);
  add_grids(all);
  add_image_cases(all);
  add_norm_cases(all);
  add_updates(all);
  for (auto distribution : {RandomAttr::Distribution::uniform, RandomAttr::Distribution::normal})
    for (const Dims& dims : {Dims{}, Dims{5}, Dims{5003, 3}, Dims{0, 4}, Dims{2, 7, 11}})
      all.push_back({Op::random, to_string(dims), {}, RandomAttr{distribution, dims, DType::f32, -0.5, 1.25, 9}});
  for (int64_t points : {1, 3000}) {
    SampleSurfaceAttr attr{bench::textured_sphere(12, 16, 64), points, 9};
    all.push_back({Op::sample_surface, std::to_string(points), {}, attr, 0, 1, 16384});
  }
  add_data(all);
  return all;
}

CaseProgram case_program(const OpCase& c, DType dtype) {
  CaseProgram p;
  p.program = std::make_shared<Program>();
  OpBuilder b(*p.program);
  b.set_node("case");
  const bool optimiser = c.op == Op::adam_update || c.op == Op::sgd_update;
  const bool update = info(c.op).outputs == 0;  // writes its inputs, which are states
  const std::vector<DType> dtypes = input_dtypes(c, dtype);
  for (size_t k = 0; k < c.in.size(); ++k) {
    const std::string name = "x" + std::to_string(k);
    p.in.push_back(update ? b.state(name, dtypes[k], c.in[k]) : b.input(name, dtypes[k], c.in[k]));
    const int64_t count = element_count(c.in[k]);
    std::vector<double> v = numbers(count, c.lo, c.hi, static_cast<uint32_t>(k));
    // Positions stay in [0, 1]; everything beside them is signed. Second moments are positive, masks 0 or 1.
    const bool grid = std::holds_alternative<HashGridAttr>(c.attr);
    if (grid && k > 0) v = numbers(count, -1, 1, static_cast<uint32_t>(k));
    if (update && c.op == Op::adam_update && k == 3)
      for (double& x : v) x = x * x;
    if (c.op == Op::compare)  // so that some are equal
      for (double& x : v) x = std::round(x * 2) / 2;
    if (dtypes[k] == DType::boolean)
      for (double& x : v) x = x > 0;
    if (dtypes[k] == DType::i64)  // −1 … 4: some lie outside the axis
      for (double& x : v) x = std::floor((x - c.lo) / (c.hi - c.lo) * 6) - 1;
    if (static_cast<int>(k) == moments_input(c.op))
      for (size_t i = v.size() / 2; i < v.size(); ++i) v[i] = 0.25 + v[i] * v[i];
    if (dtypes[k] == DType::u8)
      for (double& x : v) x = x > -0.4;
    if (optimiser && k == (c.op == Op::adam_update ? 4u : 3u))
      for (double& x : v) x = std::abs(x) < 0.2 ? 0 : x;
    if (optimiser && k == 0 && dtypes[0] == dtypes[1]) v = p.values.empty() ? v : p.values[0].to_f64();
    p.values.push_back(Tensor::from_f64(dtypes[k], c.in[k], v));
  }
  if (optimiser) {  // the view is the rounded master, as it is in a run
    p.values[0] = p.values[1].to(dtypes[0]);
  }
  const size_t before = p.program->instrs.size();
  Attr attr = c.attr;
  if (auto* random = std::get_if<RandomAttr>(&attr)) random->dtype = dtype;
  p.out = b.emit(c.op, p.in, attr);
  EXPECT_TRUE(b.status()) << (b.status() ? "" : b.status().error().text());
  EXPECT_EQ(p.program->instrs.size(), before + 1);
  if (update) {
    const int written = c.op == Op::adam_update ? 4 : optimiser ? 3 : c.op == Op::moments_update ? 2 : 1;
    p.out.assign(p.in.begin(), p.in.begin() + written);
  }
  for (Val v : p.in) p.dtypes.push_back((*p.program)[v.id].dtype);
  if (!update)
    for (Val v : p.out) {
      p.dtypes.push_back((*p.program)[v.id].dtype);
      p.program->outputs.push_back({"y", v.id});
    }
  return p;
}

std::vector<Tensor> run_case(const CaseProgram& c, Device& device, std::span<const ValueId> keep) {
  std::vector<Tensor> out;
  auto states = device.prepare_states(*c.program, nullptr, 1, nullptr);
  EXPECT_TRUE(states);
  for (size_t k = 0; k < c.in.size(); ++k) {
    const Value& v = (*c.program)[c.in[k].id];
    if (v.storage == Storage::state) {
      EXPECT_TRUE((*states)->write(v.name, c.values[k]));
    }
  }
  auto executable = device.compile(c.program, *states, keep);
  EXPECT_TRUE(executable) << (executable ? "" : executable.error().text());
  if (!executable) return out;
  for (size_t k = 0; k < c.in.size(); ++k) {
    const Value& v = (*c.program)[c.in[k].id];
    if (v.storage == Storage::input) {
      EXPECT_TRUE((*executable)->write_input(v.name, c.values[k]));
    }
  }
  StepInputs step;
  step.seed = 5;
  step.step = 3;
  step.learning_rate = 0.01;
  const Status status = (*executable)->run(step);
  EXPECT_TRUE(status) << (status ? "" : status.error().text());
  for (Val v : c.out) {
    const Value& value = (*c.program)[v.id];
    if (value.storage == Storage::state) {
      out.push_back((*states)->read(value.name));
      continue;
    }
    auto tensor = (*executable)->read(v.id);
    EXPECT_TRUE(tensor) << (tensor ? "" : tensor.error().text());
    out.push_back(tensor ? *tensor : Tensor::zeros(value.dtype, value.dims));
  }
  return out;
}

Tolerance tolerance(DType dtype, double sum_length) {
  const double root = std::sqrt(std::max(1.0, sum_length));
  switch (dtype) {
    case DType::f64:
      return {1e-7 * root, 1e-7 * root};
    case DType::f16:
      return {1e-3 * root, 1e-5 * root};
    case DType::bf16:
      return {1.6e-2 * root, 1e-5 * root};
    case DType::f32:
      return {1.3e-6 * root, 1e-5 * root};
    default:
      return {0, 0};
  }
}

void expect_close(const Tensor& got, const Tensor& expected, Tolerance t, const std::string& what) {
  ASSERT_EQ(got.dtype(), expected.dtype()) << what;
  ASSERT_EQ(got.dims(), expected.dims()) << what;
  const std::vector<double> a = got.to_f64(), b = expected.to_f64();
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    const double allowed = t.absolute + t.relative * std::abs(b[i]);
    ASSERT_TRUE(a[i] == b[i] || std::abs(a[i] - b[i]) <= allowed)
        << what << ": element " << i << " is " << a[i] << ", ref says " << b[i] << ", allowed " << allowed;
  }
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         (a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

}  // namespace hw::test
