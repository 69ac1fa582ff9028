// Input: what a graph, or a group, is given.
#include <algorithm>

#include "engine/node/every_dtype.h"
#include "engine/node/shapes.h"

namespace hw::nodes::input {

static void declare(NodeDecl& d) {
  d.title("Input").category("Source").summary(
      "A value that the graph is given; in a group, a socket of its instances.");
  d.doc(
      "In a graph: `y` is what `run --input ID=FILE` gives, ID being the node's id; without it, example data of the "
      "declared dtype and shape, so that the graph can be checked, run and trained by itself. In a group: each "
      "instance has an input socket of that id, and `y` is what is wired to it, of any dtype and shape unless `check` "
      "asks for the declared ones; it must be wired.\n\n"
      "Axes named in `symbolic` may have any size; the size in `shape` is the example's.");
  d.source("ONNX, graph inputs with symbolic dimensions; Blender, Group Input");
  d.keywords("placeholder argument parameter socket interface feed graph group");
  shapes::declare_kind(d);
  d.choice("example", "random", {"random", "zeros", "ones", "none"})
      .labelled("Example")
      .docs(
          "Where nothing is given: normal numbers, mean 0 and deviation 1, anew at each step; zeros; ones; none: it "
          "must be given.");
  d.vector("shape", {64, 3}).docs("Sizes, outermost first; empty: a scalar.").range(1, 1 << 28);
  d.text("axes", "N C").docs("Names of the axes, such as `N C`; empty: none.");
  d.text("symbolic", "N").labelled("Symbolic").docs("Names of axes whose size is not fixed.");
  d.vector("fixed", {})
      .labelled("Fixed")
      .docs(
          "Sizes that nodes behind it were made for, as an import does; -1: any. Another shape is an error, not "
          "another "
          "result.")
      .range(-1, 1 << 28);
  d.vector("multiples", {})
      .labelled("Multiples")
      .docs("What sizes are multiples of, axis by axis, as nodes behind it need that halve and double; 1: any.")
      .range(1, 1 << 20);
  d.boolean("check", false).labelled("Check").docs("Refuse what is wired to it in another dtype, rank or size.");
  d.dtype("dtype", DType::f32, shapes::every_dtype())
      .labelled("dtype")
      .docs("Of the example, and of what `check` takes.");
  d.random(ParamIs{"example", std::string("random")});
}

static Status sockets(NodeDecl& d, const Params& p) {
  const Kind kind = shapes::kind_of(p);
  SocketDecl& x = d.input("x").docs("In a group, from the instance; else left open.");
  x.kind = kind;
  x.optional = kind == Kind::tensor && p.text("example") != "none";  // of others there are no examples
  if (kind == Kind::tensor && p.boolean("check")) x.dtype_of("dtype");
  d.output("y").kind = kind;
  return ok();
}

static Result<Shape> declared_shape(const Params& p) {
  HW_TRY(const Dims dims, shapes::sizes_of(p, "shape"));
  const std::vector<double> fixed = p.vector("fixed");
  const auto fits = [](double wanted, int64_t size) { return wanted < 0 || wanted == static_cast<double>(size); };
  if (!fixed.empty() && !std::ranges::equal(fixed, dims, fits))
    return Error{
        codes::size_mismatch, "shape",
        "nodes behind it were made for " + to_string(ParamValue(fixed)) + ", its shape is " + to_string(dims) + ".",
        "Import the model again with other sizes: import --size NAME=SIZE."};
  const std::vector<double> multiples = p.vector("multiples");
  const auto divides = [](double of, int64_t size) { return size % static_cast<int64_t>(of) == 0; };
  if (!multiples.empty() && !std::ranges::equal(multiples, dims, divides))
    return Error{codes::size_mismatch, "shape",
                 "nodes behind it were made for multiples of " + to_string(ParamValue(multiples)) + ", its shape is " +
                     to_string(dims) + ".",
                 "Pad or crop to such a size."};
  return shapes::named_shape(p, dims, "axes");
}

/// The declared shape, symbolic axes without their example's size.
static Shape with_symbols(const Params& p, Shape shape) {
  const std::vector<std::string> symbolic = shapes::axis_names(p, "symbolic");
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (std::ranges::find(symbolic, shape[i].name) == symbolic.end()) continue;
    shape[i].size = -1;
    shape[i].symbol = shape[i].name;
  }
  return shape;
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Params& p = a.params();
  HW_TRY(const Shape declared, declared_shape(p));
  const WireType* given = a.in("x");
  if (!given) return Shapes{shapes::tensor(p.dtype("dtype"), declared)};
  if (given->kind != Kind::tensor || !p.boolean("check")) return Shapes{*given};
  auto fits = unify(with_symbols(p, declared), given->shape);
  if (!fits) return Error{fits.error().code, "x", fits.error().reason, fits.error().remedy};
  return Shapes{*given};
}

static Lowered lower(OpBuilder& b, const LowerArgs& args) {
  if (args.has("x")) return {args.arg("x")};
  const Params& p = args.params();
  const auto dims = shapes::sizes_of(p, "shape");
  if (!dims) {
    b.fail(dims.error());
    return {Val{}};
  }
  Val y;
  if (p.text("example") == "random") {
    RandomAttr attr;
    attr.distribution = RandomAttr::Distribution::normal;
    attr.dims = *dims;
    // Whole numbers are the normal ones rounded towards 0.
    const DType dtype = p.dtype("dtype");
    attr.dtype = info(dtype).is_float && info(dtype).bits > 8 ? dtype : DType::f32;
    attr.a = 0;
    attr.b = 1;
    y = b.cast(b.random(std::move(attr)), dtype);
  } else {
    const double value = p.text("example") == "ones" ? 1 : 0;
    y = b.broadcast_to(b.constant(Tensor::from_f64(p.dtype("dtype"), {}, {{value}})), *dims);
  }
  b.set_axes(y, shapes::axis_names(p, "axes"));
  return {y};
}

static Examples examples() {
  const std::string why = "it has no inputs and no weights";
  return {
      {.name = "given", .inputs = {{"x", DType::f32, {9, 7}, {"N", "C"}}}},
      {.name = "checked", .inputs = {{"x", DType::f32, {9, 3}, {"N", "C"}}}, .params = {{"check", true}}},
      {.name = "mesh",
       .inputs = {{"x"}},
       .params = {{"kind", std::string("mesh")}},
       .no_gradient_because = "it is no tensor"},
      {.name = "random", .no_gradient_because = why},
      {.name = "ones",
       .params = {{"example", std::string("ones")}, {"shape", std::vector<double>{}}, {"axes", std::string()}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::input

HW_ADAPTIVE_NODE(input)
