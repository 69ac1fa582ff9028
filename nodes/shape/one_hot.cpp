// One Hot: whole numbers as vectors of zeros with a one.
#include "engine/node/indices.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::one_hot {

static void declare(NodeDecl& d) {
  d.title("One Hot").category("Shape").summary("Makes of each class a vector of zeros with a one in its place.");
  d.doc(
      "`index` [..], whole numbers from 0 to `classes` - 1, to `y` [.., classes] in `dtype`: `on` in the place of the "
      "index, `off` elsewhere. An index outside gives `off` everywhere. It makes of labels what Dice Loss and MSE "
      "compare with.");
  d.source("PyTorch, `torch.nn.functional.one_hot`; ONNX, OneHot");
  d.keywords("onehot categorical labels classes encode indicator dummy to_categorical OneHot");
  d.integer("classes", 10).docs("Size of the new last axis.").range(1, 65536).logarithmic();
  d.real("on", 1).docs("In the place of the index.").range(-65504, 65504);
  d.real("off", 0).docs("Elsewhere.").range(-65504, 65504);
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of the output.");
  d.input("index").dtypes(shapes::index_dtypes()).docs("From 0 to classes - 1.");
  d.output("y").dtype_of("dtype").with_axes(".. C");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  Shape y = a.shape("index");
  y.push_back({"C", a.params().integer("classes"), ""});
  return Shapes{shapes::tensor(a.params().dtype("dtype"), y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val index = a.in("index");
  if (!b.status()) return {Val{}};
  const DType dtype = a.params().dtype("dtype");
  Dims dims = b[index].dims;
  dims.push_back(1);
  const Val places = index_ops::counted(b, b[index].dtype, a.params().integer("classes"));
  const auto number = [&](const char* id) { return b.constant(Tensor::from_f64(dtype, {}, {{a.params().real(id)}})); };
  const Val y = b.where(b.compare(CompareFn::equal, b.reshape(index, dims), places), number("on"), number("off"));
  std::vector<std::string> axes = b.status() ? b[index].axes : std::vector<std::string>{};
  axes.push_back("C");
  b.set_axes(y, axes.size() == dims.size() ? axes : std::vector<std::string>{});
  return {y};
}

static Examples examples() {
  const std::string why = "its input is a whole number";
  return {
      {.name = "labels", .inputs = {{"index", DType::i64, {9}, {"N"}, 0, 10}}, .no_gradient_because = why},
      {.name = "smoothed",
       .inputs = {{"index", DType::i32, {2, 3}, {}, -1, 5}},
       .params = {{"classes", int64_t{4}}, {"on", 0.9}, {"off", 0.1}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::one_hot

HW_NODE(one_hot)
