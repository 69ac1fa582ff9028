#include "engine/plan/widen_states.h"

namespace hw {

Result<std::shared_ptr<States>> widen_states(Device& device, const Program& program, const Program& twin,
                                             const States& real, bool masters) {
  HW_TRY(std::shared_ptr<States> states, device.prepare_states(twin, nullptr, 0, nullptr));
  for (const Value& v : twin.values)
    if (v.storage == Storage::state) HW_CHECK(states->write(v.name, real.read(v.name).to(v.dtype)));
  for (const Param& param : program.params)
    if (masters) HW_CHECK(states->write(program[param.view].name, states->read(program[param.master].name)));
  return states;
}

}  // namespace hw
