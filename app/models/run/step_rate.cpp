#include "app/models/run/step_rate.h"

namespace hw::app {
namespace {

constexpr int kRateEveryMs = 1000;
constexpr double kNewest = 0.4;  // the share of the last measurement

}  // namespace

void StepRate::take(const RunSnapshot& snapshot) {
  if (snapshot.state != RunState::running || snapshot.step < step_) {
    perSecond_ = 0;
    step_ = snapshot.step;
    age_.restart();
    return;
  }
  if (age_.elapsed() < kRateEveryMs) return;
  const double now = static_cast<double>(snapshot.step - step_) * 1000 / static_cast<double>(age_.restart());
  perSecond_ = perSecond_ > 0 ? (1 - kNewest) * perSecond_ + kNewest * now : now;
  step_ = snapshot.step;
}

}  // namespace hw::app
