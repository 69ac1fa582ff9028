// A check of the graph: what it found in a line, the button that starts it, and the table. A click goes to the node.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

FocusScope {
    id: root
    required property CheckModel model
    required property var tab  // {key, title, action} of the check
    required property Document document
    required property HeatMapModel heatMap
    required property string again
    required property string working
    required property string purpose
    readonly property bool roomy: width > 560
    readonly property real barHeight: bar.height
    property real aside: 0            // width at the right that something else takes
    property alias tools: tools.data  // beside the button
    property alias heads: heads.data  // of the columns
    property alias delegate: list.delegate
    property alias current: list.currentIndex

    /// A row was clicked.
    function choose(index: int) {
        list.forceActiveFocus();
        if (list.currentIndex === index)
            model.reveal(index);
        list.currentIndex = index;
    }

    focus: true
    Connections {
        target: root.model
        function onModelReset() { list.currentIndex = -1; }
    }
    Item {
        id: bar
        width: parent.width
        height: Math.max(Theme.row + Theme.space1, caption.implicitHeight + 2 * Theme.space1)
        TextLabel {
            id: caption
            objectName: root.tab.key + ":caption"
            anchors.left: parent.left
            anchors.leftMargin: Theme.space3
            anchors.right: tools.left
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: root.model.running ? root.working
                : root.model.problem !== "" ? qsTr("Not done")
                : root.model.stale ? qsTr("%1. The graph has been edited since.").arg(root.model.caption) : root.model.caption
            color: root.model.running ? Theme.textMuted : root.model.problem !== "" ? Theme.error
                 : root.model.stale ? Theme.warning : root.model.failed ? Theme.error
                 : root.model.passed && root.model.count > 0 ? Theme.ok : Theme.textMuted
            wrapMode: Text.Wrap
            elide: Text.ElideNone
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
            objectName: root.tab.key + ":start"
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            implicitHeight: Theme.space6
            iconName: root.model.running ? Icons.stop : Icons[root.tab.key]
            text: root.model.running ? qsTr("Cancel") : root.model.count > 0 || root.model.problem !== "" ? root.again : root.tab.action
            enabled: root.model.running || !root.document.empty
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
        objectName: root.tab.key + ":hint"
        visible: root.model.count === 0 && !root.model.running
        above: bar.height
        iconName: root.model.problem === "" ? Icons[root.tab.key] : Icons.warning
        text: root.model.problem === "" ? root.purpose : root.model.problem
    }
    Row {
        id: heads
        visible: root.model.count > 0
        anchors.top: bar.bottom
        x: Theme.space3
        height: visible ? Theme.space6 : 0
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
        objectName: root.tab.key + ":list"
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
        Accessible.name: root.tab.title
        T.ScrollBar.vertical: ThinScrollBar {}
        onCurrentIndexChanged: if (currentIndex >= 0) root.model.reveal(currentIndex)
    }
}
