// Several lines of text. Ctrl+Enter, and leaving it, commit; Esc gives back what was there. The place that a problem
// names ("Line 2, column 5: ..") is underlined.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.TextArea {
    id: root
    property string committed
    property string problem: ""
    readonly property bool pending: text !== committed
    readonly property int wrongAt: placeOf(problem, text)
    signal typed(string text)
    signal accepted(string text)

    function placeOf(problem, text) {
        const place = /^line (\d+), column (\d+)/i.exec(problem);
        if (!place)
            return -1;
        let at = 0;
        for (let line = 1; line < Number(place[1]); ++line)
            at = text.indexOf("\n", at) + 1;
        return Math.min(at + Number(place[2]) - 1, text.length);
    }
    function commit() {
        if (text !== committed)
            accepted(text);
    }

    implicitHeight: Math.max(4 * metrics.height, contentHeight) + topPadding + bottomPadding
    padding: Theme.space2
    text: committed
    color: enabled ? Theme.text : Theme.textFaint
    selectionColor: Theme.accentDim
    selectedTextColor: Theme.text
    font.family: Theme.mono
    font.pixelSize: Theme.sizeBody
    wrapMode: TextEdit.Wrap
    selectByMouse: true
    hoverEnabled: true

    onCommittedChanged: if (text !== committed) text = committed
    onTextChanged: if (activeFocus) typed(text)
    onActiveFocusChanged: if (!activeFocus) commit()
    Keys.onShortcutOverride: event =>
        event.accepted = event.key === Qt.Key_Escape
            || event.modifiers & Qt.ControlModifier && (event.key === Qt.Key_Return || event.key === Qt.Key_Enter)
    Keys.onPressed: event => {
        if (event.modifiers & Qt.ControlModifier && (event.key === Qt.Key_Return || event.key === Qt.Key_Enter)) {
            commit();
            event.accepted = true;
        }
    }
    Keys.onTabPressed: nextItemInFocusChain().forceActiveFocus(Qt.TabFocusReason)
    Keys.onBacktabPressed: nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
    Keys.onEscapePressed: {
        text = committed;
        typed(text);
    }

    background: Rectangle {
        color: Theme.input
        radius: Theme.radius
        border.width: root.activeFocus ? Theme.focusRing : 1
        border.color: root.problem !== "" ? Theme.error : root.activeFocus ? Theme.focus
            : root.hovered ? Theme.lineStrong : Theme.line
    }
    FontMetrics {
        id: metrics
        font: root.font
    }
    Rectangle {
        readonly property rect at: root.wrongAt >= 0 && root.width > 0 && root.contentHeight > 0
            ? root.positionToRectangle(root.wrongAt) : Qt.rect(0, 0, 0, 0)
        objectName: root.objectName + ":mark"
        visible: root.wrongAt >= 0
        x: at.x
        y: at.y + at.height
        width: metrics.averageCharacterWidth
        height: Theme.focusRing
        color: Theme.error
    }
}
