// The life of a viewport in real windows, run in a process of its own so that the layer's log holds it alone.
#pragma once

namespace hw::viewport::test {

/// Start, field updates, mouse, a storm of resizes, a second window, destruction while busy, close.
/// Returns the number of expectations that failed; prints each, and the longest sync phase.
int run_life(int argc, char** argv, bool plant_violation);

/// Compares the window's pixels with the headless renderer's. Returns the number of pixels that differ.
int run_exact(int argc, char** argv);

}  // namespace hw::viewport::test
