#include "engine/program/op_sources.h"

#include <algorithm>

#include "engine/core/sizes.h"
#include "engine/program/op_spec.h"
#include "engine/program/random_ops.h"

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

namespace sources {

void not_described(SourcesCall&) {}

void elementwise(SourcesCall& c) {
  const Indices place = place_of(c.index, c.out_dims());
  for (size_t k = 0; k < c.sources.size(); ++k) c.sources[k] = known({stretched(place, c.out_dims(), c.dims(k))});
}

void in_place(SourcesCall& c) {
  for (size_t k = 0; k < c.sources.size(); ++k) {
    const int64_t count = element_count(c.dims(k));
    if (count == element_count(c.dims(0))) c.sources[k] = known({c.index});
    if (count == 1) c.sources[k] = known({0});
  }
}

void reshape(SourcesCall& c) {
  c.sources[0] = known({c.index});
}

void transpose(SourcesCall& c) {
  const auto& order = std::get<PermuteAttr>(c.instr.attr).order;
  const Indices place = place_of(c.index, c.out_dims());
  Indices from(place.size());
  for (size_t d = 0; d < place.size(); ++d) from[static_cast<size_t>(order[d])] = place[d];
  c.sources[0] = known({flat(from, c.dims(0))});
}

void slice(SourcesCall& c) {
  const AxisAttr& a = std::get<AxisAttr>(c.instr.attr);
  Indices from = place_of(c.index, c.out_dims());
  from[static_cast<size_t>(a.axis)] += a.begin;
  c.sources[0] = known({flat(from, c.dims(0))});
}

void matmul(SourcesCall& c) {
  const int64_t inner = c.dims(0).back(), columns = c.out_dims().back(), row = c.index / columns,
                column = c.index % columns;
  const bool transposed = std::get<MatmulAttr>(c.instr.attr).transpose_b;
  c.sources[0] = known(strided(row * inner, inner, 1));
  c.sources[1] = known(transposed ? strided(column * inner, inner, 1) : strided(column, inner, columns));
  if (c.sources.size() > 2) c.sources[2] = known({column});
}

void matmul_tn(SourcesCall& c) {
  const int64_t m = c.dims(0).back(), n = c.dims(1).back(), rows = m ? element_count(c.dims(0)) / m : 0;
  c.sources[0] = known(strided(c.index / n, rows, m));
  c.sources[1] = known(strided(c.index % n, rows, n));
}

void fold(SourcesCall& c) {
  c.sources[0] = known(folded(c.index, c.out_dims(), c.dims(0)));
}

void softmax(SourcesCall& c) {
  const int axis = std::get<SoftmaxAttr>(c.instr.attr).axis;
  const Indices place = place_of(c.index, c.out_dims());
  for (size_t k = 0; k < c.sources.size(); ++k) c.sources[k] = known(along(place, axis, c.dims(k)));
}

}  // namespace sources

bool is_elementwise(Op op) {
  return spec(op).sources == sources::elementwise;
}

bool is_pointwise(const Program& p, const Instr& instr) {
  if (!is_elementwise(instr.op) || instr.op == Op::affine || instr.op == Op::broadcast_to ||
      random_stream(instr.attr) || instr.out.size() != 1)
    return false;
  const Dims& dims = p[instr.out[0]].dims;
  return std::ranges::all_of(instr.in, [&](ValueId v) { return p[v].dims == dims || element_count(p[v].dims) == 1; });
}

std::vector<ElementSources> sources_of(const Program& p, const Instr& instr, size_t out, int64_t index) {
  SourcesCall call{p, instr, out, index};
  spec(instr.op).sources(call);
  return std::move(call.sources);
}

bool reads_single_elements(const std::vector<ElementSources>& sources) {
  return std::all_of(sources.begin(), sources.end(),
                     [](const ElementSources& s) { return s.known && s.indices.size() == 1; });
}

}  // namespace hw
