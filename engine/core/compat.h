// Words that differ between host and device compilers.
#pragma once

#ifdef __CUDACC__
#define HW_HD __host__ __device__
#else
#define HW_HD
#endif
