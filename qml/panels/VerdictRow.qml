// One value that a check looked at.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.ItemDelegate {
    id: row
    required property int index
    required property string title
    required property string value
    required property string pass
    required property string verdict
    required property int level
    required property string number
    required property string note
    property string key
    property var columns
    readonly property real inner: width - 2 * Theme.space3
    readonly property color tint: level === 2 ? Theme.error : level === 1 ? Theme.warning : Theme.textMuted

    objectName: key + ":row:" + index
    text: title + " " + value + " " + verdict
    implicitHeight: Theme.space6
    hoverEnabled: true
    highlighted: ListView.isCurrentItem
    Accessible.role: Accessible.Row
    Accessible.name: text
    background: Rectangle {
        color: row.highlighted ? Theme.accentDim : row.hovered ? Theme.hover : row.index % 2 ? Theme.panel : Theme.raised
    }
    contentItem: Item {}
    Row {
        x: Theme.space3
        height: parent.height
        Cell {
            width: row.columns[0] * row.inner
            text: row.title
            elide: Text.ElideLeft  // the end of a path says more
            font.weight: row.level === 2 ? Font.DemiBold : Font.Normal
        }
        Cell {
            width: row.columns[1] * row.inner
            text: row.value
            color: Theme.textMuted
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
        Cell {
            width: row.columns[2] * row.inner
            text: row.pass
            color: Theme.textMuted
        }
        Cell {
            width: row.columns[3] * row.inner
            text: row.verdict
            color: row.tint
        }
        Cell {
            width: row.columns[4] * row.inner
            rightPadding: 0
            text: row.number
            horizontalAlignment: Text.AlignRight
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
    }
    Tip {
        visible: row.hovered && row.note !== ""
        text: row.note
    }
    component Cell: TextLabel {
        height: row.height
        rightPadding: Theme.space2
    }
}
