// The X-ray as a table: what each value's node introduced, inherited, and how many bits are left.
import QtQuick
import QtQuick.Templates as T
import Halfwire

CheckPane {
    id: root
    readonly property var columns: [
        { key: "order", title: qsTr("Node"), width: 0 },
        { key: "", title: qsTr("Value"), width: 0 },
        { key: "", title: qsTr("dtype"), width: 60 },
        { key: "introduced", title: qsTr("Introduced"), width: 80 },
        { key: "ulps", title: qsTr("ULPs"), width: roomy ? 60 : 0 },
        { key: "inherited", title: qsTr("Inherited"), width: roomy ? 64 : 0 },
        { key: "bits", title: qsTr("Bits left"), width: 132 }
    ]
    readonly property real named: (width - 2 * Theme.space3 - columns.reduce((sum, c) => sum + c.width, 0))
    /// "grad(features)" is shown whole before the node's name takes more.
    readonly property real valueWidth: Math.min(named * 0.6, Math.max(named * 0.4, 116))
    function widthOf(column: int): real {
        return column === 0 ? named - valueWidth : column === 1 ? valueWidth : columns[column].width;
    }

    again: qsTr("X-ray Again")
    working: qsTr("Running the graph beside its f64 shadow…")
    purpose: qsTr("Runs the graph beside a shadow in f64 and lists, by value, the error its node introduced and the error it inherited.")
    tools: IconButton {
        objectName: "xray:onCanvas"
        implicitHeight: Theme.space6
        visible: root.model.count > 0
        iconName: Icons.field
        text: root.roomy ? qsTr("Show on Canvas") : ""
        tip: qsTr("Colours nodes and wires by what the table is sorted by")
        checkable: true
        checked: root.heatMap.shown.startsWith("xray.")
        onClicked: {
            if (checked)
                root.heatMap.show(root.model.mapped());
            else
                root.heatMap.on = false;
            checked = Qt.binding(() => root.heatMap.shown.startsWith("xray."));
        }
    }
    heads: Repeater {
        model: root.columns
        T.AbstractButton {
            id: head
            required property int index
            required property var modelData
            readonly property bool sorts: modelData.key !== ""
            objectName: "xray:head:" + modelData.key
            visible: width > 0
            width: root.widthOf(index)
            height: parent.height
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
    delegate: XrayRow {
        width: ListView.view.width
        columnWidth: root.widthOf
        // Sizes of columns are read anew when these change.
        named: root.named
        roomy: root.roomy
        onClicked: root.choose(index)
    }
}
