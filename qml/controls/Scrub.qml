// A drag sideways over a number: with Shift finely, with Ctrl by round values. Esc takes it back.
import QtQuick
import Halfwire

QtObject {
    id: root
    required property MouseArea area
    /// It has the keys while the drag lasts.
    required property Item field
    /// Whose number it is; null: none's.
    property var document: null
    /// Moved by this many steps since the drag began.
    signal moved(real steps, bool snaps)
    signal started()
    signal finished()
    /// Pressed and released in its place.
    signal clicked()

    property bool dragging: false
    property bool cancelled: false
    property real lastX: 0
    property real steps: 0
    readonly property LentFocus lent: LentFocus { borrower: root.field }
    readonly property Held number: Held {
        target: root.document
        held: root.area.pressed && !root.cancelled
        onLost: root.lose()
    }

    function press(event) {
        lastX = event.x;
        steps = 0;
        dragging = false;
        cancelled = false;
    }
    function move(event) {
        if (!area.pressed || cancelled)
            return;
        if (!dragging) {
            if (Math.abs(event.x - lastX) < Theme.space1)
                return;
            dragging = true;
            lent.take();
            started();
        }
        steps += (event.x - lastX) / (event.modifiers & Qt.ShiftModifier ? 8 : 1);
        lastX = event.x;
        moved(steps, event.modifiers & Qt.ControlModifier);
    }
    function release() {
        if (dragging)
            end();
        else if (!cancelled)
            clicked();
    }
    /// False: there is no drag.
    function cancel(): bool {
        if (!dragging)
            return false;
        moved(0, false);
        end();
        cancelled = true;
        return true;
    }
    function lose() {
        if (!cancel())
            cancelled = true;
    }
    function stop() {
        if (dragging)
            end();
    }
    function end() {
        dragging = false;
        finished();
        lent.giveBack();
    }
}
