// What a dtype costs: conversions, and a wide MLP in each precision.
#pragma once

namespace hw::bench {

/// Prints GB/s (bytes read and written, one thread, buffers of 1 MiB, which caches hold) of each pair of
/// floats with f32, medians of `rounds`.
void print_conversions(int rounds);

/// Prints samples a second of training an MLP 256 x 4 (batch 2^14, MSE, SGD) in f32, bf16, f8 and compute dtypes, in
/// turns, their ratio to f32, and oneDNN's time for the f32 products alone beside the f32 step.
void print_wide_mlp(int rounds);

}  // namespace hw::bench
