// The nodes that are one row of engine/program/unary.def each: activations and elementary functions.
#include <array>

#include "engine/node/row_nodes.h"

namespace hw::nodes::unary_functions {

// A node. `parameter`: id of the row's parameter a, or empty; it must be at least (above, where `above`) `least`.
struct Row {
  UnaryFn fn;
  const char *id, *title, *summary, *doc, *source, *keywords;
  double lo = -4, hi = 4;  // range of the examples
  std::string_view parameter = {};
  double value = 0, least = 0;
  bool above = false;
  const char* parameter_doc = "";
  Autocast autocast = Autocast::follow;
};

static constexpr std::array kRows{
    Row{.fn = UnaryFn::leaky_relu,
        .id = "leaky_relu",
        .title = "Leaky ReLU",
        .summary = "Scales negative values down instead of cutting them off.",
        .doc = "`y = x > 0 ? x : negative_slope · x`. The gradient at 0 is the negative slope.",
        .source = "Maas, Hannun and Ng 2013; PyTorch, `torch.nn.LeakyReLU`",
        .keywords = "activation rectifier nonlinearity",
        .parameter = "negative_slope",
        .value = 0.01,
        .parameter_doc = "Slope for x < 0."},
    Row{.fn = UnaryFn::elu,
        .id = "elu",
        .title = "ELU",
        .summary = "Exponential linear unit: smooth towards -alpha for negative values.",
        .doc = "`y = x > 0 ? x : alpha · (exp(x) - 1)`. The gradient at 0 is alpha.",
        .source = "Clevert, Unterthiner and Hochreiter 2016; PyTorch, `torch.nn.ELU`",
        .keywords = "activation exponential nonlinearity",
        .parameter = "alpha",
        .value = 1,
        .parameter_doc = "Negative values go towards -alpha."},
    Row{.fn = UnaryFn::tanh,
        .id = "tanh",
        .title = "Tanh",
        .summary = "Maps every value into (-1, 1).",
        .doc = "`y = tanh(x)`. Saturates: in f16 `y` is 1 from about x = 4.2 on.",
        .source = "PyTorch, `torch.tanh`",
        .keywords = "activation hyperbolic tangent nonlinearity"},
    Row{.fn = UnaryFn::silu,
        .id = "silu",
        .title = "SiLU",
        .summary = "x times its own sigmoid; also called Swish.",
        .doc = "`y = x / (1 + exp(-x))`.",
        .source = "Elfwing, Uchibe and Doya 2018; PyTorch, `torch.nn.SiLU`",
        .keywords = "activation swish sigmoid nonlinearity"},
    Row{.fn = UnaryFn::softplus,
        .id = "softplus",
        .title = "Softplus",
        .summary = "A smooth ReLU, positive everywhere.",
        .doc = "`y = log(1 + exp(beta · x)) / beta`. Computed without overflow for large x; larger beta is closer to "
               "ReLU.",
        .source = "PyTorch, `torch.nn.Softplus`",
        .keywords = "activation smooth relu density nonlinearity",
        .parameter = "beta",
        .value = 1,
        .above = true,
        .parameter_doc = "How sharp the bend at 0 is.",
        .autocast = Autocast::f32},
    Row{.fn = UnaryFn::exp,
        .id = "exp",
        .title = "Exp",
        .summary = "The exponential of every value.",
        .doc = "`y = exp(x)`. Overflows to Inf: in f32 from about x = 88.7 on, in f16 from 11.1.",
        .source = "NumPy, `numpy.exp`",
        .keywords = "exponential e power density",
        .lo = -3,
        .hi = 3,
        .autocast = Autocast::f32},
    Row{.fn = UnaryFn::log,
        .id = "log",
        .title = "Log",
        .summary = "The natural logarithm of every value.",
        .doc = "`y = ln(x)`. log(0) is -Inf, of a negative value NaN.",
        .source = "NumPy, `numpy.log`",
        .keywords = "logarithm natural ln",
        .lo = 0.1,
        .autocast = Autocast::f32},
    Row{.fn = UnaryFn::sqrt,
        .id = "sqrt",
        .title = "Sqrt",
        .summary = "The square root of every value.",
        .doc = "`y = √x`. Of a negative value NaN; the gradient at 0 is Inf.",
        .source = "NumPy, `numpy.sqrt`",
        .keywords = "square root",
        .lo = 0.1},
    Row{.fn = UnaryFn::sin,
        .id = "sin",
        .title = "Sin",
        .summary = "The sine of every value, in radians.",
        .doc = "`y = sin(x)`, x in radians.",
        .source = "NumPy, `numpy.sin`",
        .keywords = "sine wave trigonometry"},
    Row{.fn = UnaryFn::cos,
        .id = "cos",
        .title = "Cos",
        .summary = "The cosine of every value, in radians.",
        .doc = "`y = cos(x)`, x in radians.",
        .source = "NumPy, `numpy.cos`",
        .keywords = "cosine wave trigonometry"},
    Row{.fn = UnaryFn::abs,
        .id = "abs",
        .title = "Abs",
        .summary = "The absolute value of every value.",
        .doc = "`y = |x|`. The gradient at 0 is 0.",
        .source = "NumPy, `numpy.abs`",
        .keywords = "absolute magnitude modulus"},
    Row{.fn = UnaryFn::neg,
        .id = "neg",
        .title = "Negate",
        .summary = "Changes the sign of every value.",
        .doc = "`y = -x`.",
        .source = "NumPy, `numpy.negative`",
        .keywords = "minus negative sign"},
    Row{.fn = UnaryFn::reciprocal,
        .id = "reciprocal",
        .title = "Reciprocal",
        .summary = "One divided by every value.",
        .doc = "`y = 1 / x`. Of 0 Inf.",
        .source = "NumPy, `numpy.reciprocal`",
        .keywords = "inverse divide",
        .lo = 0.25,
        .autocast = Autocast::f32},
};

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

template <size_t I>
struct Node {
  static constexpr const Row& row = kRows[I];

  static void declare(NodeDecl& d) {
    declare_row(d, row, "Any shape; `y` has the shape and dtype of `x`. Computed in f32 (f64 for f64), rounded once.");
    d.autocast(row.autocast);
    if (!row.parameter.empty()) {
      ParamDecl& parameter = d.real(std::string(row.parameter), row.value).docs(row.parameter_doc);
      if (row.above)
        parameter.above(row.least);
      else
        parameter.at_least(row.least);
    }
    d.input("x").dtype_group("T", running_floats());
    d.output("y").dtype_group("T");
  }

  static Lowered lower(OpBuilder& b, const LowerArgs& a) {
    return {b.unary(row.fn, a.in("x"), row.parameter.empty() ? 0 : a.params().real(row.parameter))};
  }

  static Examples examples() {
    Examples all{
        {.name = "vector", .inputs = {{"x", DType::f32, {37}, {"N"}, row.lo, row.hi}}},
        {.name = "image", .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, row.lo, row.hi}}},
        {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}, row.hi / 2, row.hi}}},
    };
    if (!row.parameter.empty())
      all.push_back({.name = "parameter",
                     .inputs = {{"x", DType::f32, {37}, {"N"}, row.lo, row.hi}},
                     .params = {{std::string(row.parameter), 0.3}}});
    return all;
  }
};

static const bool registered = register_rows<Node, kRows.size()>(shape);

}  // namespace hw::nodes::unary_functions
