// Embedding: a learned vector for each index.
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::embedding {

static void declare(NodeDecl& d) {
  d.title("Embedding").category("Layer").summary("Looks up a learned vector for each index.");
  d.doc(
      "`index` [..], integers from 0 to `entries` - 1, to `y` [.., features] in `dtype`: row `index` of `table` "
      "[entries, features]. An index outside gives NaN, and no gradient. `table` starts normal with mean 0 and "
      "standard "
      "deviation `scale`; its gradient is the sum over all that looked the row up, in f32 (f64), in their order: the "
      "same bits at any number of threads.");
  d.source("PyTorch, `torch.nn.Embedding`");
  d.keywords("token lookup table vocabulary word gather index class label vector latent code gather");
  d.integer("entries", 256).docs("Rows of the table.").range(1, 1 << 24).logarithmic();
  d.integer("features", 64).docs("Size of each vector.").range(1, 65536).logarithmic();
  d.real("scale", 1).docs("Standard deviation at the start.").at_least(0).at_most(100);
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of table and output.");
  d.weight("table", "dtype", "[entries, features]");
  d.input("index").dtypes({DType::i64, DType::i32, DType::u8, DType::i8}).docs("From 0 to entries - 1.");
  d.output("y").dtype_of("dtype").with_axes(".. hidden");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  Shape shape = a.shape("index");
  shape.push_back({"hidden", a.params().integer("features"), ""});
  return Shapes{shapes::tensor(a.params().dtype("dtype"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val index = a.in("index");
  if (!b.status()) return {Val{}};
  const Dims dims{a.params().integer("entries"), a.params().integer("features")};
  index_ops::refuse_beyond(b, index, dims[0], "index", "entries");
  const Val y = b.gather(
      b.param("table", a.params().dtype("dtype"), dims, {Init::Kind::normal, a.params().real("scale")}), index);
  std::vector<std::string> axes = b[index].axes;
  axes.push_back("hidden");
  if (axes.size() == b[index].dims.size() + 1) b.set_axes(y, axes);
  return {y};
}

static Examples examples() {
  const auto with = [](const char* name, DType dtype, Dims dims, std::vector<std::string> axes) {
    return Example{.name = name,
                   .inputs = {{"index", dtype, std::move(dims), std::move(axes), 0, 7}},
                   .params = {{"entries", int64_t{7}}, {"features", int64_t{5}}},
                   .tolerance_factor = 3};
  };
  return {with("tokens", DType::i64, {3, 6}, {"batch", "seq"}), with("labels", DType::u8, {17}, {"N"}),
          with("one", DType::i32, {}, {})};
}

}  // namespace hw::nodes::embedding

HW_NODE(embedding)
