// The node canvas: plane, wires, cards, and what floats above them. Gestures are CanvasView's, edits GraphEdits'.
import QtQuick
import Halfwire
import Halfwire.Canvas

FocusScope {
    id: root

    property alias graph: plane.graph
    property var document: null
    /// [{title, summary, url}] offered while the canvas is empty.
    property var examples: []
    /// The same of the files used last.
    property var recent: []
    property string reading: ""  // the name of a model that is being read for the document
    readonly property alias view: plane
    property alias gauges: plane.gauges
    property alias minimap: corners.minimap
    /// HeatMapModel; null: no heat map.
    property var heatMap: null
    /// DeviceModel; null: nothing is shown of devices.
    property var devices: null
    /// Evaluation; null: no batch is chosen here.
    property var evaluation: null
    readonly property alias keys: keys
    readonly property alias zoom: corners.zoom
    signal openExample(url file)
    signal tryPrecisionRequested()
    signal describeRequested(string node)

    function openSearch(at, node, socket, isOutput) {
        search.openAt(at, node ?? "", socket ?? "", isOutput ?? false);
    }
    function find() { bars.find(); }
    /// Edits the name of a node on its card. False: there is none.
    function rename(node) {
        if (node === "")
            return false;
        plane.revealNode(node);
        if (plane.camera.coarse)
            plane.camera.frame(plane.graph.nodeRect(node));
        plane.renaming = node;
    }
    /// What a key of the canvas does, by its name.
    function perform(name) { keys.run[name](); }
    /// For what follows the active node; false: there is none that something could follow.
    function openSearchAfter() {
        const node = root.document.activeNode;
        if (node === "" || !plane.graph.hasOutputs(node))
            return false;
        root.document.letGo();
        search.openAfter(node);
        return true;
    }
    /// Other nodes in the place of those selected; false: there are none.
    function replaceSelection() {
        if (root.document.activeNode === "")
            return false;
        root.document.letGo();
        return search.openToReplace(plane.cursor);
    }
    function openSearchAtCursor() {
        root.document.letGo();
        const inside = plane.cursor.x > 0 && plane.cursor.y > 0;
        const p = inside ? plane.cursor : Qt.point(width / 2, height / 2);
        openSearch(plane.camera.toCanvas(p));
    }

    objectName: "canvas"
    Accessible.role: Accessible.Canvas
    Accessible.name: qsTr("Node canvas")

    Rectangle {
        anchors.fill: parent
        color: Theme.canvas
    }

    CanvasView {
        id: plane
        /// The node whose name is edited on its card, or "".
        property string renaming: ""
        readonly property var evaluation: root.evaluation
        /// Small print is large enough. Here, because zoom is notified with each move of the camera.
        readonly property bool readable: camera.zoom >= 0.9
        objectName: "canvas:surface"
        anchors.fill: parent
        focus: true
        colours: Theme.byToken
        autoPan: !border.under
        onSearchRequested: (at, node, socket, isOutput) => border.take(at, node, socket, isOutput) || root.openSearch(at, node, socket, isOutput)
        onNodeDoubleClicked: (node, at) => cards.isTitle(node, at) ? root.rename(node) : graph.groups.enter(node)
        onNodeMenuRequested: node => nodeMenu.openFor(node)
        onFrameMenuRequested: frame => frameMenu.openFor(frame)
        onViewRequested: node => graph.edits.viewOutput(node)

        Keys.onPressed: event => keys.handle(event)
        CanvasKeys {
            id: keys
            canvas: root
        }

        GridItem {
            anchors.fill: parent
            view: plane
        }
        FrameLayer {
            anchors.fill: parent
            view: plane
        }
        FrameLabelLayer {
            surface: plane
        }
        WireLayer {
            anchors.fill: parent
            view: plane
        }
        FarLayer {
            anchors.fill: parent
            view: plane
        }
        CardLayer {
            id: cards
            surface: plane
        }
        WireLayer {
            anchors.fill: parent
            view: plane
            coveredOnly: true
            opacity: 0.35
        }
        CompareMarks {
            surface: plane
        }
        WireLabelLayer {
            surface: plane
        }
        Repeater {
            model: root.devices ? root.devices.crossings : []
            TransferMark {
                surface: plane
            }
        }
        Repeater {
            model: plane.graph ? plane.graph.wrongWires : []
            WirePill {
                surface: plane
            }
        }
        HandLayer {
            anchors.fill: parent
            view: plane
        }
        SelectionBox { surface: plane }
        PinchHandler {
            target: null
            property real last: 1
            onActiveChanged: last = 1
            onActiveScaleChanged: {
                plane.camera.zoomAbout(centroid.position, activeScale / last);
                last = activeScale;
            }
        }
        DropArea {
            anchors.fill: parent
            keys: ["halfwire/node-type"]
            onDropped: drop => {
                const at = plane.camera.toCanvas(Qt.point(drop.x, drop.y));
                plane.graph.edits.addNode(drop.source.nodeType, at.x, at.y);
                plane.forceActiveFocus();
                drop.accept();
            }
        }
        GroupBorder {
            id: border
            surface: plane
            waits: search.opened
        }
        CursorTip { surface: plane }
        CanvasCorners {
            id: corners
            surface: plane
            heatMap: root.heatMap
        }
    }

    StartPage {
        anchors.fill: parent
        visible: plane.graph && plane.graph.count === 0 && !search.opened
        reading: root.reading
        examples: root.examples
        recent: root.recent
        onOpenExample: file => root.openExample(file)
        onAddNode: root.openSearch(plane.camera.toCanvas(Qt.point(root.width / 2, root.height / 2)))
    }
    CanvasBars {
        id: bars
        surface: plane
    }
    AddSearch {
        id: search
        surface: plane
        onPlaced: goesOn => {
            if (after !== "" || node !== "")  // else it was placed where the cursor is
                plane.camera.reveal(plane.graph.nodeRect(root.document.activeNode));
            if (goesOn)
                openAfter(root.document.activeNode);
        }
    }
    FrameMenu {
        id: frameMenu
        surface: plane
    }
    NodeMenu {
        id: nodeMenu
        onRenameRequested: node => root.rename(node)
        onReplaceRequested: search.openToReplace(plane.cursor)
        onDescribeRequested: node => root.describeRequested(node)
        onTryPrecisionRequested: root.tryPrecisionRequested()
        surface: plane
        document: root.document
        devices: root.devices
    }

    // The focus ring: keys go here.
    Rectangle {
        anchors.fill: parent
        visible: plane.activeFocus && keys.usedLast
        color: "transparent"
        border.color: Theme.focus
        border.width: Theme.focusRing
    }
}
