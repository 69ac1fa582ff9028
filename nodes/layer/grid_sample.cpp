// Grid Sample: looks pictures up at positions.
#include "engine/node/windows.h"
#include "engine/program/sample_grid.h"

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
      "meet, and to the grid. Positions and mixing are f32 (f64 for f64), rounded once.\n\nA position that is NaN "
      "stands "
      "for -1 with `border` and `reflection`, as does Inf with `reflection`; with `zeros`, `bilinear` gives NaN for "
      "NaN and Inf, `nearest` 0. NaN and Inf of a pixel reach what is mixed of it.");
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

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Params& p = a.params();
  GridSampling how;
  how.padding = p.text("padding") == "zeros"    ? GridSampling::Padding::zeros
                : p.text("padding") == "border" ? GridSampling::Padding::border
                                                : GridSampling::Padding::reflection;
  how.nearest = p.text("mode") == "nearest";
  how.align_corners = p.boolean("align_corners");
  const Val x = a.in("x"), grid = a.in("grid");
  return {sample_grid(b, x, grid, how)};
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
