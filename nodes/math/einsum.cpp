// Einsum: sums of products over named axes, as transposes and matrix products.
#include <algorithm>
#include <set>

#include "engine/core/sizes.h"
#include "engine/node/einsum_equation.h"
#include "engine/node/many_inputs.h"

namespace hw::nodes::einsum {

namespace einsum = hw::einsum;

static void declare(NodeDecl& d) {
  d.title("Einsum").category("Math").summary("Sums of products over axes that are named by letters.");
  d.doc(
      "`equation` names the axes of each input, then those of the result: `ij,jk->ik` is a matrix product, "
      "`bhid,bhjd->bhij` "
      "the scores of an attention, `ij->ji` a transpose, `ij->i` a sum, `i,j->ij` an outer product. Axes of one letter "
      "have one size; a letter that is not in the result is summed over. `...` stands for any axes in front of, "
      "between "
      "or behind the letters, the same in all terms. Without `->` the result has the letters that occur once, in "
      "alphabetical order. A letter twice in one term (a diagonal) is not taken. Inputs are multiplied one after the "
      "other, from the left, each product as a matrix product that accumulates in f32 (f64 for f64) and is rounded to "
      "the dtype.");
  d.source("NumPy, `numpy.einsum`; ONNX, Einsum");
  d.keywords("einstein summation contraction tensor product outer inner matmul bilinear transpose tensordot Einsum");
  d.autocast(Autocast::low);
  d.text("equation", "ij,jk->ik").docs("Axes of each input, and of the result.");
  shapes::declare_compute(d);
  d.output("y").dtype_group("T");
}

static Status sockets(NodeDecl& d, const Params& p) {
  const auto e = einsum::parse(p);
  for (const std::string& id : shapes::input_ids_up_to(e ? e->terms.size() : 2))
    d.input(id).dtype_group("T", running_floats());
  return e ? ok() : Status(e.error());
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const einsum::Equation written, einsum::parse(a.params()));
  const auto ids = shapes::input_ids_up_to(written.terms.size());
  std::vector<size_t> ranks;
  for (const std::string& id : ids) ranks.push_back(a.shape(id).rank());
  HW_TRY(const einsum::Equation e, einsum::expand(a.params(), written, ranks));
  std::map<char, Axis> axes;
  for (size_t i = 0; i < ids.size(); ++i) {
    const Shape& shape = a.shape(ids[i]);
    if (!shape.fully_known())
      return Error{codes::size_mismatch, ids[i], "all sizes must be known, got " + to_string(shape) + ".",
                   "Give the source a fixed size."};
    for (size_t d = 0; d < shape.rank(); ++d) {
      const auto [known, fresh] = axes.emplace(e.terms[i][d], shape[d]);
      if (fresh || known->second.size == shape[d].size) continue;
      return Error{codes::size_mismatch, ids[i],
                   "its axis " + std::to_string(d) + ", " + e.terms[i][d] + ", has " + std::to_string(shape[d].size) +
                       " elements, but " + std::to_string(known->second.size) +
                       " in an input before: " + to_string(shape) + ".",
                   "Axes of one letter have one size."};
    }
  }
  Shape y;
  for (const char c : e.result) y.push_back({"", axes.at(c).size, ""});
  return Shapes{shapes::tensor(a.dtype("a"), y)};
}

// A tensor and the letters of its axes.
struct Term {
  Val value;
  std::string axes;
};

static Val in_order(OpBuilder& b, const Term& t, const std::string& wanted) {
  std::vector<int> order;
  bool same = true;
  for (size_t d = 0; d < wanted.size(); ++d) {
    order.push_back(static_cast<int>(t.axes.find(wanted[d])));
    same = same && order.back() == static_cast<int>(d);
  }
  return same ? t.value : b.transpose(t.value, std::move(order));
}

// Summed over the axes that are not among `needed`.
static Term summed(OpBuilder& b, Term t, const std::string& needed) {
  std::vector<int> gone;
  std::string left;
  for (size_t d = 0; d < t.axes.size(); ++d)
    if (needed.find(t.axes[d]) == needed.npos)
      gone.push_back(static_cast<int>(d));
    else
      left += t.axes[d];
  return gone.empty() ? t : Term{b.sum(t.value, gone), left};
}

// The product of two, summed over the axes that are not among `needed`.
static Term multiplied(OpBuilder& b, Term x, Term y, const std::string& needed, std::optional<DType> compute) {
  x = summed(b, std::move(x), needed + y.axes);
  y = summed(b, std::move(y), needed + x.axes);
  if (!b.status()) return {};
  std::string batch, over, left, right;
  for (const char c : x.axes)
    (y.axes.find(c) == y.axes.npos ? left : needed.find(c) != needed.npos ? batch : over) += c;
  for (const char c : y.axes)
    if (x.axes.find(c) == x.axes.npos) right += c;
  std::map<char, int64_t> size;
  for (const Term* t : {&x, &y})
    for (size_t d = 0; d < t->axes.size(); ++d) size[t->axes[d]] = b[t->value].dims[d];
  const auto count = [&](const std::string& axes) {
    int64_t n = 1;
    for (const char c : axes) n = size_product({n, size[c]});
    return n;
  };
  const Val m = b.reshape(in_order(b, x, batch + left + over), {count(batch), count(left), count(over)});
  const Val n = b.reshape(in_order(b, y, batch + over + right), {count(batch), count(over), count(right)});
  Dims dims;
  for (const char c : batch + left + right) dims.push_back(size[c]);
  return {b.reshape(b.batch_matmul(m, n, false, false, compute), dims), batch + left + right};
}

// Whether the samples of a step are summed: one letter, of the axes N of all inputs that have one, is not in the
// result.
static bool sums_samples(const OpBuilder& b, const std::vector<Val>& in, const einsum::Equation& e) {
  std::set<char> letters;
  for (size_t i = 0; i < in.size(); ++i)
    for (size_t d = 0; d < b[in[i]].axes.size(); ++d)
      if (b[in[i]].axes[d] == "N") letters.insert(e.terms[i][d]);
  return letters.size() == 1 && e.result.find(*letters.begin()) == e.result.npos;
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const auto written = einsum::parse(a.params());
  if (!written) return b.fail(written.error()), Lowered{Val{}};
  std::vector<Val> in;
  std::vector<size_t> ranks;
  for (const std::string& id : shapes::input_ids_up_to(written->terms.size())) {
    in.push_back(a.in(id));
    ranks.push_back(b[in.back()].dims.size());
  }
  const auto e = einsum::expand(a.params(), *written, ranks);
  if (!e) return b.fail(e.error()), Lowered{Val{}};
  Term product{in[0], e->terms[0]};
  for (size_t i = 1; i < in.size(); ++i) {
    std::string needed = e->result;
    for (size_t k = i + 1; k < in.size(); ++k) needed += e->terms[k];
    product = multiplied(b, product, {in[i], e->terms[i]}, needed, shapes::compute_of(a.params()));
  }
  product = summed(b, std::move(product), e->result);
  if (!b.status()) return {Val{}};
  const Val y = in_order(b, product, e->result);
  if (in.size() > 1) b.set_axes(y, {});
  const Val unnamed = in.size() > 1 ? y : b.reshape(y, Dims(b[y].dims));
  return {b.status() && sums_samples(b, in, *e) ? b.batch_sum(unnamed) : unnamed};
}

static Examples examples() {
  const auto with = [](std::string name, std::string equation, std::vector<Dims> dims) {
    Example e{.name = std::move(name), .params = {{"equation", std::move(equation)}}, .tolerance_factor = 6};
    const auto ids = shapes::input_ids_up_to(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) e.inputs.push_back({ids[i], DType::f32, dims[i], {}});
    return e;
  };
  return {with("matrices", "ij,jk->ik", {{4, 3}, {3, 5}}),
          with("scores", "bhid,bhjd->bhij", {{2, 2, 3, 4}, {2, 2, 5, 4}}),
          with("transposed", "ijk -> kij", {{2, 3, 4}}),
          with("sum_of_one", "ij->i", {{4, 5}}),
          with("outer", "i,j", {{3}, {4}}),
          with("three", "ij,jk,k->i", {{3, 4}, {4, 2}, {2}}),
          with("bilinear", "bi,oij,bj->bo", {{3, 2}, {4, 2, 5}, {3, 5}}),
          with("ellipsis", "...ij,...jk->...ik", {{2, 3, 4}, {2, 4, 2}}),
          with("dot", "i,i->", {{7}, {7}}),
          with("summed_first", "ab,cd->ac", {{2, 3}, {4, 5}})};
}

}  // namespace hw::nodes::einsum

HW_ADAPTIVE_NODE(einsum)
