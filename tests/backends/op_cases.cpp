#include "op_cases.h"

#include "engine/core/philox.h"
#include "engine/node/example_assets.h"
#include "engine/program/optimisers.h"
#include "tests/bench/neural_texture.h"

namespace hw::test {

std::vector<double> numbers(int64_t count, double lo, double hi, uint32_t stream) {
  std::vector<double> v;
  for (int64_t i = 0; i < count; ++i) {
    const auto e = static_cast<uint64_t>(i);
    v.push_back(lo + (hi - lo) * uniform01(philox_block(91, stream, 0, e / 4)[e % 4]));
  }
  return v;
}

namespace {

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
  unary(Op::dropout, DropoutAttr{0.3, {77}});
  all.push_back({Op::sigmoid, "far", {{1000}}, {}, -120, 120});
  all.push_back({Op::dropout, "none", {{65}}, DropoutAttr{0, {5}}});
  for (const Dims& d : {Dims{3}, Dims{1, 3}, Dims{2049, 3}, Dims{2, 7, 3}, Dims{0, 3}})
    all.push_back({Op::affine, to_string(d), {d}, AffineAttr{{0.5, -2, 3}, {1, 0.25, -4}}});
  const auto gradient = [&](Op op, Attr attr) {
    for (const Dims& d : {Dims{}, Dims{19}, Dims{1500, 3}, Dims{0, 2}}) all.push_back({op, to_string(d), {d, d}, attr});
  };
  gradient(Op::clamp_grad, ClampAttr{-0.5, 0.75});
  gradient(Op::relu_grad, {});
  all.push_back({Op::relu_grad, "all pass", {{21}, {21}}, {}, 0.5, 2});
  gradient(Op::sigmoid_grad, {});
}

void add_linear(std::vector<OpCase>& all) {
  for (bool transposed : {false, true}) {
    const auto b = [&](int64_t k, int64_t m) { return transposed ? Dims{m, k} : Dims{k, m}; };
    const MatmulAttr attr{transposed};
    all.push_back({Op::matmul, "mlp", {{2100, 32}, b(32, 32)}, attr, -1, 1});
    all.push_back({Op::matmul, "narrow", {{77, 32}, b(32, 3)}, attr, -1, 1});
    all.push_back({Op::matmul, "one", {{1, 1}, b(1, 1)}, attr, -1, 1});
    all.push_back({Op::matmul, "vector", {{13}, b(13, 5)}, attr, -1, 1});
    all.push_back({Op::matmul, "batched", {{9, 4, 17}, b(17, 6)}, attr, -1, 1});
    all.push_back({Op::matmul, "no rows", {{0, 8}, b(8, 2)}, attr});
    all.push_back({Op::matmul, "no inner", {{6, 0}, b(0, 2)}, attr});
    all.push_back({Op::matmul, "bias", {{2100, 32}, b(32, 33), {33}}, attr, -1, 1});
    all.push_back({Op::matmul, "narrow, bias", {{77, 32}, b(32, 3), {3}}, attr, -1, 1});
    all.push_back({Op::matmul, "one column, bias", {{33, 5}, b(5, 1), {1}}, attr, -1, 1});
    all.push_back({Op::matmul, "vector, bias", {{13}, b(13, 5), {5}}, attr, -1, 1});
    all.push_back({Op::matmul, "batched, bias", {{6, 4, 17}, b(17, 6), {6}}, attr, -1, 1});
    all.push_back({Op::matmul, "no inner, bias", {{6, 0}, b(0, 2), {2}}, attr, -1, 1});
  }
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      const auto product = [&](const char* name, Dims batch, int64_t n, int64_t k, int64_t m) {
        Dims a = batch, b = batch;
        a.insert(a.end(), {ta ? k : n, ta ? n : k});
        b.insert(b.end(), {tb ? m : k, tb ? k : m});
        all.push_back({Op::batch_matmul, name, {a, b}, MatmulAttr{tb, ta}, -1, 1});
      };
      product("small", {300}, 3, 4, 5);
      product("heads", {3, 2}, 33, 17, 40);
      product("one", {1, 1}, 1, 1, 1);
      product("wide", {2}, 65, 70, 9);
      product("no batch", {0}, 3, 4, 5);
      product("no inner", {2, 3}, 3, 0, 5);
      product("no rows", {2}, 0, 4, 5);
    }
  all.push_back({Op::matmul_tn, "mlp", {{2100, 32}, {2100, 3}}, MatmulAttr{.dtype = DType::f32}, -1, 1});
  all.push_back({Op::matmul_tn, "many tiles", {{30011, 4}, {30011, 5}}, MatmulAttr{.dtype = DType::f32}, -1, 1});
  all.push_back({Op::matmul_tn, "outer", {{4}, {3}}, MatmulAttr{.dtype = DType::f32}, -1, 1});
  all.push_back({Op::matmul_tn, "batched", {{5, 6, 7}, {5, 6, 2}}, MatmulAttr{.dtype = DType::f64}, -1, 1});
  for (DType compute : {DType::tf32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    const std::string in = "in " + std::string(name(compute));
    all.push_back({Op::matmul, in, {{700, 40}, {40, 24}}, MatmulAttr{.compute = compute}, -1, 1});
    all.push_back({Op::matmul, in + ", bias", {{70, 40}, {40, 24}, {24}}, MatmulAttr{.compute = compute}, -1, 1});
    all.push_back({Op::matmul_tn, in, {{700, 24}, {700, 9}}, MatmulAttr{.compute = compute}, -1, 1});
    all.push_back({Op::batch_matmul, in, {{3, 20, 33}, {3, 33, 17}}, MatmulAttr{.compute = compute}, -1, 1});
    all.push_back({Op::batch_matmul, in + " small", {{3, 2, 7}, {3, 7, 4}}, MatmulAttr{.compute = compute}, -1, 1});
  }
  all.push_back({Op::matmul_tn, "empty", {{0, 3}, {0, 2}}, MatmulAttr{.dtype = DType::f32}});
  const auto sum = [&](const char* name, Dims from, Dims to) {
    all.push_back({Op::sum_to, name, {from}, DimsAttr{to, DType::f32}, -1, 1});
  };
  sum("all", {5001, 3}, {});
  sum("rows", {5001, 3}, {3});
  sum("rows kept", {300, 7}, {1, 7});
  sum("columns", {300, 7}, {300, 1});
  sum("middle", {6, 5, 4}, {6, 1, 4});
  sum("outer and inner", {6, 5, 4}, {5, 1});
  sum("nothing", {6, 5}, {6, 5});
  sum("scalar", {}, {});
  sum("empty", {0, 5}, {5});
  sum("one", {1, 5}, {1, 1});
  all.push_back({Op::gradient_norm, "three", {{100000}, {7, 3}, {}}, NormAttr{{1, 0.5, 2}}, -1, 1});
  all.push_back({Op::gradient_norm, "plain", {{33}}, NormAttr{}, -1, 1});
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

HashGridAttr gradient_in_f16(HashGridAttr grid) {
  grid.gradient = DType::f16;
  return grid;
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
                        {"3d f2 gradient f16", 700, gradient_in_f16(make_hash_grid(3, 5, 2, 9, 4, 2.0, false))},
                        {"3d f1 gradient f16", 97, gradient_in_f16(make_hash_grid(3, 4, 1, 9, 4, 2.0, false))},
                        {"no points", 0, make_hash_grid(3, 4, 2, 8, 8, 1.6, false)}};
  for (const Form& f : forms) {
    const Dims x{f.points, f.grid.dims}, table{f.grid.table_entries(), f.grid.features};
    const Dims g{f.points, static_cast<int64_t>(f.grid.levels.size()) * f.grid.features};
    all.push_back({Op::hash_grid, f.name, {x, table}, f.grid, 0, 1});
    all.push_back({Op::hash_grid_grad_table, f.name, {x, g}, f.grid, 0, 1});
    all.push_back({Op::hash_grid_grad_input, f.name, {x, table, g}, f.grid, 0, 1});
    all.push_back({Op::hash_grid_tangent, f.name, {x, table, x}, f.grid, 0, 1});
    all.push_back({Op::hash_grid_tangent_grad_table, f.name, {x, x, g}, f.grid, 0, 1});
    all.push_back({Op::hash_grid_tangent_grad_input, f.name, {x, table, x, g}, f.grid, 0, 1});
  }
}

}  // namespace

bool is_triplane(Op op) {
  switch (op) {
    case Op::triplane:
    case Op::triplane_grad_planes:
    case Op::triplane_grad_input:
    case Op::triplane_tangent:
    case Op::triplane_tangent_grad_planes:
    case Op::triplane_tangent_grad_input:
      return true;
    default:
      return false;
  }
}

std::vector<size_t> point_inputs(Op op) {
  switch (op) {
    case Op::hash_grid:
    case Op::hash_grid_grad_table:
    case Op::hash_grid_grad_input:
    case Op::triplane:
    case Op::triplane_grad_planes:
    case Op::triplane_grad_input:
      return {0};
    case Op::hash_grid_tangent_grad_table:
    case Op::triplane_tangent_grad_planes:
      return {0, 1};
    case Op::hash_grid_tangent:
    case Op::hash_grid_tangent_grad_input:
    case Op::triplane_tangent:
    case Op::triplane_tangent_grad_input:
      return {0, 2};
    default:
      return {};
  }
}

namespace {

void add_gathers(std::vector<OpCase>& all) {
  struct Form {
    const char* name;
    Dims table, index;
  };
  const Form forms[] = {{"rows", {3, 40}, {300}}, {"batches", {2, 5}, {4, 70}}, {"numbers", {3}, {50}},
                        {"one", {2, 3, 4}, {}},   {"no rows", {3, 4}, {0, 2}},  {"matrices", {3, 2, 5}, {33}}};
  for (const Form& f : forms) {
    Dims g = f.index;
    g.insert(g.end(), f.table.begin() + 1, f.table.end());
    all.push_back({Op::gather, f.name, {f.table, f.index}, {}, -1, 4});
    all.push_back({Op::gather_grad, f.name, {g, f.index}, DimsAttr{f.table}, -1, 4});
  }
}

void add_triplanes(std::vector<OpCase>& all) {
  struct Form {
    const char* name;
    int64_t points;
    Dims planes;
  };
  const Form forms[] = {{"square", 1111, {3, 5, 16, 16}},
                        {"wide", 130, {3, 9, 3, 40}},
                        {"one pixel", 50, {3, 2, 1, 1}},
                        {"one point", 1, {3, 1, 4, 2}},
                        {"no points", 0, {3, 4, 8, 8}}};
  for (const Form& f : forms) {
    const Dims x{f.points, 3}, g{f.points, 3 * f.planes[1]};
    all.push_back({Op::triplane, f.name, {x, f.planes}, {}, -0.2, 1.2});
    all.push_back({Op::triplane_grad_planes, f.name, {x, g}, DimsAttr{f.planes}, -0.2, 1.2});
    all.push_back({Op::triplane_grad_input, f.name, {x, f.planes, g}, {}, -0.2, 1.2});
    all.push_back({Op::triplane_tangent, f.name, {x, f.planes, x}, {}, -0.2, 1.2});
    all.push_back({Op::triplane_tangent_grad_planes, f.name, {x, x, g}, DimsAttr{f.planes}, -0.2, 1.2});
    all.push_back({Op::triplane_tangent_grad_input, f.name, {x, f.planes, x, g}, {}, -0.2, 1.2});
  }
}

void add_updates(std::vector<OpCase>& all) {
  const auto update = [&](const char* name, UpdateAttr attr, Dims d, bool counted = false) {
    for (const UpdateRow& row : kUpdateRows) {
      std::vector<Dims> in(3 + row.moments, d);
      if (attr.has_touched && row.counts) in.insert(in.end() - 1, Dims{2 * element_count(d)});
      if (counted) in.insert(in.end() - 1, Dims{1});
      if (attr.has_touched) in.push_back({(element_count(d) + 15) / 16});
      if (attr.clip_norm > 0) in.push_back({});
      if (attr.guarded) in.push_back({5});
      all.push_back({row.op, name, in, attr, -1, 1});
    }
  };
  UpdateAttr plain, decay, decoupled, clipped, touched;
  decay.weight_decay = decoupled.weight_decay = 0.05;
  decoupled.decoupled = true;
  decoupled.rate_scale = 3;
  clipped.clip_norm = 0.25;
  clipped.unscale = 1.0 / 128;
  touched.has_touched = true;
  touched.unscale = 0.5;
  update("plain", plain, {33, 3});
  update("empty", plain, {0, 3});
  update("decay", decay, {7});
  update("decoupled", decoupled, {40000, 2});
  decay.nesterov = true;
  decay.rate_scale = 0.1;
  update("nesterov at a rate of its own", decay, {40000, 2});
  decay.nesterov = false;
  update("at a rate of its own", decay, {33});
  decay.rate_scale = 1;
  update("clipped", clipped, {100});
  update("touched", touched, {2003, 2});
  update("touched long", touched, {50000, 2});
  clipped.guarded = touched.guarded = true;
  update("guarded clipped", clipped, {100});
  update("guarded touched", touched, {2003, 2});
  UpdateAttr later;
  later.begun = 2;
  update("begun later", later, {40000, 2});
  update("counted", decay, {40000, 2}, true);
  update("counted short", decay, {1}, true);
  update("counted guarded touched", touched, {2003, 2}, true);
  touched.guarded = false;
  update("counted touched", touched, {50003}, true);
  all.push_back({Op::check_finite, "two", {{5}, {70001}, {3, 7}}, LossScaleAttr{}});
  all.push_back({Op::check_finite, "one", {{4}, {3001}}, LossScaleAttr{}});
  all.push_back({Op::check_finite, "none", {{4}, {0}}, LossScaleAttr{}});
  for (int64_t interval : {2, 100}) {
    LossScaleAttr grows;
    grows.interval = interval;
    all.push_back({Op::loss_scale_update, "clean " + std::to_string(interval), {{5}}, grows});
    all.push_back({Op::loss_scale_update, "bad " + std::to_string(interval), {{5}}, grows, -1, 2});
  }
  all.push_back({Op::loss_scale_update, "static", {{5}}, LossScaleAttr{false}, -1, 2});
  for (const Dims& d : {Dims{33, 3}, Dims{0, 3}, Dims{}, Dims{70001}}) {
    all.push_back({Op::accumulate, to_string(d), {d, d}});
    all.push_back({Op::average_update, to_string(d), {d, d}, ScaleAttr{0.25}});
  }
  all.push_back({Op::average_update, "warming up", {{7}, {7}}, ScaleAttr{0.9375}});
  all.push_back({Op::average_update, "guarded", {{7}, {7}, {5}}, ScaleAttr{0.9375}});
}

void add_data(std::vector<OpCase>& all) {
  using Mode = SampleImageAttr::Mode;
  const auto picture = bench::textured_sphere(2, 3, 37)->parts[0].texture;
  Image deep = *picture;
  for (size_t i = 0; i < deep.rgba.size(); ++i)
    deep.deep.push_back(static_cast<uint16_t>(deep.rgba[i] * 257u ^ i % 256));
  for (Mode mode : {Mode::bilinear, Mode::nearest, Mode::centres})
    for (int64_t points : {1, 2049}) {
      const std::string name = std::to_string(static_cast<int>(mode)) + ", " + std::to_string(points);
      SampleImageAttr attr{mode, picture, points, 9, mode == Mode::centres};
      all.push_back({Op::sample_image, name, {}, attr});
      attr.image = std::make_shared<const Image>(deep);
      all.push_back({Op::sample_image, name + ", 16 bits", {}, attr});
    }
  auto data = std::make_shared<Dataset>();
  data->sample = {2, 3, 5};
  data->classes = 4;
  data->train.x = Tensor(DType::u8, {11, 2, 3, 5});
  for (int64_t i = 0; i < data->train.x.size(); ++i) data->train.x.as<uint8_t>()[i] = static_cast<uint8_t>(i * 37);
  data->train.labels = Tensor(DType::i64, {11});
  for (int64_t i = 0; i < 11; ++i) data->train.labels.as<int64_t>()[i] = i % 4;
  data->test.x = Tensor::from_f64(DType::f32, {3, 2, 3, 5}, numbers(90, -2, 2, 3));
  all.push_back(
      {Op::sample_rows, "shuffled", {}, SampleRowsAttr{data, Split::train, 64, true, {9}, 0, 0.1307, 0.3081}});
  auto text = std::make_shared<Dataset>(*example_text(5));
  all.push_back({Op::sample_rows, "windows", {}, SampleRowsAttr{text, Split::train, 7, true, {9}}});
  all.push_back(
      {Op::sample_rows, "in order, no labels", {}, SampleRowsAttr{data, Split::test, 7, false, {9}, 2, -0.5, 2}});
}

}  // namespace

std::vector<OpCase> op_cases() {
  std::vector<OpCase> all;
  add_pointwise(all);
  add_functions(all);
  add_along_axes(all);
  add_linear(all);
  add_layout(all);
  add_gathers(all);
  add_triplanes(all);
  add_grids(all);
  add_image_cases(all);
  add_norm_cases(all);
  add_updates(all);
  for (auto distribution : {RandomAttr::Distribution::uniform, RandomAttr::Distribution::normal})
    for (const Dims& dims : {Dims{}, Dims{5}, Dims{5003, 3}, Dims{0, 4}, Dims{2, 7, 11}})
      all.push_back({Op::random, to_string(dims), {}, RandomAttr{distribution, dims, DType::f32, -0.5, 1.25, {9}}});
  for (int64_t points : {1, 3000}) {
    SampleSurfaceAttr attr{bench::textured_sphere(12, 16, 64), points, 9};
    all.push_back({Op::sample_surface, std::to_string(points), {}, attr, 0, 1});
  }
  add_data(all);
  return all;
}

}  // namespace hw::test
