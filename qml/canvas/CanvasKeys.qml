// Keys of the canvas, when it has the focus. Undo, redo, save and run belong to the window.
import QtQuick

QtObject {
    id: keys
    required property var canvas
    /// Whether the keyboard, not the mouse, was used last: then the focus shows.
    property bool usedLast: false

    /// Every key: {key, modifiers, does: for people, run: false where it had no effect}. The shortcuts sheet shows this list.
    readonly property var list: [
        { key: Qt.Key_Tab, modifiers: 0, does: qsTr("Open the group, or add a node after the selected one"), run: () => enterOrAdd() },
        { key: Qt.Key_Backtab, modifiers: Qt.ShiftModifier, does: qsTr("Leave the group"), run: () => canvas.graph.groups.leave() },
        { key: Qt.Key_A, modifiers: Qt.ShiftModifier, does: qsTr("Add a node at the cursor"), run: () => canvas.openSearchAtCursor() },
        { key: Qt.Key_A, modifiers: Qt.ControlModifier, does: qsTr("Select all"), run: () => canvas.document.selectAll() },
        { key: Qt.Key_C, modifiers: Qt.ControlModifier, does: qsTr("Copy"), run: () => canvas.graph.clipboard.copySelection() },
        { key: Qt.Key_X, modifiers: Qt.ControlModifier, does: qsTr("Cut"), run: () => canvas.graph.clipboard.cutSelection() },
        { key: Qt.Key_V, modifiers: Qt.ControlModifier, does: qsTr("Paste"), run: () => paste(false) },
        { key: Qt.Key_V, modifiers: Qt.ControlModifier | Qt.ShiftModifier, does: qsTr("Paste with the wires into it"), run: () => paste(true) },
        { key: Qt.Key_D, modifiers: Qt.ControlModifier, does: qsTr("Duplicate"), run: () => canvas.graph.clipboard.duplicateSelection() },
        { key: Qt.Key_G, modifiers: Qt.ControlModifier, does: qsTr("Group the selection"), run: () => canvas.graph.groups.groupSelection() },
        { key: Qt.Key_G, modifiers: Qt.ControlModifier | Qt.AltModifier, does: qsTr("Ungroup"), run: () => canvas.graph.groups.ungroupSelection() },
        { key: Qt.Key_J, modifiers: Qt.ControlModifier, does: qsTr("Put a frame around the selection"), run: () => canvas.graph.frames.frameSelection() },
        { key: Qt.Key_Delete, modifiers: 0, does: qsTr("Delete the selection"), run: () => canvas.view.deleteSelected() },
        { key: Qt.Key_Backspace, modifiers: 0, does: qsTr("Delete the selection"), run: () => canvas.view.deleteSelected() },
        { key: Qt.Key_F2, modifiers: 0, does: qsTr("Rename"), run: () => rename() },
        { key: Qt.Key_M, modifiers: 0, does: qsTr("Bypass"), run: () => canvas.graph.edits.toggleBypass() },
        { key: Qt.Key_H, modifiers: 0, does: qsTr("Collapse"), run: () => canvas.graph.edits.toggleCollapse() },
        { key: Qt.Key_P, modifiers: 0, does: qsTr("Show or hide previews on the selection"), run: () => canvas.graph.edits.togglePreview() },
        { key: Qt.Key_BracketLeft, modifiers: 0, does: qsTr("Evaluate the batch before"), run: () => canvas.evaluation?.stepBatch(-1) },
        { key: Qt.Key_BracketRight, modifiers: 0, does: qsTr("Evaluate the next batch"), run: () => canvas.evaluation?.stepBatch(1) },
        { key: Qt.Key_L, modifiers: 0, does: qsTr("Arrange the selection, or all"), run: () => canvas.graph.arrangement.arrange() },
        { key: Qt.Key_V, modifiers: 0, does: qsTr("View the output"), run: () => canvas.graph.edits.viewOutput(canvas.document.activeNode) },
        { key: Qt.Key_Left, modifiers: 0, does: qsTr("Select the node to the left"), run: () => step(-1, 0) },
        { key: Qt.Key_Right, modifiers: 0, does: qsTr("Select the node to the right"), run: () => step(1, 0) },
        { key: Qt.Key_Up, modifiers: 0, does: qsTr("Select the node above"), run: () => step(0, -1) },
        { key: Qt.Key_Down, modifiers: 0, does: qsTr("Select the node below"), run: () => step(0, 1) },
        { key: Qt.Key_Left, modifiers: Qt.ShiftModifier, does: qsTr("Move the selection left"), run: () => canvas.graph.edits.nudgeSelection(-8, 0) },
        { key: Qt.Key_Right, modifiers: Qt.ShiftModifier, does: qsTr("Move the selection right"), run: () => canvas.graph.edits.nudgeSelection(8, 0) },
        { key: Qt.Key_Up, modifiers: Qt.ShiftModifier, does: qsTr("Move the selection up"), run: () => canvas.graph.edits.nudgeSelection(0, -8) },
        { key: Qt.Key_Down, modifiers: Qt.ShiftModifier, does: qsTr("Move the selection down"), run: () => canvas.graph.edits.nudgeSelection(0, 8) },
        { key: Qt.Key_Home, modifiers: 0, does: qsTr("Show everything"), run: () => canvas.view.frameAll() },
        { key: Qt.Key_F, modifiers: 0, does: qsTr("Show the selection"), run: () => canvas.view.frameSelection() },
        { key: Qt.Key_Period, modifiers: 0, does: qsTr("Show the selection"), run: () => canvas.view.frameSelection() },
        { key: Qt.Key_Plus, modifiers: 0, does: qsTr("Zoom in"), run: () => zoomBy(1.2) },
        { key: Qt.Key_Equal, modifiers: 0, does: qsTr("Zoom in"), run: () => zoomBy(1.2) },
        { key: Qt.Key_Minus, modifiers: 0, does: qsTr("Zoom out"), run: () => zoomBy(1 / 1.2) },
        { key: Qt.Key_0, modifiers: Qt.ControlModifier, does: qsTr("Zoom to 100 %"), run: () => canvas.view.camera.zoomTo(middle(), 1) },
        { key: Qt.Key_Escape, modifiers: 0, does: qsTr("Let go, or select nothing"), run: () => letGo() }
    ]
    /// What is written on the keys of an entry.
    function text(entry): string {
        const names = {
            [Qt.Key_Tab]: qsTr("Tab"), [Qt.Key_Backtab]: qsTr("Tab"), [Qt.Key_Delete]: qsTr("Del"), [Qt.Key_Backspace]: qsTr("Backspace"),
            [Qt.Key_Left]: "←", [Qt.Key_Right]: "→", [Qt.Key_Up]: "↑", [Qt.Key_Down]: "↓",
            [Qt.Key_F2]: "F2", [Qt.Key_Home]: qsTr("Home"), [Qt.Key_Escape]: qsTr("Esc")
        };
        return (entry.modifiers & Qt.ControlModifier ? "Ctrl+" : "") + (entry.modifiers & Qt.ShiftModifier ? "Shift+" : "")
            + (entry.modifiers & Qt.AltModifier ? "Alt+" : "")
            + (names[entry.key] ?? String.fromCharCode(entry.key));
    }

    function middle() {
        return Qt.point(canvas.width / 2, canvas.height / 2);
    }
    function zoomBy(factor) {
        canvas.view.camera.zoomAbout(middle(), factor);
    }
    function step(dx, dy) {
        usedLast = true;
        canvas.view.step(dx, dy);
    }
    function enterOrAdd() {
        if (canvas.document.activeNode !== "" && canvas.graph.groups.enter(canvas.document.activeNode))
            return;
        if (!canvas.openSearchAfter())
            canvas.openSearchAtCursor();
    }
    function rename() {
        const frame = canvas.graph.frames.selectedOne();
        if (frame === "")
            return canvas.rename(canvas.document.activeNode);
        canvas.view.frames.edit(frame, false);
    }
    function paste(withIncoming) {
        const at = canvas.view.camera.toCanvas(canvas.view.cursor);
        canvas.graph.clipboard.paste(at.x, at.y, withIncoming);
    }
    function letGo() {
        if (!canvas.view.cancelGesture() && !canvas.graph.arrangement.cancel())
            canvas.document.clearSelection();
    }
    function handle(event) {
        // On many keyboards + is there with Shift alone.
        const shift = event.key === Qt.Key_Plus ? 0 : Qt.ShiftModifier;
        const held = event.modifiers & (Qt.ControlModifier | shift | Qt.AltModifier);
        const entry = list.find(e => e.key === event.key && e.modifiers === held);
        if (!entry)
            return;
        event.accepted = entry.run() !== false;  // without effect, the key goes on
    }
}
