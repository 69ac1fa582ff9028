// The validation layer, kept in the process.
#pragma once

#include <dlfcn.h>

namespace hw::viewport::test {

/// The layer stays loaded until the process ends, so that a sanitizer can tell its leaks from ours by its name.
inline void keep_layer_loaded() {
  ::dlopen("libVkLayer_khronos_validation.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
}

}  // namespace hw::viewport::test
