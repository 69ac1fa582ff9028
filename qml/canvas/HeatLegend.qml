// What the heat map shows, by which colours, where the numbers are from, and what brings them when there are none.
import QtQuick
import Halfwire

Rectangle {
    id: legend

    required property var surface
    /// HeatMapModel.
    required property var map
    readonly property var steps: [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1]
    // Beside it is the zoom's badge.
    readonly property real room: surface.width - 4 * Theme.space8

    objectName: "heat:legend"
    Accessible.role: Accessible.Grouping
    Accessible.name: qsTr("Heat map")
    Accessible.description: map.meaning + " " + note.text
    width: content.width + 2 * Theme.space3
    height: content.height + 2 * Theme.space2
    radius: Theme.radius
    color: Theme.raised
    border.color: Theme.cardLine

    // A press here is not one on the canvas.
    MouseArea {
        anchors.fill: parent
        hoverEnabled: true
    }
    Column {
        id: content
        anchors.centerIn: parent
        spacing: Theme.space1
        Flow {
            width: Math.min(legend.room, choice.width + scale.width + [marks, act].reduce((sum, item) => sum + (item.visible ? item.width + spacing : 0), spacing))
            spacing: Theme.space3
            ChoiceBox {
                id: choice
                objectName: "heat:quantity"
                Accessible.name: qsTr("Quantity of the heat map")
                width: Theme.space8 * 6 + Theme.space6
                model: legend.map.quantities
                heading: index => legend.map.headings[index]
                roomy: 480
                currentIndex: legend.map.quantity
                onActivated: index => {
                    legend.map.quantity = index;
                    Qt.callLater(legend.surface.takeFocus);
                }
            }
            Row {
                id: scale
                objectName: "heat:scale"
                readonly property string text: legend.map.low + " … " + legend.map.high
                height: Theme.control
                spacing: Theme.space1
                Word { text: legend.map.low }
                Row {
                    anchors.verticalCenter: parent.verticalCenter
                    Repeater {
                        model: legend.steps
                        Rectangle {
                            required property real modelData
                            width: Theme.space3
                            height: Theme.space2
                            color: {
                                legend.surface.colours;
                                return legend.surface.heatColour(modelData);
                            }
                        }
                    }
                }
                Word { text: legend.map.high }
            }
            Row {
                id: marks
                objectName: "heat:marks"
                visible: legend.map.marks
                height: Theme.control
                spacing: Theme.space1
                BadMark { anchors.verticalCenter: parent.verticalCenter }
                Word { text: qsTr("Inf or NaN") }
            }
            PushButton {
                id: act
                objectName: "heat:act"
                visible: legend.map.action !== ""
                text: legend.map.action
                onClicked: legend.map.act()
            }
        }
        Line {
            objectName: "heat:meaning"
            visible: legend.surface.width > 18 * Theme.space8
            text: legend.map.meaning
        }
        Row {
            spacing: Theme.space2
            Icon {
                id: old
                visible: legend.map.stale
                anchors.verticalCenter: parent.verticalCenter
                name: Icons.warning
                size: Theme.space4
                color: Theme.warning
            }
            Line {
                id: note
                objectName: "heat:note"
                anchors.verticalCenter: parent.verticalCenter
                width: Math.min(implicitWidth, legend.room - (old.visible ? old.width + Theme.space2 : 0))
                text: legend.map.note
                color: legend.map.stale ? Theme.warning : Theme.textMuted
            }
        }
    }
    component Word: TextLabel {
        anchors.verticalCenter: parent.verticalCenter
        color: Theme.textMuted
    }
    component Line: TextLabel {
        width: Math.min(implicitWidth, legend.room)
        wrapMode: Text.Wrap
        elide: Text.ElideNone
        color: Theme.textMuted
    }
}
