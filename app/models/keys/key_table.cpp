#include "app/models/keys/key_table.h"

#include <algorithm>
#include <deque>
#include <string>

#include "app/checks.h"

namespace hw::app {
namespace {

constexpr const char* kFile = "File";
constexpr const char* kEdit = "Edit";
constexpr const char* kRun = "Run";
constexpr const char* kWindow = "Window";
constexpr const char* kCanvas = "Canvas";
constexpr const char* kViewport = "Viewport";
constexpr KeyScope kOnCanvas = KeyScope::canvas;
constexpr KeyScope kInView = KeyScope::viewport;

const KeyRow kRows[] = {
    {"canvas.add", kCanvas, "Open the group, or add a node after the selected one", kOnCanvas, "Tab"},
    {"canvas.leave", kCanvas, "Leave the group", kOnCanvas, "Shift+Tab"},
    {"canvas.addHere", kCanvas, "Add a node at the cursor", kOnCanvas, "Shift+A"},
    {"canvas.selectAll", kCanvas, "Select all", kOnCanvas, "Ctrl+A"},
    {"canvas.copy", kCanvas, "Copy", kOnCanvas, "Ctrl+C"},
    {"canvas.cut", kCanvas, "Cut", kOnCanvas, "Ctrl+X"},
    {"canvas.paste", kCanvas, "Paste", kOnCanvas, "Ctrl+V"},
    {"canvas.pasteWired", kCanvas, "Paste with the wires into it", kOnCanvas, "Ctrl+Shift+V"},
    {"canvas.duplicate", kCanvas, "Duplicate", kOnCanvas, "Ctrl+D"},
    {"canvas.group", kCanvas, "Group the selection", kOnCanvas, "Ctrl+G"},
    {"canvas.ungroup", kCanvas, "Ungroup", kOnCanvas, "Ctrl+Alt+G"},
    {"canvas.frame", kCanvas, "Put a frame around the selection", kOnCanvas, "Ctrl+J"},
    {"canvas.delete", kCanvas, "Delete the selection", kOnCanvas, "Del; Backspace"},
    {"canvas.rename", kCanvas, "Rename", kOnCanvas, "F2"},
    {"canvas.replace", kCanvas, "Replace the selection", kOnCanvas, "Shift+S"},
    {"canvas.bypass", kCanvas, "Bypass", kOnCanvas, "M"},
    {"canvas.collapse", kCanvas, "Collapse", kOnCanvas, "H"},
    {"canvas.preview", kCanvas, "Show or hide previews on the selection", kOnCanvas, "P"},
    {"canvas.batchBefore", kCanvas, "Evaluate the batch before", kOnCanvas, "["},
    {"canvas.batchNext", kCanvas, "Evaluate the next batch", kOnCanvas, "]"},
    {"canvas.arrange", kCanvas, "Arrange the selection, or all", kOnCanvas, "L"},
    {"canvas.view", kCanvas, "View the output", kOnCanvas, "V"},
    {"canvas.left", kCanvas, "Select the node to the left", kOnCanvas, "Left"},
    {"canvas.right", kCanvas, "Select the node to the right", kOnCanvas, "Right"},
    {"canvas.up", kCanvas, "Select the node above", kOnCanvas, "Up"},
    {"canvas.down", kCanvas, "Select the node below", kOnCanvas, "Down"},
    {"canvas.moveLeft", kCanvas, "Move the selection left", kOnCanvas, "Shift+Left"},
    {"canvas.moveRight", kCanvas, "Move the selection right", kOnCanvas, "Shift+Right"},
    {"canvas.moveUp", kCanvas, "Move the selection up", kOnCanvas, "Shift+Up"},
    {"canvas.moveDown", kCanvas, "Move the selection down", kOnCanvas, "Shift+Down"},
    {"canvas.showAll", kCanvas, "Show everything", kOnCanvas, "Home"},
    {"canvas.showSelection", kCanvas, "Show the selection", kOnCanvas, "F; ."},
    {"canvas.zoomIn", kCanvas, "Zoom in", kOnCanvas, "+; ="},
    {"canvas.zoomOut", kCanvas, "Zoom out", kOnCanvas, "-"},
    {"canvas.zoomReset", kCanvas, "Zoom to 100 %", kOnCanvas, "Ctrl+0"},
    {"canvas.letGo", kCanvas, "Let go, or select nothing", kOnCanvas, "Esc"},

    {"file.new", kFile, "New", {}, "Ctrl+N"},
    {"file.open", kFile, "Open…", {}, "Ctrl+O"},
    {"file.save", kFile, "Save", {}, "Ctrl+S"},
    {"file.saveAs", kFile, "Save As…", {}, "Ctrl+Shift+S"},
    {"file.exportOnnx", kFile, "Export ONNX…", {}, "Ctrl+Alt+E"},
    {"file.exportBaked", kFile, "Export Baked Mesh…", {}, "Ctrl+Shift+E"},
    {"file.close", kFile, "Close", {}, "Ctrl+W"},
    {"file.next", kFile, "Next Document", {}, "Ctrl+Tab"},
    {"file.previous", kFile, "Previous Document", {}, "Ctrl+Shift+Tab"},
    {"file.compareWith", kFile, "Compare With a File…"},
    {"file.compareSaved", kFile, "Compare With the Saved Version"},
    {"file.quit", kFile, "Quit", {}, "Ctrl+Q"},

    {"edit.undo", kEdit, "Undo", {}, "Ctrl+Z"},
    {"edit.redo", kEdit, "Redo", {}, "Ctrl+Shift+Z; Ctrl+Y"},
    {"edit.find", kEdit, "Find in Graph…", {}, "Ctrl+F"},
    {"edit.rewrite", kEdit, "Rewrite…"},
    {"compare.next", kEdit, "Next Difference", {}, "F7"},
    {"compare.previous", kEdit, "Previous Difference", {}, "Shift+F7"},

    {"run.run", kRun, "Run", {}, "Ctrl+Return"},
    {"run.pause", kRun, "Pause"},
    {"run.step", kRun, "One Step"},
    {"run.stop", kRun, "Stop", {}, "Ctrl+Alt+Return"},
    {"run.evaluate", kRun, "Evaluate", {}, "Ctrl+Shift+Return"},
    {"run.saveCheckpoint", kRun, "Save Checkpoint…"},
    {"run.resumeFrom", kRun, "Resume from Checkpoint…"},
    {"run.loadWeights", kRun, "Load Weights…"},
    {"run.restart", kRun, "Forget Weights…"},
    {"run.tryPrecision", kRun, "Try Precision Here…", {}, "Ctrl+Alt+T"},
    {"run.planPrecision", kRun, "Plan Precision…", {}, "Ctrl+Alt+P"},
    {"run.nextProblem", kRun, "Next Problem", {}, "F8"},
    {"run.previousProblem", kRun, "Previous Problem", {}, "Shift+F8"},
    {"run.copyCommand", kRun, "Copy as Command Line"},

    {"view.heatMap", kWindow, "Heat Map", {}, "Ctrl+H"},
    {"window.nextPanel", kWindow, "Next Panel", {}, "F6"},
    {"window.previousPanel", kWindow, "Previous Panel", {}, "Shift+F6"},
    {"help.shortcuts", kWindow, "Keyboard Shortcuts", {}, "F1; ?"},
    {"help.dtypes", kWindow, "Number Formats"},
    {"help.report", kWindow, "Report a Problem…"},
    {"help.about", kWindow, "About Halfwire"},

    {"viewport.picture", kViewport, "Save the picture", {}, "Ctrl+Shift+P"},
    {"viewport.frame", kViewport, "Frame the mesh", kInView, "Home; F"},
    {"viewport.field", kViewport, "Show the field", kInView, "1"},
    {"viewport.wireframe", kViewport, "Show the wireframe", kInView, "2"},
    {"viewport.normals", kViewport, "Show normals", kInView, "3"},
    {"viewport.uv", kViewport, "Show texture coordinates", kInView, "4"},
    {"viewport.checker", kViewport, "Show a checker", kInView, "5"},
    {"viewport.texture", kViewport, "Show the mesh's own texture", kInView, "6"},
};

/// The rows above, and those of the checks behind the last of Run.
std::vector<KeyRow> with_checks() {
  static std::deque<std::string> ids;  // that rows point to
  std::vector<KeyRow> rows(std::begin(kRows), std::end(kRows));
  const auto end =
      std::ranges::find_if(rows.rbegin(), rows.rend(), [](const KeyRow& row) { return row.group == kRun; });
  std::vector<KeyRow> checks;
  for (const CheckInfo* check : kChecks) {
    ids.push_back("check." + std::string(check->key));
    checks.push_back({ids.back().c_str(), kRun, check->action, {}, check->shortcut});
  }
  rows.insert(end.base(), checks.begin(), checks.end());
  return rows;
}

}  // namespace

const std::vector<KeyRow>& key_table() {
  static const std::vector<KeyRow> rows = with_checks();
  return rows;
}

const KeyRow* find_key_row(std::string_view id) {
  const auto row = std::ranges::find(key_table(), id, &KeyRow::id);
  return row == key_table().end() ? nullptr : &*row;
}

}  // namespace hw::app
