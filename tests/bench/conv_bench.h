// Convolution beside the same oneDNN calls alone.
#pragma once

namespace hw::bench {

/// Prints one line a layer: milliseconds of forward, gradient of the input and of the weight in the engine (row-major
/// pictures in and out) and in oneDNN (its own layouts, no reorders, its own threads), f32, medians of `rounds`; then
/// the engine's in bf16.
void print_convolutions(int rounds);

}  // namespace hw::bench
