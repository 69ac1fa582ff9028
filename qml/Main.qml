// The window: bar above, palette, canvas, viewport and inspector, problems and losses below, status line. Opens
// graph files that are dropped on it.
import QtQuick
import QtQuick.Controls.Basic as Basic
import QtQuick.Templates as T
import Halfwire
import Halfwire.App
import Halfwire.Canvas

Basic.ApplicationWindow {
    id: window
    minimumWidth: 960
    minimumHeight: 600
    title: App.document.title + (App.document.marked ? " •" : "") + qsTr(" – Halfwire")
    color: Theme.window
    palette {  // of controls that are not ours
        window: Theme.panel
        windowText: Theme.text
        base: Theme.input
        alternateBase: Theme.raised
        text: Theme.text
        button: Theme.raised
        buttonText: Theme.text
        highlight: Theme.accentDim
        highlightedText: Theme.text
        placeholderText: Theme.textFaint
        mid: Theme.lineStrong
        dark: Theme.textFaint
        light: Theme.panel
        midlight: Theme.hover
        toolTipBase: Theme.raised
        toolTipText: Theme.text
        link: Theme.accent
    }
    property bool closing: false
    Component.onCompleted: {
        width = Math.max(minimumWidth, Math.min(panels.width_, Screen.desktopAvailableWidth));
        height = Math.max(minimumHeight, Math.min(panels.height_, Screen.desktopAvailableHeight));
        if (KeyBindings.problem !== "")
            toast.show("", KeyBindings.problem, qsTr("Set them anew: Help, Keyboard Shortcuts."));
    }
    onWidthChanged: panels.width_ = width
    onHeightChanged: panels.height_ = height
    onClosing: close => {
        if (closing || App.documents.modifiedFrom(0) < 0)
            return;
        close.accepted = false;
        files.settleAll(() => {
            closing = true;
            App.documents.giveUp();
            window.close();
        });
    }

    PanelStates { id: panels }
    Look { id: look }
    FileFlow {
        id: files
        window: window
    }
    Actions {
        id: actions
        files: files
        onCyclePanels: step => workspace.cycle(step)
        onFindRequested: workspace.canvas.find()
        onShortcutsRequested: shortcuts.made(window).open()
        onDtypesRequested: dtypes.made(window).open()
        onAboutRequested: about.made(window).open()
        onReportRequested: report.made(window).open()
        onRewriteRequested: rewrite.made(window).open()
        onExportRequested: onnxExport.made(window).open()
    }
    Connections {
        target: actions.runs
        function onCheckRequested(check) { workspace.runCheck(check); }
        function onTryPrecisionRequested() { precision.made(window).openFor("try"); }
        function onPlanPrecisionRequested() { precision.made(window).openFor("plan"); }
        function onCommandCopied(command) { toast.notify(qsTr("Copied to the clipboard"), command); }
    }
    Connections {
        target: App
        function onShownChanged() { toast.keepTo(App.document); }
        function onRefused(code, reason, remedy) { toast.show(code, reason, remedy, App.document); }
    }
    Connections {
        target: App.document
        function onHistoryChanged() {
            if (toast.ofEdit)
                toast.hide();
        }
        function onExplained(what, lines) {
            const most = 5;
            const cut = lines.length > most;
            const shown = cut ? lines.slice(0, most).concat(qsTr("and %1 more").arg(lines.length - most)) : lines;
            toast.notify(what, shown.join("\n"), true, App.document);
        }
    }
    Connections {
        target: App.document.weights
        function onSavedInRun(step) {
            toast.notify(qsTr("Saved, with the weights of step %1").arg(step),
                       qsTr("The run goes on; what it learns from here is not saved yet."), false, App.document);
        }
    }
    Connections {
        target: App.documents
        function onFileReloaded(name, running) {
            toast.notify(qsTr("%1 has changed on disk and was read again").arg(name),
                       running ? qsTr("The run goes on with it; the weights stay.") : "");
        }
        function onNoted(what, more) { toast.notify(what, more, false, App.document); }
        function onRecovered(titles, when) {
            toast.notify(qsTr("Halfwire ended without saving; your changes are back: %1").arg(titles),
                       qsTr("As they were at %1. Save to keep them.").arg(when));
        }
        function onFailed(code, reason, remedy) {
            if (code !== "")
                toast.show(code, reason, remedy, null, App.problems.fileRemedy(code));
            else
                toast.clear();
        }
    }

    header: Column {
        TopBar {
            width: parent.width
            actions: actions
            panels: panels
            look: look
            home: workspace.canvas
            onCanvasRequested: name => workspace.canvas.perform(name)
        }
        DocumentTabs {
            width: parent.width
            visible: App.documents.count > 1
            onCloseRequested: row => files.closeDocument(row)
            onNewRequested: files.newDocument()
        }
    }
    footer: StatusBar {
        onProblemsRequested: {
            workspace.showProblems();
            App.problems.revealNext();
        }
    }
    Workspace {
        id: workspace
        anchors.fill: parent
        panels: panels
        gauges: look.gauges
        minimap: look.minimap
        onOpenExample: file => files.openFile(file)
        onTryPrecisionRequested: precision.made(window).openFor("try")
        onDescribeRequested: node => block.made(window).openFor(node)
    }
    DropArea {
        anchors.fill: parent
        keys: ["text/uri-list"]
        onDropped: drop => {
            for (const file of drop.urls)
                files.openFile(file);
        }
    }
    // Made when first asked for: the window opens sooner, and there is less for QML's collector to look at.
    component Lazy: QtObject {
        default property Component sheet
        property QtObject item: null
        function made(owner: QtObject): QtObject {
            item = item ?? sheet.createObject(owner);
            return item;
        }
    }
    Lazy {
        id: shortcuts
        ShortcutsSheet {}
    }
    Lazy {
        id: dtypes
        DTypeSheet {}
    }
    Lazy {
        id: about
        AboutSheet {}
    }
    Lazy {
        id: precision
        PrecisionSheet {}
    }
    Lazy {
        id: rewrite
        RewriteSheet {
            onClosed: workspace.canvas.forceActiveFocus()
        }
    }
    Lazy {
        id: onnxExport
        ExportSheet {
            onClosed: workspace.canvas.forceActiveFocus()
        }
    }
    Lazy {
        id: weightMap
        WeightMapSheet {
            onClosed: workspace.canvas.forceActiveFocus()
        }
    }
    Connections {
        target: App.weightMap
        function onReady() { weightMap.made(window).open(); }
        function onRefused(code, reason, remedy) { toast.show(code, reason, remedy); }
    }
    Lazy {
        id: sizes
        SizesSheet {
            onClosed: workspace.canvas.forceActiveFocus()
        }
    }
    Connections {
        target: App.documents.sizes
        function onAsked() { sizes.made(window).open(); }
    }
    Connections {
        target: App.problems
        function onWeightMapWanted() { App.weightMap.lookAtUnfitted(); }
    }
    Lazy {
        id: block
        BlockSheet {
            onClosed: workspace.canvas.forceActiveFocus()
        }
    }
    Lazy {
        id: report
        ReportSheet {
            onWritten: file => toast.notify(qsTr("The report is written"), file)
            onFailed: (code, reason, remedy) => toast.show(code, reason, remedy)
        }
    }
    Toast {
        id: toast
        parent: T.Overlay.overlay
        y: window.header.height + Theme.space4
        onActed: App.problems.applyFileRemedy()
        cursor: {
            const view = workspace.canvas.view;
            return view.mapToItem(parent, view.cursor);
        }
    }
}
