// Sizes of a model that is imported: those that have to be known, with a proposal each, and those that stay symbolic.
// Enter imports, Esc gives up; Tab goes on, the arrows up and down count.
import QtQuick
import QtQuick.Controls.Basic as Basic
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Sheet {
    id: root
    readonly property var model: App.documents.sizes
    readonly property real inner: width - 2 * padding
    readonly property real nameWidth: inner * 0.17
    readonly property real usesWidth: inner * 0.21
    readonly property real sizeWidth: inner * 0.12
    readonly property real becomesWidth: inner * 0.21
    readonly property real fromWidth: inner * 0.29

    function begin() {
        const first = rows.itemAt(Math.max(0, model.firstWrong()));
        if (first)
            first.take();
    }
    function accept() {
        if (model.firstWrong() >= 0)
            begin();
        else
            model.accept();
    }
    /// Scrolls until a row is seen whole.
    function reveal(row: Item) {
        if (row.y < list.contentY)
            list.contentY = row.y;
        else if (row.y + row.height > list.contentY + list.height)
            list.contentY = row.y + row.height - list.height;
    }

    title: qsTr("Sizes of %1").arg(model.name)
    width: Math.min(880, parent ? parent.width - 2 * Theme.space6 : 880)
    closePolicy: Basic.Popup.CloseOnEscape
    onOpened: begin()
    onClosed: model.cancel()
    Connections {
        target: root.model
        function onClosed() { root.close(); }
    }

    component Cell: TextLabel {
        height: Theme.control
        rightPadding: Theme.space3
        font.pixelSize: Theme.sizeSmall
    }
    Column {
        objectName: "sizesSheet"
        width: parent.width
        spacing: Theme.space3
        Text {
            objectName: "sizes:because"
            Accessible.role: Accessible.StaticText
            Accessible.name: text
            width: parent.width
            text: root.model.because
            color: Theme.textMuted
            wrapMode: Text.Wrap
            maximumLineCount: 4
            elide: Text.ElideRight
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Column {
            width: parent.width
            Row {
                Repeater {
                    model: [[qsTr("Size"), root.nameWidth], [qsTr("Used by"), root.usesWidth], [qsTr("Value"), root.sizeWidth],
                        [qsTr("Becomes"), root.becomesWidth], [qsTr("Proposed"), root.fromWidth]]
                    Cell {
                        required property var modelData
                        width: modelData[1]
                        text: modelData[0]
                        color: Theme.textMuted
                    }
                }
            }
            Rectangle {
                width: parent.width
                height: 1
                color: Theme.line
            }
            Flickable {
                id: list
                objectName: "sizes:list"
                width: parent.width
                height: Math.min(contentHeight, root.parent ? root.parent.height - 360 : 400)
                contentHeight: column.height
                clip: true
                boundsBehavior: Flickable.StopAtBounds
                T.ScrollBar.vertical: ThinScrollBar {}
                Column {
                    id: column
                    width: parent.width
                    topPadding: Theme.space1
                    Repeater {
                        id: rows
                        model: root.model
                        SizeRow {
                            width: column.width
                            sheet: root
                        }
                    }
                }
            }
        }
        Text {
            objectName: "sizes:problem"
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
            visible: text !== ""
            width: parent.width
            text: root.model.problem
            color: Theme.warning
            wrapMode: Text.Wrap
            maximumLineCount: 5
            elide: Text.ElideRight
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Item {
            width: parent.width
            height: Theme.control
            TextLabel {
                objectName: "sizes:busy"
                visible: root.model.busy
                height: parent.height
                text: qsTr("Reading with these sizes…")
                color: Theme.textMuted
            }
            Row {
                anchors.right: parent.right
                spacing: Theme.space2
                PushButton {
                    objectName: "sizes:cancel"
                    text: qsTr("Cancel")
                    onClicked: root.close()
                }
                PushButton {
                    objectName: "sizes:import"
                    primary: enabled
                    enabled: root.model.valid && !root.model.busy
                    text: root.model.lacking ? qsTr("Import as It Is") : qsTr("Import")
                    onClicked: root.accept()
                }
            }
        }
    }
}
