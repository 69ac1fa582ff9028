#include "engine/core/exceptions.h"

#include <exception>
#include <new>
#include <stdexcept>

#include "engine/core/codes.h"

namespace hw {

namespace {

/// The Error for the exception that is being handled. May throw std::bad_alloc itself.
Error current_error() {
  const Error no_memory{codes::out_of_memory, "", "there is not enough memory.",
                        "Close other programs, or make batches, layers and tables smaller."};
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return no_memory;
  } catch (const std::length_error&) {  // a container of more elements than can be addressed
    return no_memory;
  } catch (const std::exception& e) {
    return {codes::unsupported, "", "it failed inside: " + std::string(e.what()) + ".",
            "Try another device or other sizes, and report it."};
  } catch (...) {
    return {codes::unsupported, "", "it failed inside, without saying why.",
            "Try another device or other sizes, and report it."};
  }
}

}  // namespace

Error error_of_exception() noexcept {
  try {
    return current_error();
  } catch (...) {
    return {codes::out_of_memory, "", "no memory left.", "Free memory."};  // short enough to need none
  }
}

}  // namespace hw
