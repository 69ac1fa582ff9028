// A check's verdict on every value: what is wrong comes first.
import QtQuick
import Halfwire

CheckPane {
    id: root
    property string part: qsTr("Part")  // heads of the third and the last column
    required property string number
    readonly property var columns: inner > 420 ? [0.26, 0.26, 0.11, 0.2, 0.17] : [0.31, 0.22, 0, 0.22, 0.25]
    readonly property real inner: width - aside - 2 * Theme.space3

    heads: Repeater {
        model: [qsTr("Node"), qsTr("Value"), root.part, qsTr("Verdict"), root.number]
        TextLabel {
            required property int index
            required property string modelData
            width: root.columns[index] * root.inner
            height: parent.height
            text: modelData
            color: Theme.textFaint
            elide: Text.ElideRight
            horizontalAlignment: index === 4 ? Text.AlignRight : Text.AlignLeft
            font.pixelSize: Theme.sizeSmall
        }
    }
    delegate: VerdictRow {
        width: ListView.view.width
        key: root.tab.key
        columns: root.columns
        onClicked: root.choose(index)
    }
}
