// HW_BODY marks a scalar body: usable on every device and always inlined, so that a copy built for one instruction set
// is never linked into code that must run on a lesser one.
#pragma once

#include "engine/core/compat.h"

#if defined(__GNUC__) && !defined(__CUDACC__)
#define HW_BODY HW_HD inline __attribute__((always_inline))
#else
#define HW_BODY HW_HD inline
#endif
