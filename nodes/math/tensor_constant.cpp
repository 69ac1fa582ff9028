// Tensor Constant: a tensor of the numbers that are written down.
#include "engine/node/every_dtype.h"
#include "engine/node/shapes.h"

namespace hw::nodes::tensor_constant {

static Result<Dims> dims_of(const Params& p) {
  const auto count = static_cast<int64_t>(p.vector("values").size());
  HW_TRY(const Dims dims, shapes::sizes_of(p, "shape"));
  if (dims.empty()) return Dims{count};
  if (element_count(dims) == count) return dims;
  return Error{codes::bad_parameter, "shape",
               to_string(dims) + " has " + std::to_string(element_count(dims)) + " elements, but there are " +
                   std::to_string(count) + " values.",
               "Leave it empty for a vector of all values."};
}

static void declare(NodeDecl& d) {
  d.title("Tensor Constant").category("Math").summary("A tensor of the numbers that are written down.");
  d.doc(
      "`y` holds `values`, row major, in `shape`; without a shape it is a vector of them. Each is rounded once to "
      "`dtype`; whole numbers drop fractions and stop at their ends, bool is false for 0. [0.485, 0.456, 0.406] are "
      "the "
      "means of a picture's channels; class weights and filters are such tensors too. Constant fills a tensor with one "
      "number.");
  d.source("PyTorch, `torch.tensor`; ONNX, Constant");
  d.keywords("literal vector list numbers values array matrix fixed integers indices weights Constant");
  d.vector("values", {0, 1}).docs("The elements, row major.");
  d.vector("shape", {}).docs("Sizes, outermost first; empty: a vector.").range(1, 1 << 28);
  d.dtype("dtype", DType::f32, shapes::every_dtype()).labelled("dtype").docs("Storage dtype of the output.");
  d.output("y").dtype_of("dtype");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const Dims dims, dims_of(a.params()));
  Shape shape;
  for (const int64_t size : dims) shape.push_back({"", size, ""});
  return Shapes{shapes::tensor(a.params().dtype("dtype"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const auto dims = dims_of(a.params());
  if (!dims) return b.fail(dims.error()), Lowered{Val{}};
  return {b.constant(Tensor::from_f64(a.params().dtype("dtype"), *dims, a.params().vector("values")))};
}

static Examples examples() {
  const std::string why = "it has no inputs and no weights";
  const std::vector<double> six{1, -2, 3, -4, 5, -6};
  return {
      {.name = "vector", .params = {{"values", std::vector<double>{0.5, 0.25, 1.5}}}, .no_gradient_because = why},
      {.name = "matrix", .params = {{"values", six}, {"shape", std::vector<double>{2, 3}}}, .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::tensor_constant

HW_NODE(tensor_constant)
