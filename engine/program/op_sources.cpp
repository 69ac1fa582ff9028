#include "engine/program/op_sources.h"

#include <algorithm>

#include "engine/program/elementwise.h"

namespace hw {
namespace {

using Indices = std::vector<int64_t>;

Indices place_of(int64_t index, const Dims& dims) {
  Indices place(dims.size());
  for (size_t d = dims.size(); d-- > 0; index /= dims[d]) place[d] = index % dims[d];
  return place;
}

int64_t flat(const Indices& place, const Dims& dims) {
  int64_t index = 0;
  for (size_t d = 0; d < dims.size(); ++d) index = index * dims[d] + place[d];
  return index;
}

/// The element of a tensor of `from` sizes that stretches to `place` of sizes `to`.
int64_t stretched(const Indices& place, const Dims& to, const Dims& from) {
  int64_t index = 0;
  for (size_t d = 0; d < from.size(); ++d)
    index = index * from[d] + (from[d] == 1 ? 0 : place[d + to.size() - from.size()]);
  return index;
}

/// All elements of a tensor of `from` sizes that a sum down to `to` adds into `index`.
Indices folded(int64_t index, const Dims& to, const Dims& from) {
  Indices all;
  for (int64_t i = 0; i < element_count(from); ++i)
    if (stretched(place_of(i, from), from, to) == index) all.push_back(i);
  return all;
}

/// The run along `axis` through `place`.
Indices along(Indices place, int axis, const Dims& dims) {
  Indices all;
  for (int64_t i = 0; i < dims[static_cast<size_t>(axis)]; ++i) {
    place[static_cast<size_t>(axis)] = i;
    all.push_back(flat(place, dims));
  }
  return all;
}

Indices strided(int64_t first, int64_t count, int64_t stride) {
  Indices all;
  for (int64_t i = 0; i < count; ++i) all.push_back(first + i * stride);
  return all;
}

ElementSources known(Indices indices) {
  return {true, std::move(indices)};
}

}  // namespace

std::vector<ElementSources> sources_of(const Program& p, const Instr& instr, size_t out, int64_t index) {
  std::vector<ElementSources> s(instr.in.size());
  const auto dims = [&](size_t k) -> const Dims& { return p[instr.in[k]].dims; };
  if (instr.out.empty()) {
    for (size_t k = 0; k < s.size(); ++k) {
      const int64_t count = element_count(dims(k));
      if (count == element_count(dims(0))) s[k] = known({index});
      if (count == 1) s[k] = known({0});
    }
    return s;
  }
  const Dims& to = p[instr.out[out]].dims;
  const Indices place = place_of(index, to);
  if (is_elementwise(instr.op)) {
    for (size_t k = 0; k < s.size(); ++k) s[k] = known({stretched(place, to, dims(k))});
    return s;
  }
  switch (instr.op) {
    case Op::reshape:
      s[0] = known({index});
      break;
    case Op::transpose: {
      const auto& order = std::get<PermuteAttr>(instr.attr).order;
      Indices from(place.size());
      for (size_t d = 0; d < place.size(); ++d) from[static_cast<size_t>(order[d])] = place[d];
      s[0] = known({flat(from, dims(0))});
      break;
    }
    case Op::slice: {
      const AxisAttr& a = std::get<AxisAttr>(instr.attr);
      Indices from = place;
      from[static_cast<size_t>(a.axis)] += a.begin;
      s[0] = known({flat(from, dims(0))});
      break;
    }
    case Op::matmul: {
      const int64_t inner = dims(0).back(), columns = to.back(), row = index / columns, column = index % columns;
      const bool transposed = std::get<MatmulAttr>(instr.attr).transpose_b;
      s[0] = known(strided(row * inner, inner, 1));
      s[1] = known(transposed ? strided(column * inner, inner, 1) : strided(column, inner, columns));
      if (s.size() > 2) s[2] = known({column});
      break;
    }
    case Op::matmul_tn: {
      const int64_t m = dims(0).back(), n = dims(1).back(), rows = m ? element_count(dims(0)) / m : 0;
      s[0] = known(strided(index / n, rows, m));
      s[1] = known(strided(index % n, rows, n));
      break;
    }
    case Op::sum_to:
    case Op::reduce:
      s[0] = known(folded(index, to, dims(0)));
      break;
    case Op::softmax:
    case Op::softmax_grad:
      for (size_t k = 0; k < s.size(); ++k) s[k] = known(along(place, std::get<SoftmaxAttr>(instr.attr).axis, dims(k)));
      break;
    default:
      break;
  }
  return s;
}

bool is_elementwise(const std::vector<ElementSources>& sources) {
  return std::all_of(sources.begin(), sources.end(),
                     [](const ElementSources& s) { return s.known && s.indices.size() == 1; });
}

}  // namespace hw
