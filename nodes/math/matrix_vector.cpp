// Matrix × Vector: a matrix applied to vectors.
#include "engine/node/component_shapes.h"
#include "engine/node/shapes.h"
#include "engine/program/vector_ops.h"

namespace hw::nodes::matrix_vector {

static void declare(NodeDecl& d) {
  d.title("Matrix × Vector").category("Math").summary("Applies a matrix to each vector, one for all or one for each.");
  d.doc(
      "`y = M v`: a matrix [R, C], or one for each sample [N, R, C], and vectors [N, C] give [N, R]. Rows are the "
      "second axis from the end, as in NumPy. Sums are taken in f32 (f64 for f64). `transpose` applies Mᵀ: the inverse "
      "of a rotation. For wide matrices use Matrix Product or Linear.");
  d.source("NumPy, `numpy.matvec`");
  d.keywords("matvec matrix vector product rotate rotation linear map transform mat3 mat4");
  d.autocast(Autocast::widest);
  d.boolean("transpose", false).docs("Apply the transpose of the matrix.");
  d.input("m").labelled("Matrix").dtype_group("T", running_floats()).with_axes(".. row column");
  d.input("v").labelled("Vector").dtype_group("T", running_floats()).with_axes(".. C");
  d.output("y").dtype_group("T").with_axes(".. C");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const int64_t size, shapes::last_size(a, "v"));
  const bool transposed = a.params().boolean("transpose");
  const std::vector<int64_t> wanted = transposed ? std::vector<int64_t>{size, -1} : std::vector<int64_t>{-1, size};
  const Shape& m = a.shape("m");
  const std::string what = "matrix for vectors of " + std::to_string(size) + " components";
  const shapes::ComponentSocket sockets[] = {{"m", wanted, what}, {"v", {size}, "vector"}};
  HW_TRY(Shape batch, shapes::batch_of(a, sockets));
  const int64_t rows = m[m.rank() - (transposed ? 1 : 2)].size;
  return Shapes{shapes::tensor(a.dtype("m"), shapes::with_vector(std::move(batch), rows))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  Val m = a.in("m");
  const Val v = a.in("v");
  if (!b.status()) return {Val{}};
  const std::pair<Val, int> components[] = {{v, 1}, {m, 2}};
  const shapes::LoweredBatch batch = shapes::lowered_batch(b, components);
  if (a.params().boolean("transpose")) m = vector_ops::transposed(b, m);
  const Val y = vector_ops::matrix_vector(b, m, v);
  shapes::name_axes(b, y, batch, {"C"});
  return {y};
}

static Examples examples() {
  return {
      {.name = "one_rotation",
       .inputs = {{"m", DType::f32, {3, 3}, {}}, {"v", DType::f32, {9, 3}, {"N", "C"}}},
       .tolerance_factor = 2},
      {.name = "one_for_each",
       .inputs = {{"m", DType::f32, {7, 2, 4}, {}}, {"v", DType::f32, {7, 4}, {"N", "C"}}},
       .tolerance_factor = 2},
      {.name = "transposed",
       .inputs = {{"m", DType::f32, {5, 4, 4}, {}}, {"v", DType::f32, {4}, {}}},
       .params = {{"transpose", true}},
       .tolerance_factor = 2},
  };
}

}  // namespace hw::nodes::matrix_vector

HW_NODE(matrix_vector)
