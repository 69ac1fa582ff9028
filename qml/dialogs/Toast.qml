// What could not be done, why, and what helps. Stays for a while, or until it is closed; the pointer holds it.
import QtQuick
import Halfwire

Rectangle {
    id: root
    property string code
    property string reason
    property string remedy
    property bool isError: true
    property bool ofEdit: false  // news of the last edit: it goes with it
    property real since          // ms, when it came
    property var waiting: []     // failures that came at the same time: {code, reason, remedy}

    /// News that is no failure.
    function tell(what: string, more: string) {
        show("", what, more);
        isError = false;
    }
    function show(newCode: string, newReason: string, newRemedy: string) {
        if (visible && isError && Date.now() - since < Theme.toastTogether) {
            if (newReason !== reason)
                waiting.push({code: newCode, reason: newReason, remedy: newRemedy});
            return;
        }
        isError = true;
        since = Date.now();
        ofEdit = false;
        code = newCode;
        reason = newReason;
        remedy = newRemedy;
        visible = true;
        timer.restart();
    }
    function hide() {
        visible = false;
        timer.stop();
        const next = waiting.shift();
        if (next)
            show(next.code, next.reason, next.remedy);
    }

    objectName: "toast"
    visible: false
    width: Math.min(520, parent.width - 2 * Theme.space6)
    height: content.implicitHeight + 2 * Theme.space3
    radius: Theme.radiusLarge
    color: isError ? Theme.errorDim : Theme.raised
    border.color: isError ? Theme.error : Theme.accent
    Accessible.role: Accessible.AlertMessage
    Accessible.name: code + " " + reason + " " + remedy

    Timer {
        id: timer
        interval: Theme.toast
        running: false
        onTriggered: over.hovered ? restart() : root.hide()
    }
    HoverHandler {
        id: over
    }
    Icon {
        x: Theme.space3
        y: Theme.space3
        name: root.isError ? Icons.error : Icons.info
        color: root.isError ? Theme.error : Theme.accent
    }
    Column {
        id: content
        x: Theme.space3 + Theme.icon + Theme.space2
        y: Theme.space3
        width: parent.width - x - close.width - Theme.space3
        spacing: Theme.space1
        Text {
            objectName: "toast:reason"
            width: parent.width
            text: root.reason
            color: Theme.text
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeTitle
        }
        Text {
            objectName: "toast:remedy"
            visible: root.remedy !== ""
            width: parent.width
            text: root.remedy
            color: Theme.textMuted
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Text {
            visible: text !== ""
            objectName: "toast:code"
            text: root.code
            color: Theme.textMuted
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
    }
    IconButton {
        id: close
        objectName: "toast:close"
        anchors.right: parent.right
        anchors.rightMargin: Theme.space2
        y: Theme.space2
        iconName: Icons.close
        tip: qsTr("Close")
        focusPolicy: Qt.NoFocus
        onClicked: root.hide()
    }
}
