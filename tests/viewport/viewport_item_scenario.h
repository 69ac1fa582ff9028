// The life of a viewport in real windows, run in a process of its own so that the layer's log holds it alone.
#pragma once

namespace hw::viewport::test {

/// Start, field updates, mouse, a storm of resizes, a second window, destruction while busy, close.
/// Returns the number of expectations that failed; prints each, and the longest sync phase.
int run_life(int argc, char** argv, bool plant_violation);

/// Windows one after the other, each with a field that its device computes: HALFWIRE_OPENS of them, or 30, 12
/// under validation. Returns the number of expectations that failed, one of them that memory does not grow.
int run_opens(int argc, char** argv);

/// Compares the window's pixels with the headless renderer's, the field computed by the CPU or the device. Returns the
/// number of rows that differ.
int run_exact(int argc, char** argv, bool on_device);

}  // namespace hw::viewport::test
