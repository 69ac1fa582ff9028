// The X-ray as a table: what each value's node introduced, inherited, and how many bits are left. A click goes to the node.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

FocusScope {
    id: root
    readonly property var model: App.xray
    readonly property bool roomy: width > 560
    readonly property var columns: [
        { key: "order", title: qsTr("Node"), width: 0 },
        { key: "", title: qsTr("Value"), width: 0 },
        { key: "", title: qsTr("dtype"), width: 68 },
        { key: "introduced", title: qsTr("Introduced"), width: 80 },
        { key: "ulps", title: qsTr("ULPs"), width: roomy ? 64 : 0 },
        { key: "inherited", title: qsTr("Inherited"), width: roomy ? 72 : 0 },
        { key: "bits", title: qsTr("Bits left"), width: 132 }
    ]
    readonly property real named: (width - 2 * Theme.space3 - columns.reduce((sum, c) => sum + c.width, 0))
    function widthOf(column: int): real {
        return column === 0 ? named * 0.45 : column === 1 ? named * 0.55 : columns[column].width;
    }

    Connections {
        target: root.model
        function onSortingChanged() { list.currentIndex = -1; }
        function onReportChanged() { list.currentIndex = -1; }
    }
    Item {
        id: bar
        width: parent.width
        height: Theme.row + Theme.space1
        TextLabel {
            objectName: "xray:caption"
            anchors.left: parent.left
            anchors.leftMargin: Theme.space3
            anchors.right: onCanvas.left
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: root.model.running ? qsTr("Running the graph beside its f64 shadow…")
                : root.model.problem !== "" ? root.model.problem
                : root.model.stale ? qsTr("%1. The graph has been edited since.").arg(root.model.caption) : root.model.caption
            color: root.model.problem !== "" && !root.model.running ? Theme.error
                 : root.model.stale ? Theme.warning : Theme.textMuted
            elide: Text.ElideRight
            font.pixelSize: Theme.sizeSmall
        }
        IconButton {
            id: onCanvas
            objectName: "xray:onCanvas"
            anchors.right: go.left
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            implicitHeight: Theme.space6
            visible: root.model.count > 0
            width: visible ? implicitWidth : 0
            iconName: Icons.field
            text: root.roomy ? qsTr("Show on Canvas") : ""
            tip: qsTr("Colours nodes and wires by what the table is sorted by")
            checkable: true
            checked: App.heatMap.shown.startsWith("xray.")
            onClicked: {
                if (checked)
                    App.heatMap.show(root.model.mapped());
                else
                    App.heatMap.on = false;
                checked = Qt.binding(() => App.heatMap.shown.startsWith("xray."));
            }
        }
        PushButton {
            id: go
            objectName: "xray:start"
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            implicitHeight: Theme.space6
            iconName: root.model.running ? Icons.stop : Icons.xray
            text: root.model.running ? qsTr("Cancel") : root.model.count > 0 ? qsTr("X-ray Again") : qsTr("X-ray")
            enabled: root.model.running || !App.document.empty
            onClicked: root.model.running ? root.model.cancel() : root.model.start()
        }
    }
    EmptyHint {
        visible: root.model.count === 0 && !root.model.running && root.model.problem === ""
        iconName: Icons.xray
        text: qsTr("Runs the graph beside a shadow in f64 and lists, by value, the error its node introduced and the error it inherited.")
    }
    Row {
        id: heads
        visible: root.model.count > 0
        anchors.top: bar.bottom
        x: Theme.space3
        height: visible ? Theme.space6 : 0
        Repeater {
            model: root.columns
            T.AbstractButton {
                id: head
                required property int index
                required property var modelData
                readonly property bool sorts: modelData.key !== ""
                objectName: "xray:head:" + modelData.key
                visible: width > 0
                width: root.widthOf(index)
                height: heads.height
                enabled: sorts
                hoverEnabled: true
                focusPolicy: sorts ? Qt.TabFocus : Qt.NoFocus
                Accessible.role: Accessible.ColumnHeader
                Accessible.name: modelData.title
                onClicked: root.model.sorting = modelData.key
                background: Rectangle {
                    color: head.hovered ? Theme.hover : "transparent"
                    radius: Theme.radiusSmall
                    border.width: head.visualFocus ? Theme.focusRing : 0
                    border.color: Theme.focus
                }
                contentItem: Text {
                    text: head.modelData.title + (root.model.sorting === head.modelData.key ? " ↓" : "")
                    color: root.model.sorting === head.modelData.key ? Theme.text : Theme.textFaint
                    horizontalAlignment: head.index > 2 && head.index < 6 ? Text.AlignRight : Text.AlignLeft
                    verticalAlignment: Text.AlignVCenter
                    leftPadding: head.index === 6 ? Theme.space3 : 0
                    font.family: Theme.family
                    font.pixelSize: Theme.sizeSmall
                }
            }
        }
    }
    Rectangle {
        visible: heads.visible
        anchors.top: heads.bottom
        width: parent.width
        height: 1
        color: Theme.line
    }
    ListView {
        id: list
        objectName: "xray:list"
        anchors.top: heads.bottom
        anchors.topMargin: 1
        anchors.bottom: parent.bottom
        width: parent.width
        clip: true
        focus: true
        model: root.model
        currentIndex: -1
        boundsBehavior: Flickable.StopAtBounds
        Accessible.role: Accessible.Table
        Accessible.name: qsTr("X-ray")
        T.ScrollBar.vertical: ThinScrollBar {}
        onCurrentIndexChanged: if (currentIndex >= 0) root.model.reveal(currentIndex)
        delegate: XrayRow {
            width: list.width
            columnWidth: root.widthOf
            // Sizes of columns are read anew when these change.
            named: root.named
            roomy: root.roomy
            onClicked: {
                list.forceActiveFocus();
                if (list.currentIndex === index)
                    root.model.reveal(index);
                list.currentIndex = index;
            }
        }
    }
}
