// Keys of the canvas, when it has the focus. Undo, redo, save and run belong to the window.
import QtQuick

QtObject {
    id: keys
    required property var canvas
    /// Whether the keyboard, not the mouse, was used last: then the focus shows.
    property bool usedLast: false

    readonly property var plain: ({
            [Qt.Key_Tab]: () => canvas.openSearchAtCursor(),
            [Qt.Key_Home]: () => canvas.view.frameAll(),
            [Qt.Key_F]: () => canvas.view.frameSelection(),
            [Qt.Key_Period]: () => canvas.view.frameSelection(),
            [Qt.Key_Delete]: () => canvas.view.deleteSelected(),
            [Qt.Key_Backspace]: () => canvas.view.deleteSelected(),
            [Qt.Key_M]: () => canvas.graph.toggleBypass(),
            [Qt.Key_H]: () => canvas.graph.toggleCollapse(),
            [Qt.Key_V]: () => canvas.graph.viewOutput(canvas.document.activeNode),
            [Qt.Key_Left]: () => step(-1, 0),
            [Qt.Key_Right]: () => step(1, 0),
            [Qt.Key_Up]: () => step(0, -1),
            [Qt.Key_Down]: () => step(0, 1),
            [Qt.Key_Plus]: () => zoomBy(1.2),
            [Qt.Key_Equal]: () => zoomBy(1.2),
            [Qt.Key_Minus]: () => zoomBy(1 / 1.2),
            [Qt.Key_Escape]: () => {
                if (!canvas.view.cancelGesture())
                    canvas.document.clearSelection();
            }
        })
    readonly property var shifted: ({
            [Qt.Key_A]: () => canvas.openSearchAtCursor(),
            [Qt.Key_Left]: () => canvas.graph.nudgeSelection(-8, 0),
            [Qt.Key_Right]: () => canvas.graph.nudgeSelection(8, 0),
            [Qt.Key_Up]: () => canvas.graph.nudgeSelection(0, -8),
            [Qt.Key_Down]: () => canvas.graph.nudgeSelection(0, 8)
        })
    readonly property var controlled: ({
            [Qt.Key_0]: () => canvas.view.camera.zoomTo(middle(), 1),
            [Qt.Key_A]: () => canvas.document.selectAll(),
            [Qt.Key_D]: () => canvas.graph.duplicateSelection(),
            [Qt.Key_C]: () => canvas.graph.copySelection(),
            [Qt.Key_X]: () => canvas.graph.cutSelection(),
            [Qt.Key_V]: () => paste(false)
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
    function paste(withIncoming) {
        const at = canvas.view.camera.toCanvas(canvas.view.cursor);
        canvas.graph.paste(at.x, at.y, withIncoming);
    }
    function handle(event) {
        const control = event.modifiers & Qt.ControlModifier, shift = event.modifiers & Qt.ShiftModifier;
        if (event.modifiers & Qt.AltModifier)
            return;
        if (control && shift && event.key === Qt.Key_V) {
            paste(true);
            event.accepted = true;
            return;
        }
        if (control && shift)
            return;
        const action = (control ? controlled : shift && shifted[event.key] ? shifted : shift ? ({}) : plain)[event.key];
        if (!action)
            return;
        action();
        event.accepted = true;
    }
}
