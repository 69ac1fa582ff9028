// fold_batch_norm: a batch norm by fixed statistics behind a convolution becomes part of its weights and bias.
#pragma once

#include "engine/passes/program_passes.h"

namespace hw::passes {

/// Folds batch norms into conv2d and, in one group, into the transposed convolution. y = (w * x + b − mean) · s + shift
/// with s = scale / √(variance + epsilon), a number a channel, is (s · w) * x + (b − mean) · s + shift. Only where
/// the convolution has no other reader, where it makes more elements than the weights have, and where weights are f32
/// or f64 and not rounded to a narrower dtype for the product: there, s · w would be rounded once more than declared.
/// Where s · w leaves the range of normal numbers and s · (w * x) does not, the results differ. Source: Jacob et al.
/// 2018, Quantization and Training of Neural Networks, section 3.2; torch.nn.utils.fusion.fuse_conv_bn_eval.
void fold_batch_norm(Program& program, const PassTarget& target, std::vector<PassNote>& notes);

}  // namespace hw::passes
