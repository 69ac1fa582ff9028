// The panels and how they share the window.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Split {
    id: root
    required property var panels  // PanelStates
    property bool gauges: true
    property bool minimap: true
    readonly property alias canvas: canvas
    signal openExample(url file)
    signal tryPrecisionRequested()
    signal describeRequested(string node)
    readonly property var stops: [palette, canvas, viewport, picture, plot, inspector, problems]

    /// `check`: a row of App.checks.
    function runCheck(check: int) {
        panels.problems = true;
        problems.runCheck(check);
    }
    function showProblems() {
        panels.problems = true;
        problems.tab = 0;
    }
    /// F6: the next panel that is open takes the keys.
    function cycle(step: int) {
        let at = stops.findIndex(p => p.activeFocus);
        for (let i = 0; i < stops.length; ++i) {
            at = (at + step + stops.length) % stops.length;
            if (stops[at].visible)
                return stops[at].forceActiveFocus(Qt.TabFocusReason);
        }
    }
    function addInMiddle(type: string) {
        const camera = canvas.view.camera;
        const at = App.freeSpot(camera.toCanvas(Qt.point(canvas.width / 2, canvas.height / 2)));
        App.graph.edits.addNode(type, at.x, at.y);
        canvas.forceActiveFocus();
    }

    Component.onCompleted: canvas.forceActiveFocus()
    Connections {
        target: App.documents
        function onCurrentChanged() { canvas.forceActiveFocus(); }
    }

    Connections {
        target: App.problems
        function onWireWanted(node, input, place) {
            canvas.openSearch(App.freeSpot(Qt.point(place.x - Theme.space8 * 8, place.y)), node, input, false);
        }
    }

    Binding {
        target: App
        property: "watched"
        value: inspector.watched
    }

    // A size is kept when the user drags a handle: others come of the window's size, or while it is laid out.
    Split {
        id: middle
        orientation: Qt.Vertical
        T.SplitView.fillWidth: true
        T.SplitView.minimumWidth: 400

        Split {
            id: upper
            T.SplitView.fillHeight: true
            T.SplitView.minimumHeight: 200

            PalettePanel {
                id: palette
                model: App.palette
                library: App.library
                document: App.document
                visible: root.panels.palette
                T.SplitView.preferredWidth: root.panels.paletteWidth
                T.SplitView.minimumWidth: 140
                onWidthChanged: if (upper.resizing) root.panels.paletteWidth = width
                onAddRequested: type => root.addInMiddle(type)
                onReplaceRequested: type => App.graph.edits.replaceSelection(type)
                onOpenRequested: file => root.openExample(file)
                onCloseRequested: root.panels.palette = false
            }
            NodeCanvas {
                id: canvas
                T.SplitView.fillWidth: true
                T.SplitView.minimumWidth: 240
                graph: App.graph
                document: App.document
                heatMap: App.heatMap
                devices: App.devices
                evaluation: App.run.evaluation
                gauges: root.gauges
                minimap: root.minimap
                reading: App.documents.reading
                examples: App.examples
                recent: App.recent.files
                onOpenExample: file => root.openExample(file)
                onTryPrecisionRequested: root.tryPrecisionRequested()
                onDescribeRequested: node => root.describeRequested(node)
            }
        }
        Split {
            id: bottom
            visible: root.panels.problems || root.panels.losses
            T.SplitView.preferredHeight: root.panels.bottomHeight
            T.SplitView.minimumHeight: 96
            onHeightChanged: if (middle.resizing) root.panels.bottomHeight = height

            ProblemsPanel {
                id: problems
                model: App.problems
                badValue: App.badValue
                run: App.run
                document: App.document
                heatMap: App.heatMap
                checkTabs: App.checkTabs
                checks: App.checks
                visible: root.panels.problems
                T.SplitView.fillWidth: true
                readonly property int narrowest: 420  // its tabs
                T.SplitView.minimumWidth: narrowest
                onFileChosen: (node, param, file) =>
                    App.graph.edits.setParamAt(node, param, App.inspector.pathFor(file))
                onCloseRequested: root.panels.problems = false
            }
            LossPanel {
                run: App.run
                document: App.document
                gradientFlow: App.gradientFlow
                trainingTabs: App.trainingTabs
                trainingModels: App.trainingModels
                visible: root.panels.losses
                T.SplitView.preferredWidth: problems.visible ? Math.min(root.panels.lossesWidth, bottom.width - problems.narrowest - Theme.handle)
                                                             : root.panels.lossesWidth
                T.SplitView.minimumWidth: 232
                T.SplitView.fillWidth: !root.panels.problems
                onWidthChanged: if (bottom.resizing) root.panels.lossesWidth = width
                onCloseRequested: root.panels.losses = false
            }
        }
    }
    Split {
        id: side
        visible: root.panels.viewport || root.panels.inspector
        orientation: Qt.Vertical
        T.SplitView.preferredWidth: root.panels.sideWidth
        T.SplitView.minimumWidth: 280
        onWidthChanged: if (root.resizing) root.panels.sideWidth = width

        // The view that the graph asks for: 3D, a picture or a plot.
        ViewportPanel {
            id: viewport
            field: App.field
            document: App.document
            visible: root.panels.viewport && App.view.kind === "viewport"
            T.SplitView.preferredHeight: root.panels.viewportHeight
            T.SplitView.minimumHeight: 120
            T.SplitView.fillHeight: !root.panels.inspector
            onHeightChanged: if (side.resizing) root.panels.viewportHeight = height
            onCloseRequested: root.panels.viewport = false
        }
        PicturePanel {
            id: picture
            picture: App.picture
            visible: root.panels.viewport && App.view.kind === "picture"
            T.SplitView.preferredHeight: root.panels.viewportHeight
            T.SplitView.minimumHeight: 120
            T.SplitView.fillHeight: !root.panels.inspector
            onHeightChanged: if (side.resizing) root.panels.viewportHeight = height
            onCloseRequested: root.panels.viewport = false
        }
        PlotPanel {
            id: plot
            model: App.plot
            visible: root.panels.viewport && App.view.kind === "plot"
            T.SplitView.preferredHeight: root.panels.viewportHeight
            T.SplitView.minimumHeight: 120
            T.SplitView.fillHeight: !root.panels.inspector
            onHeightChanged: if (side.resizing) root.panels.viewportHeight = height
            onCloseRequested: root.panels.viewport = false
        }
        Inspector {
            id: inspector
            document: App.document
            edits: App.graph.edits
            inspector: App.inspector
            groupInterface: App.groupInterface
            tensors: App.tensors
            gradients: App.gradients
            run: App.run
            devices: App.devices
            inputs: App.inputs
            jacobian: App.jacobian
            visible: root.panels.inspector
            T.SplitView.fillHeight: true
            T.SplitView.minimumHeight: 160
            onCloseRequested: root.panels.inspector = false
        }
    }
}
