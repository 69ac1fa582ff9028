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
    property var of: null        // the document that it is news of; null: of none
    property point cursor        // it keeps away from, in its parent's coordinates
    property int side: 0         // −1 left, 0 middle, 1 right: chosen when it comes, away from the cursor of then
    property string action       // a button's word; "": none
    signal acted()
    property real since          // ms, when it came
    property var waiting: []     // what came just after the one that is shown: {isError, ofEdit, of, code, reason, remedy, action}

    /// News that is no failure. `edit`: of the last edit.
    function notify(what: string, more: string, edit = false, document = null) {
        bring({isError: false, ofEdit: edit, of: document, code: "", reason: what, remedy: more, action: ""});
    }
    /// `word`: of a button, which acts.
    function show(newCode: string, newReason: string, newRemedy: string, document = null, word = "") {
        bring({isError: true, ofEdit: false, of: document, code: newCode, reason: newReason, remedy: newRemedy, action: word});
    }
    /// Another document is shown: news of others go.
    function keepTo(document) {
        waiting = waiting.filter(w => w.of === null || w.of === document);
        if (visible && of !== null && of !== document)
            hide();
    }
    function hide() {
        visible = false;
        timer.stop();
        const next = waiting.shift();
        if (next)
            display(next);
    }
    /// Nothing of it holds any more.
    function clear() {
        waiting = [];
        hide();
    }
    function bring(news) {
        if (!visible || ofEdit || Date.now() - since > Theme.toastTogether)
            display(news);
        else if (news.reason !== reason && waiting.every(w => w.reason !== news.reason))
            waiting.push(news);
    }
    function display(news) {
        isError = news.isError;
        ofEdit = news.ofEdit;
        of = news.of;
        code = news.code;
        reason = news.reason;
        remedy = news.remedy;
        action = news.action;
        since = Date.now();
        const left = (parent.width - width) / 2;
        const covers = cursor.x > left - Theme.space6 && cursor.x < left + width + Theme.space6
                     && cursor.y > y - Theme.space6 && cursor.y < y + height + Theme.space6;
        side = !covers ? 0 : cursor.x < parent.width / 2 ? 1 : -1;
        visible = true;
        timer.restart();
    }

    objectName: "toast"
    visible: false
    x: side === 0 ? (parent.width - width) / 2 : side > 0 ? parent.width - width - Theme.space4 : Theme.space4
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
        PushButton {
            objectName: "toast:action"
            visible: root.action !== ""
            implicitHeight: Theme.space6
            iconName: Icons.hint
            text: root.action
            focusPolicy: Qt.NoFocus
            onClicked: {
                root.hide();
                root.acted();
            }
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
