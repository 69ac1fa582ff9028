// A row for each class: how much of what is taken for it is it, how much of it is found, and both together.
import QtQuick
import Halfwire
import Halfwire.Models

Column {
    id: root
    required property SplitResultsModel model
    readonly property real number: Math.min(64, (width - 56) / 4)

    component Cell: Text {
        width: root.number
        height: Theme.space4 + Theme.space1
        color: Theme.text
        horizontalAlignment: Text.AlignRight
        verticalAlignment: Text.AlignVCenter
        elide: Text.ElideRight
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
    component Heading: Cell {
        color: Theme.textMuted
        font.family: Theme.family
    }
    Row {
        Heading {
            width: root.width - 4 * root.number
            text: qsTr("Class")
            horizontalAlignment: Text.AlignLeft
        }
        Heading { text: qsTr("Precision %") }
        Heading { text: qsTr("Recall %") }
        Heading { text: qsTr("F1 %") }
        Heading { text: qsTr("Samples") }
    }
    ListView {
        id: list
        objectName: "evaluation:classes"
        width: root.width
        height: Math.min(contentHeight, 320)
        clip: true
        interactive: contentHeight > height
        model: root.model.classes
        boundsBehavior: Flickable.StopAtBounds
        Accessible.role: Accessible.Table
        Accessible.name: qsTr("Classes")
        delegate: Rectangle {
            id: row
            required property var modelData
            required property int index
            width: list.width
            height: Theme.space4 + Theme.space1
            color: index % 2 ? "transparent" : Qt.alpha(Theme.input, 0.6)
            Row {
                Cell {
                    width: root.width - 4 * root.number
                    text: row.modelData.name
                    leftPadding: Theme.space1
                    horizontalAlignment: Text.AlignLeft
                }
                Cell { text: row.modelData.precision }
                Cell { text: row.modelData.recall }
                Cell {
                    text: row.modelData.f1
                    color: row.modelData.worst ? Theme.warning : Theme.text
                }
                Cell {
                    text: row.modelData.samples
                    color: Theme.textMuted
                }
            }
        }
    }
}
