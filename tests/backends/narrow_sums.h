// What an op gives when its sums are kept in a narrow dtype: a fault that the op tests must notice.
#pragma once

#include "op_cases.h"

namespace hw::test {

/// Whether some output of the op adds up more than one term, so that the fault can be planted in it.
bool has_sums(Op op);

/// Output 0 of the case, every partial sum rounded to `narrow`: of ops that are linear in one input, the results for
/// parts of that input, one after the other on `device`; of norms and softmax by formula.
Tensor with_narrow_sums(const CaseProgram& p, Device& device, DType narrow);

}  // namespace hw::test
