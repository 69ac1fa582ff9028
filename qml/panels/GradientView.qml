// How large the gradients (or the updates) of the nodes are over the steps: a curve each, and a legend that goes to them.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Canvas
import Halfwire.Models
import Halfwire.Plots

Item {
    id: root
    required property GradientFlowModel model
    property var under: ({})     // what the pointer is on: GradientPlot.read
    property string pointed: ""  // the node of the legend's entry under the pointer
    readonly property int axis: 52
    readonly property bool roomy: width >= 280

    EmptyHint {
        objectName: "gradients:hint"
        visible: root.model.empty
        iconName: Icons.gradients
        text: root.model.updates ? qsTr("Run the graph%1: how much each step changes the weights of each node is drawn here.").arg(KeyBindings.hints["run.run"])
            : qsTr("Run the graph%1: how large the gradient of each node is, is drawn here.").arg(KeyBindings.hints["run.run"])
    }
    Item {
        id: area
        visible: !root.model.empty
        anchors.fill: parent
        anchors.margins: Theme.space2
        anchors.rightMargin: root.roomy ? legend.width + 2 * Theme.space2 : Theme.space2
        GradientPlot {
            id: plot
            objectName: "gradientPlot"
            readonly property string value: root.under.title ?? ""
            anchors.fill: parent
            anchors.leftMargin: root.axis
            anchors.bottomMargin: Theme.space4
            anchors.topMargin: Theme.space1
            model: root.model
            colours: Theme.series
            gridColour: Theme.line
            usualColour: Qt.alpha(Theme.ok, 0.14)
            strong: root.pointed !== "" ? root.pointed : root.under.node ?? ""
            Accessible.role: Accessible.Chart
            Accessible.name: root.model.updates ? qsTr("Update over weight by step, node by node") : qsTr("Gradient norm by step, node by node")

            Text {
                visible: root.model.updates
                x: Theme.space1
                y: plot.usualBottom - height - 1
                text: qsTr("usual")
                color: Theme.textFaint
                font.family: Theme.family
                font.pixelSize: Theme.sizeSmall
            }
            Rectangle {
                visible: root.under.y !== undefined
                x: root.under.x ?? 0
                width: 1
                height: parent.height
                color: Theme.lineStrong
            }
            Rectangle {
                visible: root.under.node !== undefined
                x: (root.under.x ?? 0) - 4
                y: (root.under.y ?? 0) - 4
                width: 8
                height: 8
                radius: 4
                color: Theme.series[(root.under.number ?? 0) % Theme.series.length]
                border.color: Theme.panel
            }
            HoverHandler {
                id: hover
                cursorShape: root.under.node ? Qt.PointingHandCursor : Qt.ArrowCursor
                onPointChanged: root.under = hovered ? plot.read(point.position.x, point.position.y) : ({})
                onHoveredChanged: if (!hovered) root.under = ({})
            }
            TapHandler {
                onTapped: if (root.under.node) root.model.reveal(root.under.node)
            }
            Rectangle {
                visible: root.under.y !== undefined
                x: Math.max(0, Math.min(parent.width - width, (root.under.x ?? 0) + (root.under.x < parent.width / 2 ? Theme.space2 : -width - Theme.space2)))
                y: Math.max(0, Math.min(parent.height - height, (root.under.y ?? 0) - height - Theme.space1))
                width: words.width + 2 * Theme.space2
                height: Math.max(Theme.space6, words.implicitHeight + Theme.space2)
                radius: Theme.radiusSmall
                color: Theme.raised
                border.color: Theme.cardLine
                Text {
                    id: words
                    objectName: "gradients:under"
                    anchors.centerIn: parent
                    width: Math.min(implicitWidth, plot.width - 2 * Theme.space2)
                    wrapMode: Text.Wrap
                    text: root.under.gap ?? (root.under.node === undefined ? "" : qsTr("%1  %2  at step %3%4").arg(root.under.title).arg(root.under.value).arg(String(root.under.step)).arg(root.under.sampled))
                    color: Theme.text
                    font.family: Theme.family
                    font.pixelSize: Theme.sizeSmall
                }
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
            first: plot.firstStep
            last: plot.lastStep
            what: root.model.updates ? qsTr("update ÷ weight") : qsTr("gradient norm")
            tip: root.model.updates ? qsTr("Norm of what a step changes in a node's weights, over the norm of the weights; about 0.001 is usual. Of a parameter with more than 4,096 weights an estimate, of 4,096 sampled.")
                : qsTr("Norm of the gradient of a node's outputs, loss scale divided out. Of an output with more than 4,096 elements an estimate, of 4,096 sampled.")
        }
    }
    GradientLegend {
        id: legend
        visible: area.visible && root.roomy
        anchors.right: parent.right
        anchors.rightMargin: Theme.space1
        anchors.top: parent.top
        anchors.topMargin: Theme.space2
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.space2
        width: Math.min(Math.max(root.width * 0.36, 4 * Theme.space8), 6 * Theme.space8)
        model: root.model
        onPointedChanged: root.pointed = pointed
    }
}
