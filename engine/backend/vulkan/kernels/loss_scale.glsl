// The state of a loss scale: engine/kernels/loss_scale_state.h. No kernels: a family begins with a line
// `include loss_scale.glsl`.

// Places in the state of a loss scale.
const int kScale = 0, kClean = 1, kUpdates = 2, kBadCounts = 3;

bool is_bad_step(uint64_t state, int64_t size) {
  bool bad = false;
  for (int64_t i = int64_t(kBadCounts); i < size; ++i) bad = bad || F64(state, i) > 0.0lf;
  return bad;
}
