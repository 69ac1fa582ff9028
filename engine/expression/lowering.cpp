#include "engine/expression/lowering.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "engine/expression/function.h"
#include "engine/expression/item.h"
#include "engine/program/vector_ops.h"

namespace hw::expression {
namespace {

constexpr std::pair<std::string_view, UnaryFn> kUnary[] = {
    {"sin", UnaryFn::sin}, {"cos", UnaryFn::cos},   {"tanh", UnaryFn::tanh}, {"exp", UnaryFn::exp},
    {"log", UnaryFn::log}, {"sqrt", UnaryFn::sqrt}, {"abs", UnaryFn::abs},
};
constexpr std::pair<std::string_view, BinaryFn> kBinary[] = {
    {"/", BinaryFn::div}, {"pow", BinaryFn::pow}, {"min", BinaryFn::min}, {"max", BinaryFn::max}};
constexpr std::pair<std::string_view, CompareFn> kCompare[] = {
    {"==", CompareFn::equal},      {"!=", CompareFn::not_equal}, {"<", CompareFn::less},
    {"<=", CompareFn::less_equal}, {">", CompareFn::greater},    {">=", CompareFn::greater_equal}};

template <class Table>
auto row_of(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, [](const auto& row) { return row.first; });
  return found == std::end(table) ? std::nullopt : std::optional(found->second);
}

double fold(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  return a / b;
}

bool holds(CompareFn fn, double a, double b) {
  switch (fn) {
    case CompareFn::equal:
      return a == b;
    case CompareFn::not_equal:
      return a != b;
    case CompareFn::less:
      return a < b;
    case CompareFn::less_equal:
      return a <= b;
    case CompareFn::greater:
      return a > b;
    case CompareFn::greater_equal:
      return a >= b;
  }
  return false;
}

class Lowering {
 public:
  Lowering(OpBuilder& b, const Checked& source, DType dtype)
      : b_(b), items_(b, dtype), source_(source), variables_(source.variables.size()) {}

  std::vector<Val> run(const std::vector<Val>& inputs, const Dims& batch) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto v = static_cast<size_t>(source_.inputs[i]);
      variables_[v] = Item::of_value(source_.variables[v].type, inputs[i]);
    }
    for (const Step& step : source_.steps) {
      if (!b_.status()) break;
      assign(step);
    }
    std::vector<Val> outputs;
    for (const int v : source_.outputs) {
      Item& item = variables_[static_cast<size_t>(v)];
      Dims dims = batch;
      dims.insert(dims.end(), static_cast<size_t>(item.type.axes()), item.type.size);
      outputs.push_back(b_.status() ? items_.stretched(item, std::move(dims)) : Val{});
    }
    return outputs;
  }

 private:
  void assign(const Step& step) {
    Item& item = variables_[static_cast<size_t>(step.variable)];
    Item value = of(*step.value);
    if (step.target.empty()) {
      item = std::move(value);
      return;
    }
    const Type type = source_.variables[static_cast<size_t>(step.variable)].type;
    const bool is_new = !item.constant && !item.whole && item.parts.empty();
    if (is_new) item = {type, {}, {}, std::vector<Item>(static_cast<size_t>(type.components()), Item::of_number(0))};
    items_.split(item);
    item.whole = {};
    for (size_t k = 0; k < step.target.size(); ++k)
      item.parts[static_cast<size_t>(step.target[k])] = items_.part(value, static_cast<int>(k));
  }

  Item of(const Expr& e) {
    if (!b_.status()) return Item::of_number(0, e.type);
    switch (e.kind) {
      case Expr::Kind::number:
        return Item::of_number(e.number, e.type);
      case Expr::Kind::name: {
        Item& item = variables_[static_cast<size_t>(e.variable)];
        // The tensor is made once, for all who read it.
        if (e.type.axes() > 0 && !item.parts.empty()) items_.whole(item);
        return item;
      }
      case Expr::Kind::unary:
        return negated(e);
      case Expr::Kind::binary:
        return binary(e);
      case Expr::Kind::choose:
        return choose(e.type, of(*e.args[0]), of(*e.args[1]), of(*e.args[2]));
      case Expr::Kind::call:
        return call(e);
      case Expr::Kind::components:
      case Expr::Kind::index:
        return picked(e);
    }
    return {};
  }

  // Components of a variable, without making a tensor of it first.
  Item base_of(const Expr& e) {
    return e.kind == Expr::Kind::name ? variables_[static_cast<size_t>(e.variable)] : of(e);
  }

  Item picked(const Expr& e) {
    const Item from = base_of(*e.args[0]);
    if (e.picked.size() == 1) return items_.part(from, e.picked[0]);
    if (from.type.is_vector() && from.whole)
      return Item::of_value(e.type, vector_ops::swizzled(b_, from.whole, e.picked));
    Item made{e.type, {}, {}, {}};
    for (const int k : e.picked) made.parts.push_back(items_.part(from, k));
    return made;
  }

  Item negated(const Expr& e) {
    Item of_what = of(*e.args[0]);
    if (e.text == "!") {
      if (of_what.constant) return Item::of_number(*of_what.constant == 0, e.type);
      return Item::of_value(e.type, not_of(items_.whole(of_what)));
    }
    if (of_what.constant) return Item::of_number(-*of_what.constant);
    return Item::of_value(e.type, b_.unary(UnaryFn::neg, items_.whole(of_what)));
  }

  Val not_of(Val x) { return b_.compare(CompareFn::equal, x, items_.number(0, Type::boolean())); }

  Item binary(const Expr& e) {
    Item x = of(*e.args[0]), y = of(*e.args[1]);
    if (const auto fn = row_of(kCompare, e.text)) {
      if (x.constant && y.constant) return Item::of_number(holds(*fn, *x.constant, *y.constant), e.type);
      return Item::of_value(e.type, b_.compare(*fn, items_.whole(x), items_.whole(y)));
    }
    if (e.text == "&&" || e.text == "||") return logical(e.text == "&&", std::move(x), std::move(y));
    return arithmetic(e.text, e.type, std::move(x), std::move(y));
  }

  // On bools, of which false is less than true: a && b is !a < b, a || b is !a <= b.
  Item logical(bool both, Item x, Item y) {
    const Type type = Type::boolean();
    if (x.constant) std::swap(x, y);
    if (y.constant) return (*y.constant != 0) == both ? x : Item::of_number(!both, type);
    const Val left = not_of(items_.whole(x));
    return Item::of_value(type, b_.compare(both ? CompareFn::less : CompareFn::less_equal, left, items_.whole(y)));
  }

  Item arithmetic(std::string_view op, Type type, Item x, Item y) {
    if (x.constant && y.constant) return Item::of_number(fold(op, *x.constant, *y.constant));
    if (op == "*") {
      if (y.constant) std::swap(x, y);
      if (x.constant) return Item::of_value(type, b_.scale(items_.whole(y), *x.constant));
      const bool mx = x.type.is_matrix(), my = y.type.is_matrix();
      if (mx && my) return Item::of_value(type, vector_ops::matrix_matrix(b_, items_.whole(x), items_.whole(y)));
      if (mx && y.type.is_vector())
        return Item::of_value(type, vector_ops::matrix_vector(b_, items_.whole(x), items_.whole(y)));
      if (my && x.type.is_vector()) {  // a row before a matrix
        const Val columns = vector_ops::transposed(b_, items_.whole(y));
        return Item::of_value(type, vector_ops::matrix_vector(b_, columns, items_.whole(x)));
      }
    }
    const Val a = items_.stretching(x, type.axes()), c = items_.stretching(y, type.axes());
    if (op == "+") return Item::of_value(type, b_.add(a, c));
    if (op == "-") return Item::of_value(type, b_.sub(a, c));
    if (op == "*") return Item::of_value(type, b_.mul(a, c));
    return Item::of_value(type, b_.div(a, c));
  }

  Item choose(Type type, Item condition, Item yes, Item no) {
    if (condition.constant) return *condition.constant != 0 ? yes : no;
    const Val mask = items_.stretching(condition, type.axes());
    return Item::of_value(type, b_.where(mask, items_.whole(yes), items_.whole(no)));
  }

  // ---- calls

  Item call(const Expr& e) {
    std::vector<Item> args;
    for (const ExprPtr& arg : e.args) args.push_back(of(*arg));
    if (type_named(e.text)) return constructed(e.type, std::move(args));
    const Function& f = *find_function(e.text);
    const bool constants = std::ranges::all_of(args, [](const Item& a) { return a.constant.has_value(); });
    if (f.value && constants) {
      double x[3] = {};
      for (size_t i = 0; i < args.size(); ++i) x[i] = *args[i].constant;
      return Item::of_number(f.value(x));
    }
    if (f.rule == Rule::select) return choose(e.type, args[0], args[1], args[2]);
    if (f.rule == Rule::map) return mapped(e, args);
    const Val v = items_.whole(args[0]), w = args.size() > 1 ? items_.whole(args[1]) : Val{};
    switch (f.rule) {
      case Rule::dot:
        return Item::of_value(e.type, vector_ops::dot(b_, v, w));
      case Rule::cross:
        return Item::of_value(e.type, vector_ops::cross(b_, v, w));
      case Rule::length:
        return Item::of_value(e.type, vector_ops::length(b_, v));
      case Rule::distance:
        return Item::of_value(e.type, vector_ops::length(b_, b_.sub(v, w)));
      case Rule::normalize:
        return Item::of_value(e.type, vector_ops::normalized(b_, v));
      default:
        return Item::of_value(e.type, vector_ops::transposed(b_, v));
    }
  }

  // Functions that go component by component.
  Item mapped(const Expr& e, std::vector<Item>& args) {
    const Type type = e.type;
    const auto arg = [&](size_t i) { return items_.stretching(args[i], type.axes()); };
    const auto value = [&](Val v) { return Item::of_value(type, v); };
    if (const auto fn = row_of(kUnary, e.text)) return value(b_.unary(*fn, arg(0)));
    if (const auto fn = row_of(kBinary, e.text)) return value(b_.binary(*fn, arg(0), arg(1)));
    if (e.text == "tan") return value(b_.div(b_.unary(UnaryFn::sin, arg(0)), b_.unary(UnaryFn::cos, arg(0))));
    if (e.text == "sigmoid") return value(b_.sigmoid(arg(0)));
    if (e.text == "relu") return value(b_.relu(arg(0)));
    if (e.text == "step") {
      const Val below = b_.compare(CompareFn::less, arg(1), arg(0));
      return value(b_.where(below, items_.number(0), items_.number(1)));
    }
    if (e.text == "clamp") {
      if (args[1].constant && args[2].constant && *args[1].constant <= *args[2].constant)
        return value(b_.clamp(arg(0), *args[1].constant, *args[2].constant));
      return value(b_.binary(BinaryFn::min, b_.binary(BinaryFn::max, arg(0), arg(1)), arg(2)));
    }
    if (e.text == "mix") {
      const Item span = arithmetic("-", joint(args[0], args[1]), args[1], args[0]);
      return arithmetic("+", type, args[0], arithmetic("*", type, span, args[2]));
    }
    if (e.text == "smoothstep") {
      const Item above = arithmetic("-", joint(args[2], args[0]), args[2], args[0]);
      const Item span = arithmetic("-", joint(args[1], args[0]), args[1], args[0]);
      Item ratio = arithmetic("/", type, above, span);
      const Item t = value(b_.clamp(items_.stretching(ratio, type.axes()), 0, 1));
      const Item bow = arithmetic("-", type, Item::of_number(3), arithmetic("*", type, Item::of_number(2), t));
      return arithmetic("*", type, arithmetic("*", type, t, t), bow);
    }
    throw std::logic_error("function.cpp has " + e.text + ", lowering.cpp has not");
  }

  static Type joint(const Item& x, const Item& y) { return x.type.is_scalar() ? y.type : x.type; }

  Item constructed(Type type, std::vector<Item> args) {
    if (type.is_scalar()) {
      if (args[0].type.is_boolean() && !args[0].constant)
        return Item::of_value(type, b_.where(items_.whole(args[0]), items_.number(1), items_.number(0)));
      return args[0].constant ? Item::of_number(*args[0].constant) : args[0];
    }
    if (args.size() == 1 && args[0].type == type) return args[0];
    Item made{type, {}, {}, {}};
    if (args.size() == 1) {  // a float: every component, or the diagonal
      for (int k = 0; k < type.components(); ++k)
        made.parts.push_back(!type.is_matrix() || k % (type.size + 1) == 0 ? args[0] : Item::of_number(0));
      return made;
    }
    for (const Item& arg : args)
      for (int k = 0; k < arg.type.components(); ++k) made.parts.push_back(items_.part(arg, k));
    return made;
  }

  OpBuilder& b_;
  Items items_;
  const Checked& source_;
  std::vector<Item> variables_;
};

}  // namespace

std::vector<Val> lower(OpBuilder& b, const Checked& source, const std::vector<Val>& inputs, const Dims& batch,
                       DType dtype) {
  return Lowering(b, source, dtype).run(inputs, batch);
}

}  // namespace hw::expression
