// What the heat map shows, by which colours, and how much was looked at.
import QtQuick
import Halfwire

Rectangle {
    id: legend

    required property var surface
    /// InstrumentsModel.
    required property var instruments
    readonly property var steps: [0, 0.25, 0.5, 0.75, 1]

    objectName: "heat:legend"
    Accessible.role: Accessible.Grouping
    Accessible.name: qsTr("Heat map")
    Accessible.description: note.text
    width: content.width + 2 * Theme.space3
    height: content.height + 2 * Theme.space2
    radius: Theme.radius
    color: Theme.raised
    border.color: Theme.cardLine

    // A press here is not one on the canvas.
    MouseArea {
        anchors.fill: parent
    }
    Column {
        id: content
        anchors.centerIn: parent
        spacing: Theme.space1
        Row {
            spacing: Theme.space2
            ChoiceBox {
                objectName: "heat:quantity"
                Accessible.name: qsTr("Quantity of the heat map")
                width: Theme.space8 * 4
                model: legend.instruments.quantities
                currentIndex: legend.instruments.quantity
                onActivated: index => legend.instruments.quantity = index
            }
            Row {
                anchors.verticalCenter: parent.verticalCenter
                spacing: Theme.space1
                TextLabel {
                    anchors.verticalCenter: parent.verticalCenter
                    text: legend.instruments.low
                    color: Theme.textMuted
                }
                Row {
                    anchors.verticalCenter: parent.verticalCenter
                    Repeater {
                        model: legend.steps
                        Rectangle {
                            required property real modelData
                            width: Theme.space4
                            height: Theme.space2
                            color: {
                                legend.surface.colours;
                                return legend.surface.heatColour(modelData);
                            }
                        }
                    }
                }
                TextLabel {
                    anchors.verticalCenter: parent.verticalCenter
                    text: legend.instruments.high
                    color: Theme.textMuted
                }
            }
        }
        TextLabel {
            id: note
            objectName: "heat:note"
            // Beside it is the zoom's badge.
            width: Math.min(implicitWidth, legend.surface.width - 5 * Theme.space8)
            wrapMode: Text.Wrap
            elide: Text.ElideNone
            text: legend.instruments.known ? legend.instruments.meaning + " " + legend.instruments.cost + "." : qsTr("Nothing was looked at yet: run the graph.")
            color: Theme.textMuted
        }
    }
}
