// libFuzzer on *.safetensors files: the input itself when a header may begin there, else choices for the generator.
#include "tests/fuzz/fuzz_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  hw::fuzz::Choices choices(bytes);
  const bool itself = size > 8 && bytes[8] == '{';
  hw::fuzz::check_weights(itself ? std::string(bytes) : hw::fuzz::make_weights(choices));
  return 0;
}
