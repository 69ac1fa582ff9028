// Attention and the rotation of its queries and keys, built from ops.
#pragma once

#include "engine/program/builder.h"

namespace hw::attention_ops {

struct Options {
  /// scores are multiplied by it; none: 1 / √D
  std::optional<double> scale = {};
  /// Token i of the queries sees keys 0 to i alone.
  bool causal = false;
  /// bool, broadcasts to the scores [B.., S, T]: true where a key may be seen. Empty: all may.
  Val mask = {};
  /// MatmulAttr::compute of both products.
  std::optional<DType> compute = {};
};

/// softmax(scale · q kᵀ) v: q [B.., S, D], k [B.., T, D], v [B.., T, E] with the same leading axes, at least one, →
/// [B.., S, E]. What a query may not see has the share 0 and a gradient of 0, whatever it is, NaN and Inf too; a query
/// that sees no key at all gives 0. With a mask or `causal` a query that sees NaN or Inf in a key or a value gives NaN
/// in all its channels. Products accumulate and the softmax is taken in f32 (f64).
Val attention(OpBuilder& b, Val q, Val k, Val v, const Options& options);

/// By which angles rotary() turns: pair j of token i, [seq, size / 2] each, in f64.
struct Turns {
  std::vector<double> cosines, sines;
};
Turns turns(int64_t seq, int64_t size, double base);

/// Rotary position embedding (Su et al. 2021) of x [.., seq, D], D even: pair j of token i is turned by the angle
/// i · base^(−2j / D). `interleaved`: a pair is elements 2j and 2j + 1; else j and j + D / 2. Angles are worked out in
/// f64; the rotation is f32 (f64), rounded once.
Val rotary(OpBuilder& b, Val x, double base, bool interleaved);

}  // namespace hw::attention_ops
