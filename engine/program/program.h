// Program: what runs. A flat list of primitive ops over typed values, in execution order.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/shape.h"
#include "engine/core/tensor.h"
#include "engine/program/functions.h"
#include "engine/program/image_attrs.h"
#include "engine/program/random_stream.h"
#include "engine/program/source_attrs.h"

namespace hw {

enum class Op : uint16_t {
#define HW_OP(name, ...) name,
#include "engine/program/ops.def"
};

/// A row of ops.def.
struct OpInfo {
  std::string_view name;
  int inputs;  // −1: any number
  int outputs;
};
inline constexpr OpInfo kOps[] = {
#define HW_OP(name, inputs, outputs, ...) {#name, inputs, outputs},
#include "engine/program/ops.def"
};
constexpr const OpInfo& info(Op op) {
  return kOps[static_cast<size_t>(op)];
}
constexpr std::span<const OpInfo> op_table() {
  return kOps;
}
/// How many of its first inputs, all states, the op writes: 0 but for updates.
size_t written_inputs(Op op);

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = ~0u;
/// Whether one of `values` is in `set`.
inline bool any_in(const std::vector<ValueId>& values, const std::set<ValueId>& set) {
  return std::ranges::any_of(values, [&](ValueId v) { return set.contains(v); });
}

/// Where the memory of a value comes from.
enum class Storage : uint8_t {
  temp,      // made by an op, freed after its last use
  input,     // written by the caller before each run
  constant,  // fixed when the program is made
  state,     // lives in States across runs: parameters, masters, optimiser moments
};

/// A typed tensor inside a Program. `name` is "node.socket", "node.param" or "grad(…)"; unique for states and inputs.
struct Value {
  DType dtype = DType::f32;
  Dims dims;
  std::vector<std::string> axes;  // names, as many as dims, or empty
  Storage storage = Storage::temp;
  std::string name;
  int64_t below = 0;  // whole numbers known to lie in [0, below), such as the classes of a data set; 0: not known
};

// ---- attributes, one struct per family of ops --------------------------------------------------------------------

struct ScaleAttr {
  double factor = 1;
};
struct GradientScaleAttr {
  double factor = 1;
  bool unscale = true;  // parameters before it get the factor divided out again
};
struct AffineAttr {
  std::vector<double> scale, offset;  // one per channel of the last axis
};
struct ClampAttr {
  double lo = 0, hi = 1;
};
struct UnaryAttr {
  UnaryFn fn = UnaryFn::exp;
  double a = 0, b = 0;  // see unary.def
};
struct BinaryAttr {
  BinaryFn fn = BinaryFn::div;
  int wrt = 0;  // binary_grad: 0 by a, 1 by b
};
struct CompareAttr {
  CompareFn fn = CompareFn::equal;
};
struct ReduceAttr {
  ReduceFn fn = ReduceFn::max;
  Dims dims;  // of the output
};
struct SoftmaxAttr {
  int axis = 0;
  bool log = false;
};
/// Rounds to nearest, ties to even. `stochastic`, between floats: x between the neighbours lo and hi of its magnitude
/// goes to hi where u < (|x| − lo) / (hi − lo), u drawn as RandomAttr says, so the mean is x to within 2^-24 of the
/// distance. Beyond the largest number ±Inf (f8e4m3: NaN), or ±max where `saturate`.
struct CastAttr {
  DType dtype = DType::f32;
  bool saturate = false;  // out of range, ±Inf too: ±max
  bool stochastic = false;
  RandomStream random = {};  // stochastic
};
struct DropoutAttr {
  double p = 0.5;  // share dropped, 0 ≤ p ≤ 1
  RandomStream random = {};
};
/// `compute`: both factors are rounded to it (nearest even, out of range as CastAttr's) before the product, which
/// accumulates in f32 (f64 for f64); none: the factors' own dtype. tf32 or a float narrower than f32.
struct MatmulAttr {
  bool transpose_b = false;
  bool transpose_a = false;  // batch_matmul only
  std::optional<DType> compute = {};
  DType dtype = DType::f32;  // matmul_tn: of the output
};
struct DimsAttr {
  Dims dims;
  DType dtype = DType::f32;  // of the output, where the op says so
};
struct AxisAttr {
  int axis = 0;
  int64_t begin = 0, end = 0;  // slice, pad
  int64_t size = 0;            // pad, gather_elements_grad: full size of the axis
  double fill = 0;             // pad: what stands around, rounded to the dtype
};
struct PermuteAttr {
  std::vector<int> order;  // a permutation of 0 .. rank − 1
};
/// Element e, counted from Draw::first on, takes word e % 4 of philox_block(seed, stream, step, e / 4), of which the
/// top 24 bits count: u = bits ÷ 2^24.
///   uniform: a + (b − a) · u, in [a, b];
///   normal: mean a, standard deviation b, by Box and Muller (1958) from the words of elements 2i and 2i + 1:
///     r = √(−2 ln(u₁ + 2^-24)), t = 2π u₂; element 2i is a + b r cos t, element 2i + 1 is a + b r sin t.
struct RandomAttr {
  enum class Distribution : uint8_t { uniform, normal } distribution = Distribution::uniform;
  Dims dims;
  DType dtype = DType::f32;
  double a = 0, b = 1;
  RandomStream random = {};
};
/// Multi-resolution hash grid (Müller et al. 2022, tiny-cuda-nn's conventions). The level table is computed once, on
/// the host, by make_hash_grid.
struct HashGridLevel {
  float scale;          // grid coordinates = x · scale + 0.5
  uint32_t resolution;  // R
  uint32_t offset;      // first entry in the table
  uint32_t entries;     // entries of this level
  bool dense;           // R^D ≤ entries: row-major index, else hashed
};
struct HashGridAttr {
  int dims = 3;      // D: 2 or 3
  int features = 2;  // F
  bool smoothstep = false;
  std::vector<HashGridLevel> levels;
  /// f32 or f16: what the table's gradient is stored in, once its sum in f32 is done. f64 beside a gradient in f64.
  DType gradient = DType::f32;
  uint32_t table_entries() const { return levels.empty() ? 0 : levels.back().offset + levels.back().entries; }
};
struct SampleSurfaceAttr {
  std::shared_ptr<const Mesh> mesh;
  int64_t points = 0;
  RandomStream random = {};
};
/// Shared by the optimisers. The learning rate, the step and the seed come with each run (StepInputs). Per element,
/// with p the master, t = step + 1:
///   lr = learning rate · rate_scale; g = grad · unscale; with clipping g *= min(1, clip_norm / (norm + 1e-6)) (as
///   torch.nn.utils.clip_grad_norm_); weight decay: decoupled p *= 1 − lr · weight_decay, else g += weight_decay · p;
///   then the formula of the op's body, engine/kernels/optimisers.h. Then view = p, rounded to the view's dtype.
/// `touched`: a u8 for 16 consecutive elements of the flattened tensor; where it is 0 nothing is read or written. Else
/// elements whose gradient is 0 are left alone, and Adam's t counts an element's own updates (tiny-cuda-nn's rule).
struct UpdateAttr {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;  // SGD: beta1 is the momentum
  bool nesterov = false;                              // SGD
  double rate_scale = 1;
  double weight_decay = 0;
  bool decoupled = false;
  double unscale = 1;        // multiplies the gradient first: the reciprocal of the gradient scale on its path
  double clip_norm = 0;      // 0: no clipping; else the norm input is there
  bool has_touched = false;  // the touched input is there; untouched entries are left alone
  bool guarded = false;  // the loss scale's state is there, see LossScaleAttr: its reciprocal (f64) joins `unscale`,
                         // the norm is that of scaled gradients, t counts updates that happened; a bad step: nothing
  double begun = 0;      // updates before the moments began at 0, which t leaves out
};

/// Loss scaling (Micikevicius et al. 2018; PyTorch's GradScaler). Its state is f64 [3 + n]: the scale, clean steps
/// since it last changed, updates that happened, then the Inf and NaN in each of n gradients of the step.
///   check_finite (state, gradients…): counts them.
///   loss_scale_update (state): after a bad step the scale is multiplied by `backoff`, not below 1; after `interval`
///   clean ones by `growth`, where that stays finite in f32. Not dynamic: the scale stays.
struct LossScaleAttr {
  bool dynamic = true;
  double growth = 2, backoff = 0.5;
  int64_t interval = 2000;
};

/// gradient_norm: √Σᵢ Σ (factors[i] · gᵢ)². Empty: all factors 1. The trainer puts each parameter's `unscale` here, so
/// the norm is that of the true gradients.
struct NormAttr {
  std::vector<double> factors;  // one per input, or empty
};

using Attr =
    std::variant<std::monostate, ScaleAttr, GradientScaleAttr, AffineAttr, ClampAttr, CastAttr, DropoutAttr, MatmulAttr,
                 DimsAttr, AxisAttr, HashGridAttr, SampleSurfaceAttr, SampleImageAttr, SampleRowsAttr, UpdateAttr,
                 NormAttr, ConvAttr, PoolAttr, ResizeAttr, BatchNormAttr, MomentsAttr, GroupNormAttr, UnaryAttr,
                 BinaryAttr, CompareAttr, ReduceAttr, SoftmaxAttr, PermuteAttr, RandomAttr, LossScaleAttr>;

/// One op call. `node` is an index into Program::nodes: the graph node it was lowered from.
struct Instr {
  Op op;
  std::vector<ValueId> in;
  std::vector<ValueId> out;
  Attr attr;
  uint32_t node = 0;
  bool backward = false;  // part of the adjoint
  bool update = false;    // part of the optimiser
};

/// How a state starts.
struct Init {
  enum class Kind : uint8_t { zeros, constant, uniform, normal } kind = Kind::zeros;
  double a = 0;         // constant: the value; uniform: U(−a, a); normal: the standard deviation, mean 0 (RandomAttr)
  uint32_t stream = 0;  // Philox stream, with the run's seed and step 0
};

/// A trainable parameter. `view` is what the forward pass reads, in the storage dtype; `master` is what the optimiser
/// updates (the same value when the dtypes agree).
struct Param {
  std::string name;  // "node.param"
  ValueId view = kNoValue;
  ValueId master = kNoValue;
  Init init;
  bool trainable = true;
};

/// Whether a device may compute neighbouring elementwise ops as one loop, or one kernel.
enum class Regions : uint8_t {
  never,
  unless_looked_at,  // values that need not stay readable are still there where a probe looks at them
  always,            // no probe looks at the program's values
};

/// Named values a caller feeds or reads.
struct Port {
  std::string name;
  ValueId value;
};

struct Program {
  std::vector<Value> values;
  std::vector<Instr> instrs;  // topological order
  std::vector<Param> params;
  std::vector<Port> inputs;   // Storage::input values
  std::vector<Port> outputs;  // values kept readable after a run
  std::vector<std::pair<ValueId, Tensor>> constants;
  std::vector<std::string> nodes;  // node paths; 0 is "" (made by no node)
  /// Beside `nodes`, and as long or shorter: the device that a node's ops run on, by canonical id. Empty or missing:
  /// the device that runs the program.
  std::vector<std::string> devices;
  /// Set by the pass channels_last, and in training: a device may hold values that need not stay readable in layouts of
  /// its own. A probe sees their elements in that order.
  bool any_layout = false;
  /// `always` by the pass elementwise_regions, `unless_looked_at` in training.
  Regions regions = Regions::never;

  const Value& operator[](ValueId id) const { return values[id]; }
};

/// A value's handle while building; cheap to copy. Default: no value.
struct Val {
  ValueId id = kNoValue;
  explicit operator bool() const { return id != kNoValue; }
};

/// FNV-1a of a name, by default a node id: its Philox stream.
uint32_t stream_of(std::string_view name);

/// The level table. `per_level_scale` > 0, `log2_table` in [4, 24], dims 2 or 3.
HashGridAttr make_hash_grid(int dims, int levels, int features, int log2_table, double base_resolution,
                            double per_level_scale, bool smoothstep);

}  // namespace hw
