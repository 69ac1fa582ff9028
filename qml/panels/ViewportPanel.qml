// The 3D view: the mesh with its own texture on the left of the split, the field on the right.
import QtQuick
import Halfwire
import Halfwire.Canvas
import Halfwire.Desktop
import Halfwire.Models

Panel {
    id: root
    objectName: "viewportPanel"
    required property FieldModel field
    required property Document document
    title: qsTr("Viewport")
    iconName: Icons.cube
    readonly property bool both: view.hasMesh && view.hasField && view.mode === 0
    property string note: ""  // about the last picture saved
    /// Why the CPU computes the field although the graphics device should.
    readonly property string gpuProblem: settings.fieldOnGpu && view.hasField ? field.shaderProblem || view.gpuProblem : ""
    readonly property string onCpu: gpuProblem === "" ? "" : qsTr("The CPU computes the field: %1").arg(gpuProblem)
    readonly property string status: field.hint || view.statusText || (settings.fieldOn === "gpu" ? onCpu : "") || note

    actions: [
        ViewSwitch {
            id: modes
            anchors.verticalCenter: parent.verticalCenter
            view: view
        },
        IconButton {
            objectName: "viewport:frame"
            implicitHeight: Theme.space6
            implicitWidth: Theme.space6
            iconName: Icons.frame
            tip: qsTr("Frame the mesh")
            shortcutText: KeyBindings.labels["viewport.frame"]
            enabled: view.hasMesh
            onClicked: view.frameMesh()
        },
        IconButton {
            objectName: "viewport:screenshot"
            implicitHeight: Theme.space6
            implicitWidth: Theme.space6
            iconName: Icons.camera
            tip: qsTr("Save the picture")
            shortcutText: screenshotAction.keys
            enabled: view.hasMesh
            onClicked: root.screenshot()
        },
        IconButton {
            id: settingsButton
            objectName: "viewport:settings"
            implicitHeight: Theme.space6
            implicitWidth: Theme.space6
            iconName: Icons.parameters
            tip: qsTr("Background, field of view, light, field")
            onClicked: settings.open()
        }
    ]
    function screenshot() {
        shotDialog.openBeside(document.path, document.title + ".png");
    }
    KeyAction {
        id: screenshotAction
        name: "viewport.picture"
        enabled: view.hasMesh
        onTriggered: root.screenshot()
    }
    FileChooser {
        id: shotDialog
        title: qsTr("Save the viewport's picture")
        acceptLabel: qsTr("Save")
        saving: true
        filters: ["*.png"]
        onAccepted: file => view.saveScreenshot(file)
    }

    Rectangle {
        anchors.fill: parent
        color: Theme.canvas
    }
    ViewportItem {
        id: view
        objectName: "viewport"
        anchors.fill: parent
        focus: true
        // Without a field there is nothing to compare with.
        split: 0.5
        onScreenshotDone: (file, error) => {
            root.note = error === "" ? qsTr("Saved %1").arg(file) : qsTr("%1 cannot be written: %2").arg(file).arg(error);
            noteTimer.restart();
        }
        Accessible.role: Accessible.Graphic
        Accessible.name: qsTr("3D viewport")
        Keys.onPressed: event => {
            const action = KeyBindings.actionInViewport(event.key, event.modifiers);
            const shown = modes.modes.findIndex(m => "viewport." + m.id === action);
            if (action === "viewport.frame")
                view.frameMesh();
            else if (shown >= 0)
                view.mode = shown;
            event.accepted = action !== "";
        }
    }
    Timer {
        id: noteTimer
        interval: Theme.toast
        onTriggered: root.note = ""
    }
    ViewSettings {
        id: settings
        view: view
        x: root.width - width - Theme.space2
        y: Theme.space1
    }
    Binding { target: root.field; property: "shader"; value: settings.fieldOnGpu; restoreMode: Binding.RestoreNone }
    ViewportFeed {
        model: root.field
        item: view
        watching: root.visible
    }
    Rectangle {
        anchors.fill: parent
        visible: view.activeFocus
        color: "transparent"
        border.width: 1
        border.color: Theme.focus
    }

    component Caption: Rectangle {
        property alias text: word.text
        property string tip
        y: Theme.space2
        width: word.implicitWidth + 2 * Theme.space2
        height: Theme.space6 - Theme.space1
        radius: Theme.radius
        color: Theme.caption
        HoverHandler {
            id: pointed
            enabled: parent.tip !== ""
        }
        Tip {
            visible: pointed.hovered
            text: parent.tip
        }
        Text {
            id: word
            anchors.centerIn: parent
            color: Theme.captionText
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
    Caption {
        visible: root.both && view.split > 0.1
        x: view.split * view.width - width - Theme.space2
        text: qsTr("Texture")
    }
    Caption {
        visible: root.both && view.split < 0.9
        x: view.split * view.width + Theme.space2
        text: qsTr("Field")
    }
    Caption {
        objectName: "viewport:frameTime"
        visible: view.hasMesh && view.frameMs > 0
        x: view.width - width - Theme.space2
        y: view.height - height - Theme.space2
        text: (view.frameMs < 10 ? view.frameMs.toFixed(1) : Math.round(view.frameMs)) + " ms"
        tip: qsTr("What the last full picture took: drawn, and the field computed for each of its pixels, measured.") + "\n"
             + (view.fieldOnGpu ? qsTr("The graphics device computes the field.") : root.onCpu || qsTr("The CPU computes the field."))
    }
    Rectangle {
        anchors.fill: view
        visible: !view.hasMesh
        color: Theme.panel
    }
    EmptyHint {
        visible: !view.hasMesh && !root.field.busy
        iconName: Icons.cube
        text: root.status
    }
    EmptyHint {
        visible: !view.hasMesh && root.field.busy
        iconName: Icons.timer
        text: qsTr("Loading the mesh")
    }
    HintBar {
        objectName: "viewport:status"
        visible: view.hasMesh && root.status !== ""
        text: root.status
    }
}
