// What the desktop must offer before a window can be shown: a display, Vulkan, the fonts.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "engine/core/result.h"

class QQuickWindow;
class QVulkanInstance;

namespace hw::app {

/// From now on a fatal message of Qt (no display, a broken plugin) ends the program with a plain error, code HW-V001,
/// and exit status 1, instead of an abort.
void report_fatal_messages();

/// The last messages of the program, a line each, oldest first. Any thread.
QString recent_messages();

/// The names of the devices that prepare_vulkan found.
QStringList vulkan_devices();

/// Creates the instance and looks for a device. Error HW-V001.
Status prepare_vulkan(QVulkanInstance& instance);

/// The families that the theme names and this machine lacks, with their packages; empty when all are there.
QString missing_fonts();

/// Builds the scene graph and its graphics device anew. A device keeps the memory of the largest scene it has drawn; a
/// new one has what this scene needs. The window stays on the screen, with its last picture until the next.
void renew_graphics(QQuickWindow& window);

/// From now on large blocks, such as those of a software graphics driver, are mapped by themselves and go back to the
/// system when they are freed. Else the allocator puts them among small ones once some have been freed, and keeps what
/// lies around them. Call it before anything large is allocated.
void map_large_blocks();

/// What was freed goes back to the system, not to the next that asks for memory. Any thread.
void give_memory_back();

/// SIGTERM and SIGINT end the event loop, so that threads, files and the window system are left in order.
void quit_on_signals();

/// Writes an error as the program's last output.
void print_error(const Error& error);

}  // namespace hw::app
