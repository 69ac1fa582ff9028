// Elements by their indices.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "app/interop/onnx/rules.h"
#include "engine/core/tensor_rows.h"

namespace hw::interop {
namespace {

/// A constant index into a constant list gives a constant: sizes are computed so.
Status gather(Importer& im, const OnnxNode& n) {
  const Tensor *from = im.constant(n, 0), *index = im.constant(n, 1);
  if (from && index && from->dims().size() == 1 && !info(from->dtype()).is_float) {
    std::vector<int64_t> rows;
    for (const double at : index->to_f64()) {
      rows.push_back(static_cast<int64_t>(at) + (at < 0 ? from->size() : 0));
      if (rows.back() < 0 || rows.back() >= from->size()) return unsupported("an index is outside.");
    }
    im.set(n, 0, rows_of(*from, rows).reshaped(index->dims()));
    return ok();
  }
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const int64_t axis, im.axis(x, n.integer("axis", 0)));
  HW_TRY(const Wire rows, im.in(n, 1));
  HW_TRY(const Wire y, im.add("gather", {{"x", x}, {"index", rows}}, {{"axis", axis}}));
  im.set(n, 0, y);
  return ok();
}

Status gather_elements(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire index, im.in(n, 1));
  HW_TRY(const Wire y, im.add("gather_elements", {{"x", x}, {"index", index}}, {{"axis", n.integer("axis", 0)}}));
  im.set(n, 0, y);
  return ok();
}

/// Index `k` of the tuples, counted from the begin, in f64.
Result<Wire> index_in_tuple(Importer& im, const Wire& tuples, int64_t k, int64_t length, const Wire& size) {
  HW_TRY(Wire at, im.add("slice", {{"x", tuples}}, {{"begin", k}, {"end", k + 1 == length ? int64_t{0} : k + 1}}));
  HW_TRY(at, im.add("squeeze", {{"x", at}}, {{"axes", std::vector<double>{-1}}}));
  HW_TRY(at, im.cast(at, DType::f64));
  HW_TRY(const Wire zero, im.scalar(DType::f64, 0));
  HW_TRY(const Wire below, im.add("compare", {{"a", at}, {"b", zero}}, {{"operation", std::string("less")}}));
  HW_TRY(const Wire from_end, im.add("add", {{"a", at}, {"b", size}}));
  return im.add("where", {{"condition", below}, {"a", from_end}, {"b", at}});
}

/// Tuples that are computed: rows of the flattened axes, whose numbers are computed of them.
Status gather_computed(Importer& im, const OnnxNode& n) {
  HW_TRY(Wire x, im.in(n, 0));
  HW_TRY(const Wire tuples, im.in(n, 1));
  HW_TRY(const SizedDims dims, im.sized_dims(x));
  HW_TRY(const Dims at, im.open_dims(tuples));
  const int64_t length = at.empty() ? 0 : at.back();
  if (length < 1 || static_cast<size_t>(length) > dims.here.size()) return unsupported("its indices are no tuples.");
  if (n.integer("batch_dims", 0) != 0) return unsupported("its indices are computed, for each of a batch.");
  std::optional<Wire> row;
  for (int64_t k = 0; k < length; ++k) {
    const auto d = static_cast<size_t>(k);
    const auto number = [](int64_t size) { return Tensor::from_f64(DType::f64, {}, {{static_cast<double>(size)}}); };
    HW_TRY(const Wire size, im.wire_of(Sized{number(dims.here[d]), number(dims.other[d])}));
    HW_TRY(Wire index, index_in_tuple(im, tuples, k, length, size));
    if (row) {
      HW_TRY(const Wire before, im.add("mul", {{"a", *row}, {"b", size}}));
      HW_TRY(index, im.add("add", {{"a", before}, {"b", index}}));
    }
    row = index;
  }
  if (length > 1) {
    HW_TRY(x, im.add("flatten", {{"x", x}}, {{"first", int64_t{0}}, {"last", length - 1}}));
  }
  HW_TRY(const Wire rows, im.cast(*row, DType::i64));
  HW_TRY(const Wire y, im.add("gather", {{"x", x}, {"index", rows}}, {{"axis", int64_t{0}}}));
  im.set(n, 0, y);
  return ok();
}

/// Tuples of constant indices are rows of the flattened axes.
Status gather_nd(Importer& im, const OnnxNode& n) {
  const Tensor* index = im.bound(n, 1);
  HW_TRY(const Dims open, im.open_dims(n, 0));
  if (!index || std::ranges::count(open, -1) > 0) return gather_computed(im, n);
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Dims dims, im.dims(x));
  const auto batch = static_cast<size_t>(n.integer("batch_dims", 0));
  const Dims at = index->dims();
  if (at.empty() || at.back() < 1 || n.integer("batch_dims", 0) < 0) return unsupported("its indices are no tuples.");
  const auto tuple = static_cast<size_t>(at.back());
  if (batch + tuple > dims.size()) return unsupported("its tuples are longer than the axes.");
  int64_t batches = 1, rows = 1, rest = 1;
  for (size_t d = 0; d < dims.size(); ++d) (d < batch ? batches : d < batch + tuple ? rows : rest) *= dims[d];
  const std::vector<double> numbers = index->to_f64();
  const int64_t each = index->size() / static_cast<int64_t>(tuple) / batches;
  std::vector<double> flat;
  for (int64_t i = 0; i < batches * each; ++i) {
    int64_t row = 0;
    for (size_t k = 0; k < tuple; ++k) {
      const int64_t size = dims[batch + k];
      auto value = static_cast<int64_t>(numbers[static_cast<size_t>(i) * tuple + k]);
      if (value < 0) value += size;
      if (value < 0 || value >= size) return unsupported("an index is outside.");
      row = row * size + value;
    }
    flat.push_back(static_cast<double>(i / each * rows + row));
  }
  Dims sizes(at.begin(), at.end() - 1);
  sizes.insert(sizes.end(), dims.begin() + static_cast<std::ptrdiff_t>(batch + tuple), dims.end());
  HW_TRY(const Wire table,
         im.add("reshape", {{"x", x}},
                {{"shape", std::vector<double>{static_cast<double>(batches * rows), static_cast<double>(rest)}}}));
  HW_TRY(const Wire which, im.constant_wire(Tensor::from_f64(DType::i64, {static_cast<int64_t>(flat.size())}, flat)));
  HW_TRY(const Wire taken, im.add("gather", {{"x", table}, {"index", which}}, {{"axis", int64_t{0}}}));
  HW_TRY(const Wire y, im.add("reshape", {{"x", taken}}, {{"shape", std::vector<double>(sizes.begin(), sizes.end())}}));
  im.set(n, 0, y);
  return ok();
}

/// Constants alone are computed here: masks are made so. Later tuples overwrite earlier ones.
Status scatter_nd(Importer& im, const OnnxNode& n) {
  const Tensor *data = im.constant(n, 0), *index = im.constant(n, 1), *updates = im.constant(n, 2);
  if (!data || !index || !updates) return unsupported("its data, indices or updates are not constant.");
  if (n.text("reduction", "none") != "none") return unsupported("it adds up what lands on one element.");
  const Dims &dims = data->dims(), &at = index->dims();
  if (at.empty() || at.back() < 1 || static_cast<size_t>(at.back()) > dims.size())
    return unsupported("its indices are no tuples of its data.");
  const auto tuple = static_cast<size_t>(at.back());
  Dims wanted(at.begin(), at.end() - 1);
  wanted.insert(wanted.end(), dims.begin() + static_cast<std::ptrdiff_t>(tuple), dims.end());
  if (updates->dims() != wanted || updates->dtype() != data->dtype()) return unsupported("its updates do not fit.");
  const int64_t count = element_count({at.begin(), at.end() - 1});
  const size_t part = count == 0 ? 0 : updates->bytes() / static_cast<size_t>(count);
  const Tensor places = index->to(DType::i64);
  Tensor made = data->clone();
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = 0;
    for (size_t k = 0; k < tuple; ++k) {
      int64_t place = places.as<int64_t>()[i * at.back() + static_cast<int64_t>(k)];
      if (place < 0) place += dims[k];
      if (place < 0 || place >= dims[k]) return unsupported("an index is outside.");
      row = row * dims[k] + place;
    }
    std::memcpy(made.as<char>() + static_cast<size_t>(row) * part, updates->as<char>() + static_cast<size_t>(i) * part,
                part);
  }
  im.set(n, 0, std::move(made));
  return ok();
}

/// values[0] where it is off, values[1] where it is on; indices from −depth on count from the end.
Status one_hot(Importer& im, const OnnxNode& n) {
  const Tensor* values = im.bound(n, 2);
  HW_TRY(const auto depth, im.number(n, 1));
  if (!values || values->size() != 2 || !depth) return unsupported("its depth or values are not constant.");
  HW_TRY(const Wire given, im.in(n, 0));
  HW_TRY(const Wire wide, im.cast(given, DType::f64));
  HW_TRY(const int64_t rank, im.rank(given));
  const std::vector<double> ends = values->to_f64();
  HW_TRY(const Wire zero, im.scalar(DType::f64, 0));
  HW_TRY(const Wire size, im.scalar(DType::f64, *depth));
  HW_TRY(const Wire below, im.add("compare", {{"a", wide}, {"b", zero}}, {{"operation", std::string("less")}}));
  HW_TRY(const Wire from_end, im.add("add", {{"a", wide}, {"b", size}}));
  HW_TRY(const Wire places, im.add("where", {{"condition", below}, {"a", from_end}, {"b", wide}}));
  HW_TRY(const Wire index, im.cast(places, DType::i64));
  HW_TRY(Wire y, im.add("one_hot", {{"index", index}},
                        {{"classes", static_cast<int64_t>(*depth)},
                         {"on", ends[1]},
                         {"off", ends[0]},
                         {"dtype", std::string("f64")}}));
  int64_t axis = n.integer("axis", -1);
  if (axis < 0) axis += rank + 1;
  if (axis != rank) {
    std::vector<double> order;
    for (int64_t d = 0; d <= rank; ++d) order.push_back(static_cast<double>(d < axis ? d : d == axis ? rank : d - 1));
    HW_TRY(y, im.add("transpose", {{"x", y}}, {{"axes", order}}));
  }
  HW_TRY(const Wire back, im.cast(y, values->dtype()));
  im.set(n, 0, back);
  return ok();
}

/// 1 for the first largest score of each row, else 0.
Status hardmax(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  if (im.opset() < 13) return unsupported("before opset 13 it flattens.");
  HW_TRY(const Dims dims, im.dims(x));
  HW_TRY(const int64_t axis, im.axis(x, n.integer("axis", -1)));
  HW_TRY(const Wire largest, im.add("argmax", {{"x", x}}, {{"axis", axis}}));
  HW_TRY(Wire y, im.add("one_hot", {{"index", largest}},
                        {{"classes", dims[static_cast<size_t>(axis)]}, {"dtype", std::string(name(given.dtype))}}));
  const auto rank = static_cast<int64_t>(dims.size());
  if (axis != rank - 1) {
    std::vector<double> order;
    for (int64_t d = 0; d < rank; ++d)
      order.push_back(static_cast<double>(d < axis ? d : d == axis ? rank - 1 : d - 1));
    HW_TRY(y, im.add("transpose", {{"x", y}}, {{"axes", order}}));
  }
  im.set(n, 0, y);
  return ok();
}

}  // namespace

std::span<const RuleRow> index_rules() {
  static constexpr RuleRow kRows[]{
      {"Gather", gather},  {"GatherElements", gather_elements}, {"GatherND", gather_nd}, {"Hardmax", hardmax},
      {"OneHot", one_hot}, {"ScatterND", scatter_nd},
  };
  return kRows;
}

}  // namespace hw::interop
