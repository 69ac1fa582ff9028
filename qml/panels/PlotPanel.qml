// The plot view: tensors as lines, with the newest weights.
import QtQuick
import Halfwire
import Halfwire.Models
import Halfwire.Plots

Panel {
    id: root
    objectName: "plotPanel"
    required property PlotModel model
    title: qsTr("Plot")
    iconName: Icons.chart
    property var under: ({})
    readonly property int axis: 52

    function valueOf(input: int): string {
        const found = (under.values ?? []).find(v => v.input === input);
        return found ? found.text : "";
    }

    actions: [
        TextLabel {
            objectName: "plot:mode"
            height: Theme.space6
            text: root.model.training && !root.model.empty ? qsTr("training mode") : ""
            color: Theme.textMuted
            elide: Text.ElideNone
            font.pixelSize: Theme.sizeSmall
        },
        TextLabel {
            objectName: "plot:x"
            height: Theme.space6
            text: root.under.x !== undefined ? qsTr("x %1").arg(root.under.x) : ""
            color: Theme.textMuted
            elide: Text.ElideNone
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
    ]

    EmptyHint {
        objectName: "plot:hint"
        visible: root.model.empty
        iconName: root.model.busy ? Icons.timer : Icons.chart
        text: root.model.busy ? qsTr("Preparing the plot") : root.model.hint
    }
    Flow {
        id: legend
        visible: !root.model.empty
        x: root.axis + Theme.space2
        y: Theme.space2
        width: parent.width - x - Theme.space2
        spacing: Theme.space3
        Repeater {
            model: root.model.legend
            Row {
                id: entry
                required property var modelData
                spacing: Theme.space1
                LineSample {
                    anchors.verticalCenter: parent.verticalCenter
                    input: entry.modelData.input
                }
                TextLabel {
                    objectName: "plot:line:" + entry.modelData.input
                    readonly property string value: root.valueOf(entry.modelData.input)
                    text: entry.modelData.text + (value === "" ? "" : "  " + value)
                    width: Math.min(implicitWidth, legend.width - Theme.space8)
                    color: Theme.textMuted
                    font.pixelSize: Theme.sizeSmall
                }
            }
        }
    }
    Item {
        visible: !root.model.empty
        anchors.fill: parent
        anchors.margins: Theme.space2
        anchors.topMargin: legend.y + legend.height + Theme.space2
        anchors.bottomMargin: Theme.space2 + (older.visible ? older.height : 0)  // the axis stays readable
        PlotItem {
            id: plot
            objectName: "plot"
            readonly property string value: root.model.legend.map(l => l.text).join(", ")
            anchors.fill: parent
            anchors.leftMargin: root.axis
            anchors.rightMargin: Theme.space2
            anchors.bottomMargin: Theme.space4
            model: root.model
            watching: root.visible
            colours: Theme.series
            gridColour: Theme.line
            focus: true
            Accessible.role: Accessible.Chart
            Accessible.name: qsTr("Plot of %1").arg(value)

            Rectangle {
                visible: root.under.at !== undefined
                x: root.under.at ?? 0
                width: 1
                height: parent.height
                color: Theme.lineStrong
            }
            Repeater {
                model: root.under.values ?? []
                Rectangle {
                    required property var modelData
                    x: root.under.at - 3
                    y: modelData.y - 3
                    width: 6
                    height: 6
                    radius: 3
                    color: Theme.series[modelData.input]
                }
            }
            HoverHandler {
                id: hover
                onPointChanged: root.under = hovered ? plot.read(point.position.x) : ({})
                onHoveredChanged: if (!hovered) root.under = ({})
            }
        }
        Repeater {
            model: plot.ticks
            AxisText {
                required property var modelData
                x: root.axis - width - Theme.space2
                y: plot.y + modelData.at - height / 2
                text: modelData.text
            }
        }
        Repeater {
            model: plot.xTicks
            AxisText {
                required property var modelData
                x: Math.max(plot.x, Math.min(plot.x + plot.width - width, plot.x + modelData.at - width / 2))
                anchors.bottom: parent.bottom
                text: modelData.text
            }
        }
    }
    Rectangle {
        anchors.fill: parent
        visible: plot.activeFocus
        color: "transparent"
        border.width: 1
        border.color: Theme.focus
    }

    HintBar {
        id: older
        objectName: "plot:older"
        visible: !root.model.empty && text !== ""
        text: root.model.hint
    }

    component AxisText: Text {
        color: Theme.textFaint
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
    /// How an input's line is drawn.
    component LineSample: Row {
        id: sample
        property int input: 0
        readonly property var marks: [[22], [7, 7], [2, 2, 2, 2], [14, 3]][input]
        spacing: 4
        width: 22
        Repeater {
            model: sample.marks
            Rectangle {
                required property int modelData
                width: modelData
                height: 2
                color: Theme.series[sample.input]
            }
        }
    }
}
