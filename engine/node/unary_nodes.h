// Nodes that are rows of engine/program/unary.def: the fields of a row, and the node it makes.
#pragma once

#include <array>

#include "engine/node/row_nodes.h"

namespace hw {

/// A node of one function of one input.
struct UnaryRow {
  /// What UnaryAttr::a or b is: the parameter `id`, at least (above, where `above`) `least`; without id: `value`.
  struct Parameter {
    std::string_view id = {};
    double value = 0;
    std::optional<double> least = 0;
    bool above = false;
    const char* doc = "";
  };
  UnaryFn fn;
  const char *id, *title, *summary, *doc, *source, *keywords;
  double lo = -4, hi = 4;  // range of the examples
  Parameter a = {}, b = {};
  Autocast autocast = Autocast::follow;
  const char* no_gradient_because = "";
};

inline Result<Shapes> unary_shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

/// The nodes of a table of rows: UnaryNodes<kRows>::register_all() adds them to the registry.
template <const auto& rows>
struct UnaryNodes {
  template <size_t I>
  struct Node {
    static constexpr const UnaryRow& row = rows[I];

    static void declare(NodeDecl& d) {
      declare_row(d, row,
                  "Any shape; `y` has the shape and dtype of `x`. Computed in f32 (f64 for f64), rounded once.");
      d.autocast(row.autocast);
      for (const UnaryRow::Parameter& p : {row.a, row.b}) {
        if (p.id.empty()) continue;
        ParamDecl& parameter = d.real(std::string(p.id), p.value).docs(p.doc);
        if (!p.least) continue;
        if (p.above)
          parameter.above(*p.least);
        else
          parameter.at_least(*p.least);
      }
      d.input("x").dtype_group("T", running_floats());
      d.output("y").dtype_group("T");
    }

    static double value(const UnaryRow::Parameter& p, const Params& params) {
      return p.id.empty() ? p.value : params.real(p.id);
    }
    static Lowered lower(OpBuilder& b, const LowerArgs& a) {
      return {b.unary(row.fn, a.in("x"), value(row.a, a.params()), value(row.b, a.params()))};
    }

    static Examples examples() {
      Examples all{
          {.name = "vector", .inputs = {{"x", DType::f32, {37}, {"N"}, row.lo, row.hi}}},
          {.name = "image", .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, row.lo, row.hi}}},
          {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}, row.hi / 2, row.hi}}},
      };
      ParamMap others;
      for (const UnaryRow::Parameter& p : {row.a, row.b})
        if (!p.id.empty()) others.emplace(std::string(p.id), others.empty() ? 0.3 : 0.4);
      if (!others.empty())
        all.push_back({.name = "parameter",
                       .inputs = {{"x", DType::f32, {37}, {"N"}, row.lo, row.hi}},
                       .params = std::move(others)});
      for (Example& example : all) example.no_gradient_because = row.no_gradient_because;
      return all;
    }
  };

  static bool register_all() { return register_rows<Node, rows.size()>(unary_shape); }
};

}  // namespace hw
