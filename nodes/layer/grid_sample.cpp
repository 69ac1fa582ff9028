// Grid Sample: looks pictures up at positions.
#include "engine/core/sizes.h"
#include "engine/node/windows.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::grid_sample {

static void declare(NodeDecl& d) {
  d.title("Grid Sample").category("Layer").summary("Looks pictures up at positions, such as those of a warped grid.");
  d.doc(
      "x [N, C, H, W] and grid [N, H', W', 2] to [N, C, H', W']: element (i, j) of a sample is its picture at "
      "`grid[i, j]` = (x, y), -1 and 1 being the left and right, upper and lower ends: the outer edges of the outer "
      "pixels, or, with `align_corners`, their centres. `bilinear` mixes the four nearest pixels, `nearest` takes one "
      "(ties to even; no gradient reaches the grid). Outside, `zeros` takes 0, `border` the nearest pixel of the edge, "
      "`reflection` mirrors the position back inside. Gradients go to the picture, in f32 (f64) where several "
      "positions "
      "meet, and to the grid. Positions and mixing are f32 (f64 for f64), rounded once.");
  d.source(
      "Jaderberg et al. 2015, Spatial Transformer Networks; PyTorch, `torch.nn.functional.grid_sample`; ONNX, "
      "GridSample");
  d.keywords("warp sample texture spatial transformer flow deform remap lookup GridSample");
  d.autocast(Autocast::widest);
  d.choice("mode", "bilinear", {"bilinear", "nearest"}).docs("How pixels are mixed.");
  d.choice("padding", "zeros", {"zeros", "border", "reflection"}).docs("What lies outside.");
  d.boolean("align_corners", false).docs("-1 and 1 are the centres of the outer pixels, not their edges.");
  d.input("x").dtype_group("T", running_floats()).with_axes("N C H W");
  d.input("grid").dtype_group("T", running_floats()).with_axes("N H W 2").docs("x and y from -1 to 1.");
  d.output("y").dtype_group("T").with_axes("N C H W");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(windows::picture_size(a, "x"));
  HW_CHECK(shapes::require_axes(a, "grid", "N H W 2"));
  const Shape &x = a.shape("x"), &grid = a.shape("grid");
  const std::string both = "x is " + to_string(x) + ", the grid is " + to_string(grid) + ".";
  if (!x.fully_known() || !grid.fully_known())
    return Error{codes::size_mismatch, "grid", "all sizes must be known: " + both, "Give the source a fixed size."};
  if (grid[3].size != 2)
    return Error{codes::size_mismatch, "grid", "its last axis must hold x and y: " + both, "Give it 2 elements."};
  if (grid[0].size != x[0].size)
    return Error{codes::size_mismatch, "grid", "axis 0 must have the size it has in x: " + both,
                 "Expand one grid to all samples."};
  return Shapes{shapes::tensor(a.dtype("x"), windows::resized(x, x[1].size, {grid[1].size, grid[2].size}))};
}

static Val number(OpBuilder& b, Val like, double value) {
  return b.constant(Tensor::from_f64(b[like].dtype, {}, {{value}}));
}

// Positions along an axis of `size` pixels, 0 at the centre of the first, from the grid's −1 to 1.
static Val position(OpBuilder& b, Val g, int64_t size, const Params& p) {
  const bool corners = p.boolean("align_corners");
  const double half = static_cast<double>(corners ? size - 1 : size) / 2, last = static_cast<double>(size - 1);
  Val at = b.add(b.scale(g, half), number(b, g, last / 2));
  if (p.text("padding") == "reflection") {
    const double low = corners ? 0 : -0.5, span = 2 * half;
    if (span > 0) {  // a wave of period 2 · span
      const Val from = b.sub(at, number(b, g, low)), whole = b.unary(UnaryFn::floor, b.scale(from, 1 / (2 * span)));
      const Val within = b.sub(from, b.scale(whole, 2 * span));
      const Val off = b.unary(UnaryFn::abs, b.sub(within, number(b, g, span)));
      at = b.sub(number(b, g, span + low), off);
    }
  }
  return p.text("padding") == "zeros" ? at : b.clamp(at, 0, last);
}

// Whole numbers `at` moved into [0, size − 1], and whether they were.
struct Place {
  Val index, inside;
};
static Place place(OpBuilder& b, Val at, int64_t size) {
  const Val index = b.clamp(at, 0, static_cast<double>(size - 1));
  return {b.cast(index, DType::f64), b.compare(CompareFn::equal, index, at)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Params& p = a.params();
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const Dims in = b[x].dims, at = b[a.in("grid")].dims;
  const int64_t n = in[0], c = in[1], height = in[2], width = in[3];
  const Val grid = b.cast(a.in("grid"), wide);
  const auto component = [&](int64_t k) { return b.reshape(b.slice(grid, 3, k, k + 1), {at[0], at[1], at[2]}); };
  const Val px = position(b, component(0), width, p), py = position(b, component(1), height, p);
  if (!b.status()) return {Val{}};
  const Val table = b.reshape(b.transpose(x, {0, 2, 3, 1}), {size_product({n, height, width}), c});
  const Val pictures =
      b.scale(index_ops::counted(b, DType::f64, n, 3, 0), static_cast<double>(size_product({height, width})));
  const Val none = number(b, px, 0);
  // The pixel at (column, row) times its weight, 0 outside.
  const auto pixel = [&](Val column, Val row, Val weight) {
    const Place u = place(b, column, width), v = place(b, row, height);
    const Val flat = b.add(b.add(b.scale(v.index, static_cast<double>(width)), u.index), pictures);
    weight = b.where(u.inside, b.where(v.inside, weight, none), none);
    const Val colour = b.cast(b.gather(table, b.cast(flat, DType::i64)), wide);
    return b.mul(colour, b.reshape(weight, {at[0], at[1], at[2], 1}));
  };
  const Val one = b.broadcast_to(number(b, px, 1), {at[0], at[1], at[2]});
  Val y;
  if (p.text("mode") == "nearest") {
    y = pixel(b.unary(UnaryFn::round, px), b.unary(UnaryFn::round, py), one);
  } else {
    const Val left = b.unary(UnaryFn::floor, px), upper = b.unary(UnaryFn::floor, py);
    const Val right = b.add(left, number(b, px, 1)), lower = b.add(upper, number(b, px, 1));
    const Val to_right = b.sub(px, left), to_lower = b.sub(py, upper);
    const Val to_left = b.sub(one, to_right), to_upper = b.sub(one, to_lower);
    y = b.add(b.add(pixel(left, upper, b.mul(to_left, to_upper)), pixel(right, upper, b.mul(to_right, to_upper))),
              b.add(pixel(left, lower, b.mul(to_left, to_lower)), pixel(right, lower, b.mul(to_right, to_lower))));
  }
  const Val result = b.transpose(b.cast(y, dtype), {0, 3, 1, 2});
  if (b.status()) b.set_axes(result, b[x].axes);
  return {result};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  const auto with = [&](std::string name, double reach, ParamMap params) {
    return Example{
        .name = std::move(name),
        .inputs = {{"x", DType::f32, {2, 3, 4, 5}, axes}, {"grid", DType::f32, {2, 3, 2, 2}, {}, -reach, reach}},
        .params = std::move(params),
        .tolerance_factor = 4};
  };
  const std::string reflection = "reflection", border = "border", nearest = "nearest";
  Example one_pixel = with("nearest", 1.2, {{"mode", nearest}});
  one_pixel.no_gradient_because = "it steps from pixel to pixel along the grid";
  return {with("inside", 0.95, {}),
          with("corners", 1, {{"align_corners", true}}),
          with("zeros_outside", 1.5, {}),
          with("border", 1.7, {{"padding", border}}),
          with("reflection", 2.2, {{"padding", reflection}}),
          with("reflection_of_centres", 2.2, {{"padding", reflection}, {"align_corners", true}}),
          std::move(one_pixel)};
}

}  // namespace hw::nodes::grid_sample

HW_NODE(grid_sample)
