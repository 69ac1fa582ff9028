// Scatter: elements or rows that are put, added, .. where indices say. An update whose index is computed and lies
// outside is left out, which the import says; ONNX Runtime refuses to run then.
#include <algorithm>
#include <numeric>
#include <set>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"
#include "engine/core/sizes.h"

namespace hw::interop {
namespace {

constexpr size_t kMostRounds = 16;  // updates of one element that are taken one after the other

int64_t product_of(const Dims& dims, size_t begin, size_t end) {
  return element_count(
      {dims.begin() + static_cast<std::ptrdiff_t>(begin), dims.begin() + static_cast<std::ptrdiff_t>(end)});
}

std::string flags(Steps& s, Dims dims, const std::vector<double>& values) {
  return s.constant(Tensor::from_f64(DType::boolean, std::move(dims), values));
}

/// What a Scatter reads: sizes of its data, indices and updates; the operator of its reduction, "" of none.
struct Scattered {
  std::string op;
  Dims dims, at, of_updates;
};

/// The operator of its reduction, "" of none. Error: there is no such one.
Result<std::string> reduction_of(const OnnxNode& n) {
  static const std::map<std::string, std::string> kOps{
      {"none", ""}, {"add", "Add"}, {"mul", "Mul"}, {"max", "Max"}, {"min", "Min"}};
  const auto found = kOps.find(n.text("reduction", "none"));
  if (found == kOps.end()) return unsupported("a reduction \"" + n.text("reduction", "") + "\".");
  return found->second;
}

/// Errors: there is no such reduction; a size is symbolic.
Result<Scattered> read_scattered(Importer& im, const OnnxNode& n) {
  Scattered read;
  HW_TRY(read.op, reduction_of(n));
  HW_TRY(read.dims, fixed_dims(im, n, 0));
  HW_TRY(read.at, fixed_dims(im, n, 1));
  HW_TRY(read.of_updates, fixed_dims(im, n, 2));
  return read;
}

void say_what_is_left_out(Importer& im, const OnnxNode& n) {
  im.add_note(n.op +
              ": an update whose computed index lies outside is left out. ONNX calls it an error, and ONNX Runtime "
              "refuses to run.");
}

std::string reduced(Steps& s, const std::string& op, const std::string& data, const std::string& taken) {
  return op.empty() ? taken : s.add(op, {data, taken});
}

/// Row targets[i] of data [rows, ..] takes update i, in this order. None: more land on one than kMostRounds.
std::optional<std::string> at_known_rows(Steps& s, const std::string& data, const std::string& updates, size_t rank,
                                         int64_t rows, const std::vector<int64_t>& targets, const std::string& op) {
  std::vector<std::vector<int64_t>> rounds;  // by row: the update that it takes, or −1
  std::vector<size_t> hits(static_cast<size_t>(rows), 0);
  for (size_t i = 0; i < targets.size(); ++i) {
    const auto row = static_cast<size_t>(targets[i]);
    const size_t round = op.empty() ? 0 : hits[row]++;
    if (round == kMostRounds) return std::nullopt;
    if (round == rounds.size()) rounds.emplace_back(static_cast<size_t>(rows), -1);
    rounds[round][row] = static_cast<int64_t>(i);
  }
  std::string y = data;
  Dims along(rank, 1);
  along[0] = rows;
  for (const std::vector<int64_t>& round : rounds) {
    std::vector<int64_t> from;
    std::vector<double> taken;
    for (const int64_t update : round) {
      from.push_back(std::max<int64_t>(update, 0));
      taken.push_back(update >= 0 ? 1 : 0);
    }
    const std::string made = reduced(s, op, y, s.add("Gather", {updates, s.integers(from)}, {{"axis", int64_t{0}}}));
    y = std::ranges::count(taken, 0) == 0 ? made : s.add("Where", {flags(s, along, taken), made, y});
  }
  return y;
}

/// What scatters computed indices: data [rows, width], updates [count, width], index [count, width], or [count, 1] for
/// whole rows, in f64.
struct Computed {
  std::string data, updates, index;
  int64_t rows, count, width;
  bool by_element;
};

/// Every row is compared with every index: `cells` [count, rows, width or 1] says who lands where.
Result<std::string> at_computed_rows(Steps& s, const Computed& c, const std::string& op) {
  const int64_t compared = c.by_element || !op.empty() ? c.width : 1;
  if (size_product({c.count, c.rows, compared}) > kMost)
    return unsupported("its indices are computed, and each of " + std::to_string(c.count) +
                       " is compared with each of " + std::to_string(c.rows) + " places: more than 2^24 numbers.");
  std::vector<double> places(static_cast<size_t>(c.rows)), numbers(static_cast<size_t>(c.count));
  std::iota(places.begin(), places.end(), 0.0);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  const std::string every = s.constant(Tensor::from_f64(DType::f64, {1, c.rows, 1}, places));
  const std::string cells = s.add("Equal", {s.unsqueeze(c.index, 1), every});
  const std::string first = s.integers({0});
  if (op.empty()) {  // the last that lands there, as ONNX Runtime writes them
    const std::string zero = s.constant(Tensor::from_f64(DType::f64, {}, std::vector<double>{0}));
    const std::string one = s.constant(Tensor::from_f64(DType::f64, {}, std::vector<double>{1}));
    const std::string number = s.constant(Tensor::from_f64(DType::f64, {c.count, 1, 1}, numbers));
    const std::string last =
        s.add("ReduceMax", {s.add("Where", {cells, number, zero}), first}, {{"keepdims", int64_t{0}}});
    const std::string from = s.cast(s.add("Max", {s.add("Sub", {last, one}), zero}), DType::i64);
    const std::string taken = c.by_element
                                  ? s.add("GatherElements", {c.updates, from}, {{"axis", int64_t{0}}})
                                  : s.add("Gather", {c.updates, s.reshape(from, {c.rows})}, {{"axis", int64_t{0}}});
    return s.add("Where", {s.add("Greater", {last, zero}), taken, c.data});
  }
  const bool picks = op == "Max" || op == "Min";
  const std::string otherwise = picks ? c.data : s.number(op == "Mul" ? 1 : 0, c.data);
  const std::string landed = s.add("Where", {cells, s.unsqueeze(c.updates, 1), otherwise});
  const std::string reduction = op == "Add" ? "ReduceSum" : op == "Mul" ? "ReduceProd" : "Reduce" + op;
  return s.add(op, {c.data, s.add(reduction, {landed, first}, {{"keepdims", int64_t{0}}})});
}

/// Whole numbers as f64, negative ones counted from the end of what has `sizes`.
std::string from_the_end(Steps& s, const std::string& index, const std::vector<int64_t>& sizes) {
  const std::string wide = s.cast(index, DType::f64), zero = s.number(0, wide);
  const std::string end = s.cast(s.integers(sizes), DType::f64);
  return s.add("Where", {s.add("Less", {wide, zero}), s.add("Add", {wide, end}), wide});
}

/// Sizes of data, indices and updates.
struct ScatteredDims {
  SizedDims data, at, updates;
};

Result<ScatteredDims> scattered_dims(Importer& im, const OnnxNode& n) {
  ScatteredDims dims;
  HW_TRY(dims.data, im.sized_dims(n, 0));
  HW_TRY(dims.at, im.sized_dims(n, 1));
  HW_TRY(dims.updates, im.sized_dims(n, 2));
  return dims;
}

bool has_symbolic(const SizedDims& dims) {
  return dims.here != dims.other;
}

/// f64 [size, 1, ..]: `first` and on along axis `axis` of a value, before `behind` axes of size 1.
std::string counted(Steps& s, const std::string& value, int64_t axis, int64_t behind, int64_t first) {
  const auto number = [&](int64_t of) { return s.reshape(s.integers({of}), {}); };
  const std::string size = s.add("Gather", {s.add("Shape", {value}), number(axis)});
  const std::string end = first == 0 ? size : s.add("Add", {size, number(first)});
  std::string counts = s.cast(s.add("Range", {number(first), end, number(1)}), DType::f64);
  for (int64_t i = 0; i < behind; ++i) counts = s.unsqueeze(counts, i + 1);
  return counts;
}

/// The same as at_computed_rows() where sizes are symbolic: axes stay where they are, and along a new one behind `axis`
/// stands each place of the data.
Result<std::vector<OnnxNode>> scatter_any_size(Importer& im, const OnnxNode& n, Steps& s, const ScatteredDims& dims) {
  HW_TRY(const std::string op, reduction_of(n));
  const auto rank = std::ssize(dims.data.here);
  int64_t axis = n.integer("axis", 0);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank || std::ssize(dims.at.here) != rank || dims.updates.here != dims.at.here ||
      dims.updates.other != dims.at.other)
    return unsupported("its indices and updates do not fit its data.");
  for (size_t d = 0; d < dims.data.here.size(); ++d)
    if (d != static_cast<size_t>(axis) &&
        (dims.at.here[d] != dims.data.here[d] || dims.at.other[d] != dims.data.other[d]))
      return unsupported("a size is symbolic, and its indices have fewer rows than its data.");
  const std::string data = input(n, 0), updates = input(n, 2), zero = s.number(0, s.cast(input(n, 1), DType::f64));
  const std::string wide = s.cast(input(n, 1), DType::f64), axes = s.integers({axis});
  const std::string size = s.cast(s.add("Gather", {s.add("Shape", {data}), axes}), DType::f64);
  const std::string index = s.add("Where", {s.add("Less", {wide, zero}), s.add("Add", {wide, size}), wide});
  const std::string cells = s.add("Equal", {s.unsqueeze(index, axis + 1), counted(s, data, axis, rank - axis - 1, 0)});
  const Steps::Attributes one_less{{"keepdims", int64_t{0}}}, along{{"axis", axis}};
  say_what_is_left_out(im, n);
  if (op.empty()) {
    const std::string number = counted(s, updates, axis, rank - axis, 1);
    const std::string last = s.add("ReduceMax", {s.add("Where", {cells, number, zero}), axes}, one_less);
    const std::string from = s.add("Max", {s.add("Sub", {last, s.number(1, last)}), zero});
    const std::string taken = s.add("GatherElements", {updates, s.cast(from, DType::i64)}, along);
    s.give(0, s.add("Where", {s.add("Greater", {last, zero}), taken, data}));
    return s.take();
  }
  const bool picks = op == "Max" || op == "Min";
  const std::string otherwise = picks ? s.unsqueeze(data, axis) : s.number(op == "Mul" ? 1 : 0, data);
  const std::string landed = s.add("Where", {cells, s.unsqueeze(updates, axis + 1), otherwise});
  const std::string reduction = op == "Add" ? "ReduceSum" : op == "Mul" ? "ReduceProd" : "Reduce" + op;
  s.give(0, s.add(op, {data, s.add(reduction, {landed, axes}, one_less)}));
  return s.take();
}

/// Elements of data by the places in one axis, all others as in the updates.
Result<std::vector<OnnxNode>> scatter_elements(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  HW_TRY(const ScatteredDims open, scattered_dims(im, n));
  if (has_symbolic(open.data) || has_symbolic(open.at)) return scatter_any_size(im, n, s, open);
  HW_TRY(const Scattered read, read_scattered(im, n));
  const auto& [op, dims, at, of_updates] = read;
  const auto rank = static_cast<int64_t>(dims.size());
  int64_t along = n.integer("axis", 0);
  if (along < 0) along += rank;
  if (along < 0 || along >= rank || at.size() != dims.size() || of_updates != at)
    return unsupported("its indices and updates do not fit its data.");
  const auto axis = static_cast<size_t>(along);
  for (size_t d = 0; d < dims.size(); ++d)
    if (d != axis && at[d] > dims[d]) return unsupported("its indices do not fit its data.");
  const int64_t count = element_count(at), size = element_count(dims);
  if (count == 0) {
    s.give(0, input(n, 0));
    return s.take();
  }
  if (size == 0) return unsupported("an empty tensor is not supported.");
  if (const Tensor* index = im.bound(n, 1); index && std::max(count, size) <= kMost) {
    const Tensor places = index->to(DType::i64);
    std::vector<int64_t> targets;
    Dims place(dims.size(), 0);
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, target = 0;
      for (size_t d = dims.size(); d-- > 0; rest /= at[d]) place[d] = rest % at[d];
      int64_t& moved = place[axis];
      moved = places.as<int64_t>()[i];
      if (moved < 0) moved += dims[axis];
      if (moved < 0 || moved >= dims[axis]) return unsupported("an index is outside.");
      for (size_t d = 0; d < dims.size(); ++d) target = target * dims[d] + place[d];
      targets.push_back(target);
    }
    const auto y = at_known_rows(s, s.reshape(input(n, 0), {-1}), s.reshape(input(n, 2), {-1}), 1, size, targets, op);
    if (y) {
      s.give(0, s.reshape(*y, dims));
      return s.take();
    }
  }
  std::vector<int64_t> order{along}, back(dims.size(), 0), pads(2 * dims.size(), 0);
  for (int64_t d = 0; d < rank; ++d)
    if (d != along) order.push_back(d);
  Dims moved;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto d = static_cast<size_t>(order[i]);
    back[d] = static_cast<int64_t>(i);
    moved.push_back(dims[d]);
    if (d != axis) pads[dims.size() + d] = dims[d] - at[d];
  }
  const auto in_rows = [&](const std::string& value, int64_t rows) {
    return s.reshape(s.add("Transpose", {value}, {{"perm", order}}), {rows, size / dims[axis]});
  };
  const auto padded = [&](const std::string& value, double filled) {
    const bool fits = std::ranges::count(pads, 0) == std::ssize(pads);
    return fits ? value : s.add("Pad", {value, s.integers(pads), s.number(filled, value)});
  };
  const std::string index = from_the_end(s, input(n, 1), {dims[axis]});
  const Computed c{in_rows(input(n, 0), dims[axis]),
                   in_rows(padded(input(n, 2), 0), at[axis]),
                   in_rows(padded(index, -1), at[axis]),
                   dims[axis],
                   at[axis],
                   size / dims[axis],
                   true};
  HW_TRY(const std::string y, at_computed_rows(s, c, op));
  if (!im.bound(n, 1)) say_what_is_left_out(im, n);
  s.give(0, s.add("Transpose", {s.reshape(y, moved)}, {{"perm", back}}));
  return s.take();
}

/// Tuples that are a grid, such as those of x[:, 2:5] = y: along each of the first axes of the data the places, none
/// twice, in the order of the updates' axes.
std::optional<std::vector<std::vector<int64_t>>> grid_of(const std::vector<int64_t>& tuples, const Dims& lead,
                                                         size_t length) {
  std::vector<std::vector<int64_t>> places;
  std::vector<int64_t> strides(lead.size(), 1);
  for (size_t j = lead.size(); j-- > 1;) strides[j - 1] = strides[j] * lead[j];
  std::vector<std::optional<size_t>> axis_of(length);
  size_t next = 0;  // the updates' axis from which on none is taken
  for (size_t k = 0; k < length; ++k) {
    const auto value = [&](size_t j, int64_t i) { return tuples[static_cast<size_t>(strides[j] * i) * length + k]; };
    for (size_t j = 0; j < lead.size(); ++j)
      if (lead[j] > 1 && value(j, 1) != value(j, 0)) {
        if (axis_of[k] || j < next) return std::nullopt;
        axis_of[k] = j;
      }
    if (!axis_of[k]) {
      places.push_back({tuples[k]});
      continue;
    }
    for (size_t j = next; j < *axis_of[k]; ++j)
      if (lead[j] > 1) return std::nullopt;
    next = *axis_of[k] + 1;
    places.emplace_back();
    for (int64_t i = 0; i < lead[*axis_of[k]]; ++i) places.back().push_back(value(*axis_of[k], i));
    if (std::set(places.back().begin(), places.back().end()).size() != places.back().size()) return std::nullopt;
  }
  for (size_t j = next; j < lead.size(); ++j)
    if (lead[j] > 1) return std::nullopt;
  const auto count = static_cast<int64_t>(tuples.size() / length);
  for (int64_t i = 0; i < count; ++i)
    for (size_t k = 0; k < length; ++k) {
      const size_t at = axis_of[k] ? static_cast<size_t>(i / strides[*axis_of[k]] % lead[*axis_of[k]]) : 0;
      if (tuples[static_cast<size_t>(i) * length + k] != places[k][at]) return std::nullopt;
    }
  return places;
}

/// The updates spread along each axis, and where they are.
std::string at_grid(Steps& s, const OnnxNode& n, const Dims& dims, const std::vector<std::vector<int64_t>>& places,
                    const std::string& op) {
  std::vector<int64_t> sizes;
  for (const auto& along : places) sizes.push_back(std::ssize(along));
  sizes.insert(sizes.end(), dims.begin() + std::ssize(places), dims.end());
  std::string taken = s.reshape(input(n, 2), sizes), where;
  for (size_t k = 0; k < places.size(); ++k) {
    std::vector<int64_t> from(static_cast<size_t>(dims[k]), 0);
    std::vector<double> here(static_cast<size_t>(dims[k]), 0);
    for (size_t i = 0; i < places[k].size(); ++i) {
      from[static_cast<size_t>(places[k][i])] = static_cast<int64_t>(i);
      here[static_cast<size_t>(places[k][i])] = 1;
    }
    if (places[k].size() > 1 && !(std::ssize(places[k]) == dims[k] && std::ranges::is_sorted(places[k])))
      taken = s.add("Gather", {taken, s.integers(from)}, {{"axis", static_cast<int64_t>(k)}});
    if (std::ranges::count(here, 0) == 0) continue;
    Dims along(dims.size(), 1);
    along[k] = dims[k];
    const std::string part = flags(s, along, here);
    where = where.empty() ? part : s.add("And", {where, part});
  }
  const std::string y = reduced(s, op, input(n, 0), taken);
  return where.empty() ? y : s.add("Where", {where, y, input(n, 0)});
}

/// Rows of the data's first axes, by tuples.
Result<std::vector<OnnxNode>> scatter_nd(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  HW_TRY(const Scattered read, read_scattered(im, n));
  const auto& [op, dims, at, of_updates] = read;
  if (at.empty() || at.back() < 1 || at.back() > std::ssize(dims))
    return unsupported("its indices are no tuples of its data.");
  const auto length = static_cast<size_t>(at.back());
  const Dims lead(at.begin(), at.end() - 1);
  Dims wanted = lead;
  wanted.insert(wanted.end(), dims.begin() + at.back(), dims.end());
  if (of_updates != wanted) return unsupported("its updates do not fit.");
  const int64_t count = element_count(lead), rows = product_of(dims, 0, length);
  const int64_t width = product_of(dims, length, dims.size());
  if (element_count(of_updates) == 0) {
    s.give(0, input(n, 0));
    return s.take();
  }
  if (rows == 0) return unsupported("an empty tensor is not supported.");
  const std::string data = s.reshape(input(n, 0), {rows, width}), updates = s.reshape(input(n, 2), {count, width});
  if (const Tensor* index = im.bound(n, 1); index && std::max(index->size(), rows) <= kMost) {
    const Tensor whole = index->to(DType::i64);
    std::vector<int64_t> tuples(whole.as<int64_t>(), whole.as<int64_t>() + whole.size()), targets;
    for (size_t i = 0; i < tuples.size(); ++i) {
      const int64_t size = dims[i % length];
      if (tuples[i] < 0) tuples[i] += size;
      if (tuples[i] < 0 || tuples[i] >= size) return unsupported("an index is outside.");
      if (i % length == 0) targets.push_back(0);
      targets.back() = targets.back() * size + tuples[i];
    }
    if (const auto places = grid_of(tuples, lead, length)) {
      s.give(0, at_grid(s, n, dims, *places, op));
      return s.take();
    }
    if (const auto y = at_known_rows(s, data, updates, 2, rows, targets, op)) {
      s.give(0, s.reshape(*y, dims));
      return s.take();
    }
  }
  // The number of a row is a sum over its tuple; an index outside takes off more than the others add.
  std::vector<int64_t> strides(length, 1);
  for (size_t k = length; k-- > 1;) strides[k - 1] = strides[k] * dims[k];
  const std::vector<int64_t> sizes(dims.begin(), dims.begin() + at.back());
  const std::string index = from_the_end(s, s.reshape(input(n, 1), {count, at.back()}), sizes);
  const std::string inside = s.add("And", {s.add("GreaterOrEqual", {index, s.number(0, index)}),
                                           s.add("Less", {index, s.cast(s.integers(sizes), DType::f64)})});
  const std::string placed = s.add("Mul", {index, s.cast(s.integers(strides), DType::f64)});
  const std::string part = s.add("Where", {inside, placed, s.cast(s.integers({-rows}), DType::f64)});
  const std::string row = s.add("ReduceSum", {part, s.integers({1})}, {{"keepdims", int64_t{1}}});
  HW_TRY(const std::string y, at_computed_rows(s, {data, updates, row, rows, count, width, false}, op));
  if (!im.bound(n, 1)) say_what_is_left_out(im, n);
  s.give(0, s.reshape(y, dims));
  return s.take();
}

}  // namespace

std::span<const StepsRow> scatter_steps() {
  static constexpr StepsRow kRows[]{
      {"", "Scatter", scatter_elements}, {"", "ScatterElements", scatter_elements}, {"", "ScatterND", scatter_nd}};
  return kRows;
}

}  // namespace hw::interop
