// The losses of this run and of earlier ones, on a log axis; below, the loss scale, where the run has one.
import QtQuick
import Halfwire
import Halfwire.Canvas
import Halfwire.Models
import Halfwire.Plots

Item {
    id: root
    required property RunModel run
    required property Document document
    property var under: ({})
    readonly property int axis: 52
    readonly property color validationColour: Theme.series[1]

    EmptyHint {
        visible: plot.empty
        iconName: Icons.chart
        text: !root.run.trains ? qsTr("Add a Train node and run the graph%1: its loss is drawn here, step by step.").arg(KeyBindings.hints["run.run"])
            : root.run.loadedStates ? qsTr("Trained weights are here, with their optimiser. “Train on”%1 goes on as if the graph had never been closed.").arg(KeyBindings.hints["run.run"])
            : root.run.loaded ? qsTr("The graph has weights. “Train on”%1 goes on from them with a new optimiser.").arg(KeyBindings.hints["run.run"])
                             : qsTr("Run the graph%1: its loss is drawn here, step by step.").arg(KeyBindings.hints["run.run"])
    }
    LossScaleStrip {
        id: scale
        visible: !plot.empty && !empty
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.space2
        x: Theme.space2
        width: parent.width - 2 * Theme.space2
        height: Math.min(Theme.space8 + Theme.space6, parent.height * 0.4)
        run: root.run
        document: root.document
        axis: root.axis
        lastStep: plot.lastStep
    }
    Item {
        visible: !plot.empty
        anchors.fill: parent
        anchors.margins: Theme.space2
        anchors.bottomMargin: scale.visible ? scale.height + Theme.space3 : Theme.space2
        LossPlot {
            id: plot
            objectName: "lossPlot"
            anchors.fill: parent
            anchors.leftMargin: root.axis
            anchors.bottomMargin: Theme.space4
            anchors.topMargin: Theme.space1
            run: root.run
            colour: Theme.accent
            pastColour: Theme.lineStrong
            validationColour: root.validationColour
            gridColour: Theme.line
            Accessible.role: Accessible.Chart
            Accessible.name: qsTr("Loss by step")

            Rectangle {
                visible: root.under.y !== undefined
                x: hover.point.position.x
                width: 1
                height: parent.height
                color: Theme.lineStrong
            }
            Rectangle {
                visible: root.under.y !== undefined
                x: hover.point.position.x - 3
                y: (root.under.y ?? 0) - 3
                width: 6
                height: 6
                radius: 3
                color: Theme.text
            }
            HoverHandler {
                id: hover
                onPointChanged: root.under = hovered ? plot.read(point.position.x) : ({})
                onHoveredChanged: if (!hovered) root.under = ({})
            }
        }
        Row {
            objectName: "loss:legend"
            visible: plot.validates
            anchors.right: parent.right
            spacing: Theme.space3
            component Entry: Row {
                property alias colour: line.color
                property alias text: words.text
                spacing: Theme.space1
                Rectangle {
                    id: line
                    width: Theme.space3
                    height: 2
                    anchors.verticalCenter: parent.verticalCenter
                }
                Text {
                    id: words
                    color: Theme.textMuted
                    font.family: Theme.family
                    font.pixelSize: Theme.sizeSmall
                }
            }
            Entry {
                colour: Theme.accent
                text: qsTr("training")
            }
            Entry {
                colour: root.validationColour
                text: root.under.validation ? qsTr("validation %1").arg(root.under.validation) : qsTr("validation")
            }
        }
        AxisLabels {
            ticks: plot.ticks
            end: root.axis - Theme.space2
            offset: plot.y
        }
        StepLabels {
            x: root.axis
            width: parent.width - x
            anchors.bottom: parent.bottom
            last: plot.lastStep
        }
    }
}
