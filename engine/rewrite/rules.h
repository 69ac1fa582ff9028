// The rewrite rules, one file each.
#pragma once

#include "engine/rewrite/rewrite.h"

namespace hw::rewrites {

extern const RewriteRule fold_batch_norm, merge_convs, linear_to_conv, conv_to_linear, remove_dropout, mixed_precision;

}  // namespace hw::rewrites
