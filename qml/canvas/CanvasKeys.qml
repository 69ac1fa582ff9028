// Keys of the canvas, when it has the focus. Undo, redo, save and run belong to the window.
import QtQuick
import Halfwire
import Halfwire.Canvas

QtObject {
    id: keys
    required property var canvas
    /// Whether the keyboard, not the mouse, was used last: then the focus shows.
    property bool usedLast: false

    /// By the names of the table in key_table.h; false where it had no effect.
    readonly property var run: ({
        "canvas.add": () => enterOrAdd(),
        "canvas.leave": () => canvas.graph.groups.leave(),
        "canvas.addHere": () => canvas.openSearchAtCursor(),
        "canvas.selectAll": () => canvas.document.selectAll(),
        "canvas.copy": () => canvas.graph.clipboard.copySelection(),
        "canvas.cut": () => canvas.graph.clipboard.cutSelection(),
        "canvas.paste": () => paste(false),
        "canvas.pasteWired": () => paste(true),
        "canvas.duplicate": () => canvas.graph.clipboard.duplicateSelection(),
        "canvas.group": () => canvas.graph.groups.groupSelection(),
        "canvas.ungroup": () => canvas.graph.groups.ungroupSelection(),
        "canvas.frame": () => canvas.graph.frames.frameSelection(),
        "canvas.delete": () => canvas.view.deleteSelected(),
        "canvas.rename": () => rename(),
        "canvas.replace": () => canvas.replaceSelection(),
        "canvas.bypass": () => canvas.graph.edits.toggleBypass(),
        "canvas.collapse": () => canvas.graph.edits.toggleCollapse(),
        "canvas.preview": () => canvas.graph.edits.togglePreview(),
        "canvas.batchBefore": () => canvas.evaluation?.stepBatch(-1),
        "canvas.batchNext": () => canvas.evaluation?.stepBatch(1),
        "canvas.arrange": () => canvas.graph.arrangement.arrange(),
        "canvas.view": () => canvas.graph.edits.viewOutput(canvas.document.activeNode),
        "canvas.left": () => step(-1, 0),
        "canvas.right": () => step(1, 0),
        "canvas.up": () => step(0, -1),
        "canvas.down": () => step(0, 1),
        "canvas.moveLeft": () => canvas.graph.edits.nudgeSelection(-Theme.space2, 0),
        "canvas.moveRight": () => canvas.graph.edits.nudgeSelection(Theme.space2, 0),
        "canvas.moveUp": () => canvas.graph.edits.nudgeSelection(0, -Theme.space2),
        "canvas.moveDown": () => canvas.graph.edits.nudgeSelection(0, Theme.space2),
        "canvas.showAll": () => canvas.view.frameAll(),
        "canvas.showSelection": () => canvas.view.frameSelection(),
        "canvas.zoomIn": () => zoomBy(1.2),
        "canvas.zoomOut": () => zoomBy(1 / 1.2),
        "canvas.zoomReset": () => canvas.view.camera.zoomTo(middle(), 1),
        "canvas.letGo": () => letGo()
    })

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
        if (!canvas.view.cancelGesture() && !canvas.graph.arrangement.cancel() && !canvas.graph.comparison.leave())
            canvas.document.clearSelection();
    }
    function handle(event) {
        const action = KeyBindings.actionOnCanvas(event.key, event.modifiers);
        if (action !== "")
            event.accepted = run[action]() !== false;  // without effect, the key goes on
    }
}
