// Background work: threads that give way to the window. What trains or measures must not make the pointer stick.
#pragma once

#include <functional>

namespace hw::app {

/// The calling thread, and threads that it starts later, yield to all others from now on. Cannot be taken back.
void yield_to_window();

/// Runs `make` on a thread that yields, and waits for it: threads that `make` starts yield as well.
void start_in_background(const std::function<void()>& make);

}  // namespace hw::app
