// The loss scale under the loss: its course, and the steps that were left out. A click on one goes to the node it is due to.
import QtQuick
import Halfwire
import Halfwire.Models
import Halfwire.Plots

Item {
    id: root
    required property RunModel run
    required property Document document
    property int axis           // width of the labels at the left
    property real lastStep
    readonly property alias empty: plot.empty
    property var under: ({})

    TextLabel {
        id: words
        objectName: "lossScale:words"
        x: root.axis
        width: parent.width - x
        height: Theme.space4
        text: root.under.text
            ?? [qsTr("Loss scale %1").arg(plot.scale), plot.skipped].filter(t => t).join(",  ")
        elide: Text.ElideRight
        color: root.under.node ? Theme.text : Theme.textMuted
        font.pixelSize: Theme.sizeSmall
    }
    LossScalePlot {
        id: plot
        objectName: "lossScale"
        anchors.fill: parent
        anchors.leftMargin: root.axis
        anchors.topMargin: Theme.space4 + Theme.space1
        run: root.run
        lastStep: root.lastStep
        colour: Theme.accent
        skippedColour: Theme.error
        gridColour: Theme.line
        Accessible.role: Accessible.Chart
        Accessible.name: qsTr("Loss scale by step. %1").arg(skipped)

        Rectangle {
            visible: root.under.x !== undefined
            x: root.under.x ?? 0
            width: 1
            height: parent.height
            color: Theme.lineStrong
        }
        HoverHandler {
            id: hover
            cursorShape: root.under.node ? Qt.PointingHandCursor : Qt.ArrowCursor
            onPointChanged: root.under = hovered ? plot.read(point.position.x) : ({})
            onHoveredChanged: if (!hovered) root.under = ({})
        }
        Tip {
            visible: hover.hovered && text !== ""
            text: root.under.tip ?? ""
        }
        TapHandler {
            onTapped: {
                if (root.under.node)
                    root.document.reveal(root.under.node);
            }
        }
    }
    Repeater {
        model: plot.ticks
        Text {
            required property var modelData
            x: root.axis - width - Theme.space2
            y: plot.y + modelData.y - height / 2
            text: modelData.text
            color: Theme.textFaint
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
    }
}
