// One value of the X-ray.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.ItemDelegate {
    id: row
    required property int index
    required property string title
    required property string value
    required property bool backward
    required property string dtype
    required property string introduced
    required property string ulps
    required property string inherited
    required property string bits
    required property real share
    required property bool bad
    required property bool worst
    required property string note
    property var columnWidth
    property real named
    property bool roomy

    function sized(column: int): real {
        return named, roomy, columnWidth(column);
    }

    objectName: "xray:row:" + index
    text: title + " " + value
    implicitHeight: Theme.space6
    hoverEnabled: true
    highlighted: ListView.isCurrentItem
    Accessible.role: Accessible.Row
    Accessible.name: text + " " + introduced + " " + bits
    background: Rectangle {
        color: row.highlighted ? Theme.accentDim : row.hovered ? Theme.hover : row.index % 2 ? Theme.panel : Theme.raised
    }
    contentItem: Item {}
    Row {
        x: Theme.space3
        height: parent.height
        Cell {
            width: row.sized(0)
            text: row.title
            elide: Text.ElideLeft  // the end of a path says more
            font.weight: row.worst ? Font.DemiBold : Font.Normal
        }
        Cell {
            width: row.sized(1)
            text: row.value
            color: Theme.textMuted
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
        Item {
            width: row.sized(2)
            height: parent.height
            Rectangle {
                id: dot
                anchors.verticalCenter: parent.verticalCenter
                width: Theme.space2
                height: width
                radius: width / 2
                color: Theme.dtypeNamed(row.dtype)
            }
            Cell {
                anchors.left: dot.right
                anchors.leftMargin: Theme.space1
                height: parent.height
                text: row.dtype
                font.family: Theme.mono
                font.pixelSize: Theme.sizeSmall
            }
        }
        Number {
            width: row.sized(3)
            text: row.introduced
            color: row.bad || row.worst ? Theme.error : Theme.text
            font.weight: row.worst ? Font.DemiBold : Font.Normal
        }
        Number {
            visible: width > 0
            width: row.sized(4)
            text: row.ulps
        }
        Number {
            visible: width > 0
            width: row.sized(5)
            text: row.inherited
        }
        Item {
            width: row.sized(6)
            height: parent.height
            Rectangle {
                id: track
                x: Theme.space3
                anchors.verticalCenter: parent.verticalCenter
                width: Theme.space8
                height: Theme.space1
                radius: height / 2
                color: Theme.line
                Rectangle {
                    width: parent.width * row.share
                    height: parent.height
                    radius: height / 2
                    color: row.share < 0.25 ? Theme.error : row.share < 0.6 ? Theme.warning : Theme.ok
                }
            }
            Number {
                anchors.left: track.right
                anchors.right: parent.right
                anchors.rightMargin: Theme.space2
                height: parent.height
                text: row.bad ? qsTr("Inf, NaN") : row.bits
                color: row.bad ? Theme.error : Theme.textMuted
            }
        }
    }
    Tip {
        visible: row.hovered && row.note !== ""
        text: (row.backward ? qsTr("Backward pass.") : qsTr("Forward pass.")) + "\n" + row.note
    }
    component Cell: TextLabel {
        height: row.height
        rightPadding: Theme.space2
    }
    component Number: Text {
        height: row.height
        color: Theme.text
        horizontalAlignment: Text.AlignRight
        verticalAlignment: Text.AlignVCenter
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
}
