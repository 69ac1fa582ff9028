// How the active node's outputs change with its inputs, at one sample: asked for by a button.
import QtQuick
import Halfwire
import Halfwire.Models

Column {
    id: root
    required property JacobianModel model
    readonly property int cell: 68
    visible: model.offered
    spacing: Theme.space2
    topPadding: Theme.space1
    bottomPadding: Theme.space2

    Row {
        x: Theme.space3
        spacing: Theme.space2
        PushButton {
            objectName: "jacobian:start"
            text: qsTr("Jacobian")
            enabled: !root.model.running
            onClicked: root.model.start()
        }
        IndexField {
            objectName: "jacobian:sample"
            visible: root.model.blocks.length > 0 && root.model.samples > 1
            Accessible.name: qsTr("Sample")
            width: 120
            size: root.model.samples
            at: root.model.sample
            onChosen: index => root.model.sample = index
        }
    }
    Text {
        objectName: "jacobian:problem"
        visible: root.model.problem !== ""
        x: Theme.space3
        width: parent.width - 2 * Theme.space3
        text: root.model.problem
        color: Theme.textMuted
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    Repeater {
        model: root.model.blocks
        Column {
            id: block
            required property var modelData
            required property int index
            width: root.width
            Text {
                objectName: "jacobian:block:" + block.index
                x: Theme.space3
                text: block.modelData.title
                color: Theme.text
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
                bottomPadding: Theme.space1
            }
            Flickable {
                x: Theme.space3
                width: parent.width - 2 * Theme.space3
                height: lines.height
                contentWidth: lines.width
                clip: true
                boundsBehavior: Flickable.StopAtBounds
                Column {
                    id: lines
                    Line {
                        name: ""
                        cells: block.modelData.columns
                        ink: Theme.textFaint
                    }
                    Line {
                        name: qsTr("at")
                        cells: block.modelData.at
                        ink: Theme.textFaint
                    }
                    Repeater {
                        model: block.modelData.rows
                        Line {
                            required property var modelData
                            name: modelData.name
                            cells: modelData.cells
                            ink: Theme.text
                        }
                    }
                }
            }
        }
    }

    component Line: Row {
        id: line
        property string name
        property var cells
        property color ink
        Cell {
            width: root.cell - Theme.space4
            text: line.name
            color: Theme.textFaint
            horizontalAlignment: Text.AlignLeft
        }
        Repeater {
            model: line.cells
            Cell {
                required property string modelData
                text: modelData
                color: line.ink
            }
        }
    }
    component Cell: Text {
        width: root.cell
        height: Theme.space6 - Theme.space1
        horizontalAlignment: Text.AlignRight
        verticalAlignment: Text.AlignVCenter
        elide: Text.ElideRight
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
}
