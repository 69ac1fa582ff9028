// A tensor's numbers; spin boxes slice the leading axes.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

Item {
    id: root
    required property TensorTableModel table
    readonly property int cell: 76
    readonly property int line: Theme.space6 - Theme.space1
    /// Rows laid out so far: all at once would take longer than a frame.
    property int filled: 0
    readonly property real room: height - columns.y - columns.height

    Connections {
        target: root.table
        function onModelReset() { root.filled = 0; }
    }
    Timer {
        running: root.visible && root.filled * root.line < root.room
        repeat: true
        interval: 16
        onTriggered: root.filled += 4
    }
    Row {
        id: slices
        visible: root.table.leading.length > 0
        height: visible ? Theme.control + Theme.space1 : 0
        spacing: Theme.space1
        Repeater {
            model: root.table.leading
            IndexField {
                required property int index
                required property int modelData
                objectName: "slice:" + index
                Accessible.name: qsTr("Index of axis %1").arg(index)
                width: 84
                size: modelData
                at: root.table.slice[index] ?? 0
                onChosen: to => root.table.setSlice(index, to)
            }
        }
    }
    ListView {
        id: columns
        anchors.top: slices.bottom
        x: rows.width
        width: parent.width - x
        height: Theme.space4
        orientation: ListView.Horizontal
        interactive: false
        clip: true
        model: Math.max(0, view.columns)
        contentX: view.contentX
        delegate: Head {
            required property int index
            width: root.cell
            height: columns.height
            text: root.table.columnName(index)
        }
    }
    ListView {
        id: rows
        anchors.top: columns.bottom
        anchors.bottom: parent.bottom
        width: 44
        interactive: false
        clip: true
        model: Math.max(0, view.rows)
        contentY: view.contentY
        delegate: Head {
            required property int index
            width: rows.width - Theme.space1
            height: root.line
            text: index
        }
    }
    TableView {
        id: view
        objectName: "tensorTable"
        anchors.top: columns.bottom
        height: Math.min(root.room, root.filled * root.line)
        anchors.left: rows.right
        anchors.right: parent.right
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        model: root.table
        columnWidthProvider: () => root.cell
        rowHeightProvider: () => root.line
        reuseItems: true
        T.ScrollBar.vertical: ThinScrollBar {}
        T.ScrollBar.horizontal: ThinScrollBar {}
        delegate: Rectangle {
            required property int row
            required property string display
            required property bool bad
            implicitWidth: root.cell
            implicitHeight: root.line
            color: bad ? Theme.errorDim : row % 2 ? Theme.panel : Theme.raised
            Text {
                anchors.fill: parent
                anchors.rightMargin: Theme.space1
                text: parent.display
                color: parent.bad ? Theme.error : Theme.text
                horizontalAlignment: Text.AlignRight
                verticalAlignment: Text.AlignVCenter
                font.family: Theme.mono
                font.pixelSize: Theme.sizeSmall
            }
        }
    }
    component Head: Text {
        color: Theme.textFaint
        horizontalAlignment: Text.AlignRight
        verticalAlignment: Text.AlignVCenter
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
}
