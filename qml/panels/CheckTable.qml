// What a check found, value by value: what is wrong comes first. A click goes to the node.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

FocusScope {
    id: root
    required property var model  // CheckModel
    required property string key
    required property string iconName
    required property string action
    required property string again
    required property string working
    required property string purpose
    required property string number  // head of the last column
    property alias tools: tools.data  // beside the button
    property alias current: list.currentIndex
    property real aside: 0            // width at the right that something else takes
    readonly property var columns: inner > 420 ? [0.26, 0.3, 0.12, 0.2, 0.12] : [0.31, 0.27, 0, 0.2, 0.22]
    readonly property real inner: width - aside - 2 * Theme.space3

    Item {
        id: bar
        width: parent.width
        height: Theme.row + Theme.space1
        TextLabel {
            objectName: root.key + ":caption"
            anchors.left: parent.left
            anchors.leftMargin: Theme.space3
            anchors.right: tools.left
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: root.model.running ? root.working
                : root.model.problem !== "" ? qsTr("Not done")
                : root.model.stale ? qsTr("%1. The graph has been edited since.").arg(root.model.caption) : root.model.caption
            color: root.model.running ? Theme.textMuted : root.model.problem !== "" ? Theme.error
                 : root.model.stale ? Theme.warning : root.model.count === 0 ? Theme.textMuted
                 : root.model.passed ? Theme.ok : Theme.error
            elide: Text.ElideRight
            font.pixelSize: Theme.sizeSmall
        }
        Row {
            id: tools
            anchors.right: go.left
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            spacing: Theme.space2
        }
        PushButton {
            id: go
            objectName: root.key + ":start"
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            implicitHeight: Theme.space6
            iconName: root.model.running ? Icons.stop : root.iconName
            text: root.model.running ? qsTr("Cancel") : root.model.count > 0 ? root.again : root.action
            enabled: root.model.running || !App.document.empty
            onClicked: root.model.running ? root.model.cancel() : root.model.start()
        }
        Rectangle {
            visible: root.model.running
            anchors.bottom: parent.bottom
            width: parent.width * root.model.progress
            height: 2
            color: Theme.accent
        }
    }
    EmptyHint {
        objectName: root.key + ":hint"
        visible: root.model.count === 0 && !root.model.running
        iconName: root.model.problem === "" ? root.iconName : Icons.warning
        text: root.model.problem === "" ? root.purpose : root.model.problem
    }
    Row {
        id: heads
        visible: root.model.count > 0
        anchors.top: bar.bottom
        x: Theme.space3
        height: visible ? Theme.space6 : 0
        Repeater {
            model: [qsTr("Node"), qsTr("Value"), qsTr("Part"), qsTr("Verdict"), root.number]
            Text {
                required property int index
                required property string modelData
                width: root.columns[index] * root.inner
                height: heads.height
                text: modelData
                color: Theme.textFaint
                elide: Text.ElideRight
                horizontalAlignment: index === 4 ? Text.AlignRight : Text.AlignLeft
                verticalAlignment: Text.AlignVCenter
                font.family: Theme.family
                font.pixelSize: Theme.sizeSmall
            }
        }
    }
    Rectangle {
        visible: heads.visible
        anchors.top: heads.bottom
        width: parent.width - root.aside
        height: 1
        color: Theme.line
    }
    ListView {
        id: list
        objectName: root.key + ":list"
        anchors.top: heads.bottom
        anchors.topMargin: 1
        anchors.bottom: parent.bottom
        width: parent.width - root.aside
        clip: true
        focus: true
        model: root.model
        currentIndex: -1
        boundsBehavior: Flickable.StopAtBounds
        Accessible.role: Accessible.Table
        Accessible.name: root.action
        T.ScrollBar.vertical: ThinScrollBar {}
        onCurrentIndexChanged: if (currentIndex >= 0) root.model.reveal(currentIndex)
        delegate: CheckRow {
            width: list.width
            key: root.key
            columns: root.columns
            onClicked: {
                list.forceActiveFocus();
                if (list.currentIndex === index)
                    root.model.reveal(index);
                list.currentIndex = index;
            }
        }
        Connections {
            target: root.model
            function onReportChanged() { list.currentIndex = -1; }
        }
    }
}
