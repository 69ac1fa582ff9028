// How the viewport draws: background, field of view, light, what computes the field. Remembered between sessions.
import QtQuick
import QtQuick.Controls.Basic as Basic
import Qt.labs.settings
import Halfwire

Basic.Popup {
    id: root
    required property var view  // ViewportItem
    property string backdrop: ""  // "#rrggbb"; "" is the theme's own gradient
    property real fieldOfView: 40
    property string fieldOn: "auto"  // an id of `computers`
    readonly property bool fieldOnGpu: fieldOn === "gpu" || (fieldOn === "auto" && view.hasGpu)
    readonly property color topColour: backdrop === "" ? Theme.viewTop : backdrop
    readonly property color bottomColour: backdrop === "" ? Theme.viewBottom : backdrop
    readonly property var choices: [
        { id: "theme", title: qsTr("As the theme"), color: "" },
        { id: "black", title: qsTr("Black"), color: "#000000" },
        { id: "grey", title: qsTr("Grey"), color: "#808080" },
        { id: "white", title: qsTr("White"), color: "#ffffff" }
    ]
    readonly property var computers: [
        { id: "auto", title: qsTr("Automatic") },
        { id: "cpu", title: qsTr("CPU") },
        { id: "gpu", title: qsTr("Graphics device") }
    ]
    Settings {
        category: "viewport"
        property alias backdrop: root.backdrop
        property alias fieldOfView: root.fieldOfView
        property alias fieldOn: root.fieldOn
    }
    Binding { target: root.view; property: "backgroundTop"; value: root.topColour }
    Binding { target: root.view; property: "backgroundBottom"; value: root.bottomColour }
    onFieldOfViewChanged: view.fieldOfView = fieldOfView
    Component.onCompleted: view.fieldOfView = fieldOfView

    padding: Theme.space3
    focus: true
    contentItem: Column {
        objectName: "viewSettings"
        spacing: Theme.space2
        TextLabel { text: qsTr("Background"); font.weight: Font.DemiBold }
        Row {
            spacing: Theme.space2
            Repeater {
                model: root.choices
                IconButton {
                    id: swatch
                    required property var modelData
                    objectName: "background:" + modelData.id
                    width: Theme.space8
                    height: Theme.space6
                    tip: modelData.title
                    checked: root.backdrop === modelData.color
                    onClicked: root.backdrop = modelData.color
                    background: Rectangle {
                        radius: Theme.radius
                        border.width: swatch.checked || swatch.visualFocus ? Theme.focusRing : 1
                        border.color: swatch.checked || swatch.visualFocus ? Theme.focus : Theme.lineStrong
                        gradient: Gradient {
                            GradientStop { position: 0; color: swatch.modelData.color || Theme.viewTop }
                            GradientStop { position: 1; color: swatch.modelData.color || Theme.viewBottom }
                        }
                    }
                }
            }
            TextBox {
                objectName: "background:hex"
                width: 84
                height: Theme.space6
                text: root.backdrop
                placeholderText: "#rrggbb"
                wrong: text !== "" && !/^#[0-9a-fA-F]{6}$/.test(text)
                Accessible.name: qsTr("Background colour")
                onAccepted: {
                    if (!wrong)
                        root.backdrop = text;
                }
            }
        }
        TextLabel { text: qsTr("Field of view"); font.weight: Font.DemiBold }
        Row {
            spacing: Theme.space2
            ValueSlider {
                objectName: "fieldOfView"
                width: 180
                from: 10
                to: 100
                stepSize: 1
                value: root.fieldOfView
                Accessible.name: qsTr("Field of view in degrees")
                onMoved: root.fieldOfView = value
            }
            TextLabel {
                height: Theme.control
                verticalAlignment: Text.AlignVCenter
                text: Math.round(root.fieldOfView) + "°"
            }
        }
        Row {
            spacing: Theme.space2
            Toggle {
                objectName: "viewport:lit"
                checked: root.view.lit
                Accessible.name: qsTr("Light the surface")
                onToggled: root.view.lit = checked
            }
            TextLabel {
                height: Theme.control
                verticalAlignment: Text.AlignVCenter
                text: qsTr("Light the surface")
            }
        }
        TextLabel { text: qsTr("Compute the field on"); font.weight: Font.DemiBold }
        ChoiceBox {
            objectName: "viewport:fieldOn"
            width: 180
            model: root.computers.map(c => c.title)
            currentIndex: root.computers.findIndex(c => c.id === root.fieldOn)
            footnote: root.view.hasGpu ? qsTr("Automatic: on the graphics device.") : qsTr("The CPU draws here. As a graphics device it first compiles, up to a minute, while the window stands still.")
            Accessible.name: qsTr("What computes the field")
            onActivated: index => root.fieldOn = root.computers[index].id
        }
    }
    background: Rectangle {
        color: Theme.raised
        border.color: Theme.lineStrong
        radius: Theme.radius
    }
}
