// Expression: a node whose formula is typed, over floats, vectors and matrices.
#include "engine/expression/lowering.h"
#include "engine/expression/source.h"
#include "engine/node/component_shapes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::expression {

using namespace hw::expression;

static void declare(NodeDecl& d) {
  d.title("Expression").category("Math").summary("Computes what is typed, with its gradient.");
  d.doc(
      "Statements assign values and end with a semicolon: `y.x = 2*x; y.y = 3*x; y.z = 4*x`. Names that are read and "
      "never assigned are inputs, names that are assigned are outputs; `let t = ..` names a value in between. Types "
      "are `float`, `bool`, `vec2` to `vec4` and `mat2` to `mat4`: an input or output whose components are used is a "
      "vector, else an input is a float. Declarations say it outright: `in p, q: vec3; in s; out y: mat3;`.\n\n"
      "A float is a wire of any shape, a vector has its components on one axis more, the last, a matrix its rows and "
      "columns on two. The axes before them are the batch: inputs have the same, or sizes 1, or none at all.\n\n"
      "`+ - * / ^` go component by component, `a^b` is `pow(a, b)`; `m*v`, `v*m` and `m*m` are products of matrices. "
      "`p.xyz`, `p.rgb`, `p[0]`, "
      "`m[0]` (a row) and `m[0][1]` read and assign components; `+= -= *= /=` assign too. Comparisons, `&& || !` and "
      "`c ? a : b` choose; both sides are computed, so a side that is not finite spoils the gradient of the other. "
      "`vec3(a, b, c)`, `mat3(row, row, row)`, `mat3(1)` (the identity) make values. `for i in 0..4 { .. }` repeats, "
      "with `i` = 0 to 3. Functions: sin cos tan tanh sigmoid relu exp log sqrt abs pow min max clamp mix step "
      "smoothstep dot cross length distance normalize transpose select; `pi`. Comments begin with `//` or `#`.\n\n"
      "Arithmetic is that of the wires' dtype, one rounding an operation; sums of products, lengths and `normalize` "
      "are computed in f32 (f64). Numbers are rounded to the dtype, but for factors. The gradient is derived from the "
      "ops: a component that is overwritten has none, one that is read twice has the sum. At the zero vector `length` "
      "has gradient 0.");
  d.source("GLSL, its vectors, swizzles and functions; matrices are written by rows");
  d.keywords("formula code script function custom math vector matrix component swizzle wrangle autodiff");
  d.autocast(Autocast::widest);
  d.text("source", "y.x = 2*x; y.y = 3*x; y.z = 4*x").labelled("Expression").multiline().docs("What is computed.");
}

// An error names the parameter, and begins with line and column.
static Result<Checked> compiled(const Params& p) {
  auto source = compile(p.text("source"));
  if (source) return source;
  Error error = source.error();
  const Place place = place_of(error);
  error.where = "source";
  error.reason =
      "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": " + error.reason;
  return error;
}

static Status sockets(NodeDecl& d, const Params& p) {
  const auto source = compiled(p);
  const Sockets sockets = source ? sockets_of(*source) : guessed_sockets(p.text("source"));
  const auto describe = [](SocketDecl& socket, Type type) {
    socket.labelled(socket.id).docs(name(type));
    socket.with_axes(type.is_vector() ? ".. C" : type.is_matrix() ? ".. row column" : "");
    if (type.is_boolean())
      socket.dtypes({DType::boolean});
    else
      socket.dtype_group("T", running_floats());
  };
  for (const Socket& socket : sockets.inputs) describe(d.input(socket.name), socket.type);
  for (const Socket& socket : sockets.outputs) describe(d.output(socket.name), socket.type);
  if (!source) return source.error();
  return ok();
}

static std::vector<shapes::ComponentSocket> components_of(const std::vector<Socket>& sockets) {
  std::vector<shapes::ComponentSocket> all;
  for (const Socket& socket : sockets)
    all.push_back({socket.name, std::vector<int64_t>(static_cast<size_t>(socket.type.axes()), socket.type.size),
                   name(socket.type)});
  return all;
}

static Shape with_components(Shape batch, Type type) {
  if (type.is_vector()) return shapes::with_vector(std::move(batch), type.size);
  if (type.is_matrix()) return shapes::with_matrix(std::move(batch), type.size, type.size);
  return batch;
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const Checked source, compiled(a.params()));
  const Sockets sockets = sockets_of(source);
  HW_TRY(const Shape batch, shapes::batch_of(a, components_of(sockets.inputs)));
  DType dtype = DType::f32;
  for (const Socket& socket : sockets.inputs)
    if (!socket.type.is_boolean()) dtype = a.dtype(socket.name);
  Shapes out;
  for (const Socket& socket : sockets.outputs)
    out.push_back(
        shapes::tensor(socket.type.is_boolean() ? DType::boolean : dtype, with_components(batch, socket.type)));
  return out;
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const auto source = compiled(a.params());
  if (!source) {
    b.fail(source.error());
    return {};
  }
  const Sockets sockets = sockets_of(*source);
  if (!b.status()) return Lowered(sockets.outputs.size(), Val{});
  std::vector<Val> inputs;
  std::vector<std::pair<Val, int>> components;
  DType dtype = DType::f32;
  for (const Socket& socket : sockets.inputs) {
    const Val v = a.in(socket.name);
    if (!socket.type.is_boolean()) dtype = b[v].dtype;
    inputs.push_back(v);
    components.emplace_back(v, socket.type.axes());
  }
  const shapes::LoweredBatch batch = shapes::lowered_batch(b, components);
  const std::vector<Val> values = hw::expression::lower(b, *source, inputs, batch.dims, dtype);
  Lowered out;
  for (size_t i = 0; i < values.size(); ++i) {
    const Type type = sockets.outputs[i].type;
    if (type.is_vector())
      shapes::name_axes(b, values[i], batch, {"C"});
    else if (type.is_matrix())
      shapes::name_axes(b, values[i], batch, {"row", "column"});
    else
      shapes::name_axes(b, values[i], batch, {});
    out.emplace_back(values[i]);
  }
  return out;
}

static Examples examples() {
  const auto source = [](const char* text) { return ParamMap{{"source", std::string(text)}}; };
  const std::vector<std::string> none;
  return {
      {.name = "components", .inputs = {{"x", DType::f32, {9}, {"N"}}}},
      {.name = "overwritten",
       .inputs = {{"p", DType::f32, {7, 3}, {"N", "C"}}},
       .params = source("in p: vec3; let q = p; q.x = p.y*p.z; q.x = sin(p.x) + q.y; q.zy += q.xx; y = q*q.z")},
      {.name = "rotation",
       .inputs = {{"q", DType::f32, {5, 4}, {"N", "C"}, 0.2, 1}, {"v", DType::f32, {5, 3}, {"N", "C"}}},
       .params = source("in q: vec4; in v: vec3; let u = normalize(q); let t = 2*cross(u.xyz, v);\n"
                        "r = v + u.w*t + cross(u.xyz, t)")},
      {.name = "matrices",
       .inputs = {{"m", DType::f32, {3, 3}, none}, {"p", DType::f32, {8, 3}, {"N", "C"}}},
       .params = source("in m: mat3; in p: vec3; let a = m*m; a[1] = m[0]; y = a*p; d = dot(y, p);\n"
                        "g = a - transpose(m)"),
       .tolerance_factor = 3},
      {.name = "choice",
       .inputs = {{"x", DType::f32, {6, 5}, none}, {"c", DType::boolean, {6, 5}, none}},
       .params = source("in x; in c: bool; let near = x > -0.3 && !(x > 0.4);\n"
                        "y = near || c ? x*x : mix(3, x, smoothstep(-1, 1, x)); far = !near")},
  };
}

}  // namespace hw::nodes::expression

HW_ADAPTIVE_NODE(expression)
