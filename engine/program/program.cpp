// Program: the op table, streams, the hash grid's level table, and the readable listing.
#include "engine/program/program.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace hw {
namespace {

constexpr std::array kOps{
#define HW_OP(name, inputs, outputs, rowwise, elementwise) OpInfo{#name, inputs, outputs, rowwise != 0},
#include "engine/program/ops.def"
#undef HW_OP
};

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", v);
  return text;
}

std::string text(const RandomStream& r) {
  return " stream=" + std::to_string(r.stream) + (r.seed ? " seed=" + std::to_string(*r.seed) : "") +
         (r.step ? " step=" + std::to_string(*r.step) : "") + (r.parts > 1 ? " parts=" + std::to_string(r.parts) : "");
}

std::string list(const std::vector<double>& values) {
  std::string text;
  for (double v : values) text += (text.empty() ? "" : " ") + number(v);
  return "[" + text + "]";
}

std::string pair(const Pair& p) {
  return std::to_string(p[0]) + "x" + std::to_string(p[1]);
}

struct AttrText {
  std::string operator()(const std::monostate&) const { return ""; }
  std::string operator()(const ScaleAttr& a) const { return "factor=" + number(a.factor); }
  std::string operator()(const GradientScaleAttr& a) const {
    return "factor=" + number(a.factor) + (a.unscale ? " unscale" : "");
  }
  std::string operator()(const AffineAttr& a) const { return "scale=" + list(a.scale) + " offset=" + list(a.offset); }
  std::string operator()(const ClampAttr& a) const { return "lo=" + number(a.lo) + " hi=" + number(a.hi); }
  std::string operator()(const UnaryAttr& a) const {
    const bool plain = a.a == 0 && a.b == 0;
    return std::string(info(a.fn).name) + (plain ? "" : " a=" + number(a.a) + " b=" + number(a.b));
  }
  std::string operator()(const BinaryAttr& a) const {
    return std::string(info(a.fn).name) + (a.wrt == 0 ? "" : " wrt=" + std::to_string(a.wrt));
  }
  std::string operator()(const CompareAttr& a) const { return std::string(info(a.fn).name); }
  std::string operator()(const ReduceAttr& a) const { return std::string(info(a.fn).name) + " " + to_string(a.dims); }
  std::string operator()(const SoftmaxAttr& a) const {
    return "axis=" + std::to_string(a.axis) + (a.log ? " log" : "");
  }
  std::string operator()(const CastAttr& a) const {
    return std::string(name(a.dtype)) + (a.saturate ? " saturate" : "") +
           (a.stochastic ? " stochastic" + text(a.random) : "");
  }
  std::string operator()(const DropoutAttr& a) const { return "p=" + number(a.p) + text(a.random); }
  std::string operator()(const MatmulAttr& a) const {
    return std::string(a.transpose_a ? "transpose_a" : "") + (a.transpose_a && a.transpose_b ? " " : "") +
           (a.transpose_b ? "transpose_b" : "") + (a.compute ? " compute=" + std::string(name(*a.compute)) : "");
  }
  std::string operator()(const DimsAttr& a) const { return to_string(a.dims) + " " + std::string(name(a.dtype)); }
  std::string operator()(const AxisAttr& a) const {
    return "axis=" + std::to_string(a.axis) + " begin=" + std::to_string(a.begin) + " end=" + std::to_string(a.end) +
           " size=" + std::to_string(a.size) + (a.fill != 0 ? " fill=" + number(a.fill) : "");
  }
  std::string operator()(const HashGridAttr& a) const {
    return "dims=" + std::to_string(a.dims) + " features=" + std::to_string(a.features) +
           " levels=" + std::to_string(a.levels.size()) + " entries=" + std::to_string(a.table_entries()) +
           (a.smoothstep ? " smoothstep" : "") +
           (a.gradient == DType::f32 ? "" : " gradient=" + std::string(name(a.gradient)));
  }
  std::string operator()(const SampleSurfaceAttr& a) const {
    return "points=" + std::to_string(a.points) + text(a.random);
  }
  std::string operator()(const SampleImageAttr& a) const {
    return "points=" + std::to_string(a.points) + text(a.random) + (a.linear ? " linear" : "");
  }
  std::string operator()(const SampleRowsAttr& a) const {
    return std::string(a.test ? "test" : "train") + " rows=" + std::to_string(a.rows) +
           (a.shuffle ? " shuffle" + text(a.random) : " first=" + std::to_string(a.first)) + " mean=" + number(a.mean) +
           " std=" + number(a.std);
  }
  std::string operator()(const UpdateAttr& a) const {
    return "beta1=" + number(a.beta1) + " beta2=" + number(a.beta2) + " epsilon=" + number(a.epsilon) +
           " weight_decay=" + number(a.weight_decay) + (a.decoupled ? " decoupled" : "") +
           " unscale=" + number(a.unscale) + " clip_norm=" + number(a.clip_norm) + (a.has_touched ? " touched" : "") +
           (a.guarded ? " guarded" : "");
  }
  std::string operator()(const LossScaleAttr& a) const {
    if (!a.dynamic) return "static";
    return "growth=" + number(a.growth) + " backoff=" + number(a.backoff) + " interval=" + std::to_string(a.interval);
  }
  std::string operator()(const NormAttr& a) const { return "factors=" + list(a.factors); }
  std::string operator()(const ConvAttr& a) const {
    return "stride=" + pair(a.stride) + " pad=" + pair(a.pad_begin) + "+" + pair(a.pad_end) +
           " dilation=" + pair(a.dilation) + " groups=" + std::to_string(a.groups) +
           (a.dims.empty() ? "" : " dims=" + to_string(a.dims) + " " + std::string(name(a.dtype)));
  }
  std::string operator()(const PoolAttr& a) const {
    if (a.adaptive) return "adaptive size=" + pair(a.size);
    return "kernel=" + pair(a.kernel) + " stride=" + pair(a.stride) + " pad=" + pair(a.pad_begin) + "+" +
           pair(a.pad_end) + (a.count_padding ? "" : " inside");
  }
  std::string operator()(const ResizeAttr& a) const {
    return std::string(a.kind == ResizeAttr::Kind::nearest ? "nearest" : "bilinear") + " size=" + pair(a.size) +
           (a.align_corners ? " align_corners" : "");
  }
  std::string operator()(const BatchNormAttr& a) const {
    return "epsilon=" + number(a.epsilon) + (a.batch ? " batch" : " fixed");
  }
  std::string operator()(const MomentsAttr& a) const {
    return "rate=" + number(a.rate) + " variance_factor=" + number(a.variance_factor);
  }
  std::string operator()(const GroupNormAttr& a) const {
    return "group_size=" + std::to_string(a.group_size) + " channels=" + std::to_string(a.channels) +
           " inner=" + std::to_string(a.inner) + " epsilon=" + number(a.epsilon);
  }
  std::string operator()(const PermuteAttr& a) const {
    return "order=" + list(std::vector<double>(a.order.begin(), a.order.end()));
  }
  std::string operator()(const RandomAttr& a) const {
    const bool normal = a.distribution == RandomAttr::Distribution::normal;
    return std::string(normal ? "normal" : "uniform") + " a=" + number(a.a) + " b=" + number(a.b) + " " +
           to_string(a.dims) + " " + std::string(name(a.dtype)) + text(a.random);
  }
};

std::string label(const Program& p, ValueId id) {
  return "%" + std::to_string(id) + (p[id].name.empty() ? "" : ":" + p[id].name);
}

std::string labels(const Program& p, const std::vector<ValueId>& ids) {
  std::string text;
  for (ValueId id : ids) text += (text.empty() ? "" : ", ") + label(p, id);
  return text;
}

}  // namespace

const OpInfo& info(Op op) {
  return kOps[static_cast<size_t>(op)];
}

std::span<const OpInfo> op_table() {
  return kOps;
}

size_t written_inputs(Op op) {
  if (op == Op::adam_update) return 4;
  if (op == Op::sgd_update) return 3;
  if (op == Op::moments_update) return 2;
  return info(op).outputs == 0 ? 1 : 0;
}

uint32_t stream_of(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

HashGridAttr make_hash_grid(int dims, int levels, int features, int log2_table, double base_resolution,
                            double per_level_scale, bool smoothstep) {
  assert((dims == 2 || dims == 3) && levels >= 1 && features >= 1);
  assert(log2_table >= 4 && log2_table <= 24 && base_resolution >= 1 && per_level_scale > 0);
  HashGridAttr grid{dims, features, smoothstep, {}};
  const uint64_t table = uint64_t{1} << log2_table;
  const float log2_scale = std::log2(static_cast<float>(per_level_scale));
  uint32_t offset = 0;
  for (int level = 0; level < levels; ++level) {
    // f32 throughout, as tiny-cuda-nn computes it: a level at a ceil boundary must come out the same.
    const float scale = std::exp2(static_cast<float>(level) * log2_scale) * static_cast<float>(base_resolution) - 1.0f;
    const auto resolution = static_cast<uint32_t>(std::ceil(scale)) + 1;
    const double cells = std::pow(static_cast<double>(resolution), dims);
    const double rounded = std::ceil(cells / 8) * 8;
    const auto entries = static_cast<uint32_t>(std::min(rounded, static_cast<double>(table)));
    grid.levels.push_back({scale, resolution, offset, entries, cells <= entries});
    offset += entries;
  }
  return grid;
}

std::string to_string(const Program& p) {
  std::string text;
  for (const Instr& i : p.instrs) {
    text +=
        labels(p, i.out) + (i.out.empty() ? "" : " = ") + std::string(info(i.op).name) + "(" + labels(p, i.in) + ")";
    const std::string attr = std::visit(AttrText{}, i.attr);
    if (!attr.empty()) text += " {" + attr + "}";
    for (ValueId id : i.out) text += " " + std::string(name(p[id].dtype)) + to_string(p[id].dims);
    if (!p.nodes[i.node].empty()) text += "  # " + p.nodes[i.node];
    if (i.backward) text += " backward";
    if (i.update) text += " update";
    text += "\n";
  }
  return text;
}

}  // namespace hw
