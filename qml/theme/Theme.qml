// The tokens of the look: colours, spacing on a 4-px grid, radii, type, durations. No other file has literals for these.
pragma Singleton
import QtQuick

QtObject {
    /// "dark", "light", or "system": as light as the desktop's own windows.
    property string mode: "dark"
    /// A family to use for text; "" for Halfwire's own.
    property string textFamily: ""
    readonly property bool dark: mode === "system" ? desktop.window.hslLightness < 0.5 : mode !== "light"
    readonly property SystemPalette desktop: SystemPalette {}

    /// Every colour by its token: in the dark and in the light theme.
    readonly property var colours: ({
        // Surfaces, from the window up.
        window: ["#15171b", "#dfe3e9"],
        panel: ["#1c1f25", "#f3f5f8"],
        raised: ["#252932", "#ffffff"],
        hover: ["#2e333e", "#e3e8ef"],
        pressed: ["#383e4b", "#d3dae4"],
        input: ["#13151a", "#ffffff"],
        line: ["#30353f", "#d2d8e1"],
        lineStrong: ["#4a515f", "#a2abba"],
        shade: ["#a0000000", "#60202630"],
        cardShade: ["#a0000000", "#22202630"],
        // Behind the mesh in the viewport, from top to bottom.
        viewTop: ["#2c2e34", "#f4f6f9"],
        viewBottom: ["#16171a", "#d3d9e2"],
        // Words over a picture.
        caption: ["#a0000000", "#a0000000"],
        captionText: ["#e6e9ef", "#ffffff"],
        // Text on these.
        text: ["#e6e9ef", "#1a1f28"],
        textMuted: ["#adb5c3", "#434c5a"],
        textFaint: ["#959eae", "#566072"],
        accent: ["#5aa9f0", "#1565b5"],
        accentDim: ["#24476a", "#cde1f6"],
        accentText: ["#0b1420", "#ffffff"],
        focus: ["#8cc8ff", "#0b5cad"],
        error: ["#ff6b6b", "#b82424"],
        errorDim: ["#4a2427", "#fbe2e1"],
        warning: ["#f2b544", "#7d5200"],
        warningDim: ["#463719", "#faedcb"],
        info: ["#7fb8e8", "#1c679f"],
        ok: ["#55c28a", "#19703f"],
        // The canvas and what lies on it.
        canvas: ["#17191e", "#eaedf2"],
        canvasGrid: ["#22262d", "#cbd2dc"],
        card: ["#242832", "#ffffff"],
        cardHeader: ["#2d323e", "#eef1f5"],
        cardLine: ["#3a4150", "#b4bdca"],
        selection: ["#8cc8ff", "#1565b5"],
        // dtypes, after Okabe–Ito; darker where they lie on white. Names are those of the engine's dtype table.
        dtypeF64: ["#0a78ba", "#005a8e"],
        dtypeF32: ["#56b4e9", "#1c82c2"],
        dtypeTf32: ["#f0e442", "#8c8000"],
        dtypeF16: ["#e69f00", "#ae6f00"],
        dtypeBf16: ["#009e73", "#007d5b"],
        dtypeF8: ["#cc79a7", "#ae5187"],
        dtypeInt: ["#9aa0aa", "#6a717d"],
        dtypeMesh: ["#d55e00", "#c25400"],
        dtypeAny: ["#7a8190", "#686f7d"],
        // Lines of a plot: the first four by input.
        seriesA: ["#56b4e9", "#0b68b0"],
        seriesB: ["#e69f00", "#a85f00"],
        seriesC: ["#2fc498", "#00785a"],
        seriesD: ["#d98bb8", "#a8457c"],
        seriesE: ["#e8dc5a", "#776c00"],
        seriesF: ["#f0805c", "#b8400c"],
        seriesG: ["#a594f2", "#5b43bd"],
        seriesH: ["#9aa8ba", "#4d5a6b"],
        // A heat map, from harmless to harmful.
        heatLow: ["#4f7d9e", "#7fa3bd"],
        heatMid: ["#e0a030", "#dd9a1c"],
        heatHigh: ["#ff5a4d", "#d63a2c"],
        // What a comparison of two graphs marks.
        diffAdded: ["#55c28a", "#19703f"],
        diffRemoved: ["#e08ac0", "#a32c78"],
        diffChanged: ["#f2b544", "#8a5a00"],
        // Frames and notes, by the names that files have; and without one.
        framePlain: ["#8b95a7", "#687285"],
        frameBlue: ["#5b9bd8", "#2f74b8"],
        frameGreen: ["#5fae8b", "#2c8560"],
        frameYellow: ["#cdb04e", "#957a10"],
        frameOrange: ["#d08a50", "#b05f1c"],
        frameRed: ["#cf7070", "#b54848"],
        framePurple: ["#9a8bd0", "#6a57b5"],
        // Stripes of the node categories.
        categorySource: ["#6f9bd1", "#3d6fae"],
        categoryEncoder: ["#c59a4a", "#9c6f14"],
        categoryLayer: ["#5fae8b", "#2c8560"],
        categoryMath: ["#9a8bd0", "#6a57b5"],
        categoryShape: ["#8fa0b0", "#5d7082"],
        categoryLoss: ["#d07a7a", "#b54848"],
        categoryTraining: ["#c77fb0", "#a54d8a"],
        categoryView: ["#4fb0b8", "#1f7f88"],
        categoryBlock: ["#d08a50", "#b05f1c"],
        categoryGroup: ["#b0a06a", "#7d6c2c"]
    })
    /// Those of the theme that is on, for items that are not QML.
    readonly property var byToken: {
        const all = {};
        for (const token in colours)
            all[token] = Qt.color(colours[token][dark ? 0 : 1]);
        return all;
    }

    readonly property color window: byToken.window
    readonly property color panel: byToken.panel
    readonly property color viewTop: byToken.viewTop
    readonly property color viewBottom: byToken.viewBottom
    readonly property color raised: byToken.raised
    readonly property color hover: byToken.hover
    readonly property color pressed: byToken.pressed
    readonly property color input: byToken.input
    readonly property color line: byToken.line
    readonly property color lineStrong: byToken.lineStrong
    readonly property color shade: byToken.shade
    readonly property color cardShade: byToken.cardShade
    readonly property color caption: byToken.caption
    readonly property color captionText: byToken.captionText
    readonly property color text: byToken.text
    readonly property color textMuted: byToken.textMuted
    readonly property color textFaint: byToken.textFaint
    readonly property color accent: byToken.accent
    readonly property color accentDim: byToken.accentDim
    readonly property color accentText: byToken.accentText
    readonly property color focus: byToken.focus
    readonly property color error: byToken.error
    readonly property color errorDim: byToken.errorDim
    readonly property color warning: byToken.warning
    readonly property color warningDim: byToken.warningDim
    readonly property color info: byToken.info
    readonly property color ok: byToken.ok
    readonly property color canvas: byToken.canvas
    readonly property color canvasGrid: byToken.canvasGrid
    readonly property color card: byToken.card
    readonly property color cardHeader: byToken.cardHeader
    readonly property color cardLine: byToken.cardLine
    readonly property color selection: byToken.selection
    readonly property color dtypeF64: byToken.dtypeF64
    readonly property color dtypeF32: byToken.dtypeF32
    readonly property color dtypeTf32: byToken.dtypeTf32
    readonly property color dtypeF16: byToken.dtypeF16
    readonly property color dtypeBf16: byToken.dtypeBf16
    readonly property color dtypeF8: byToken.dtypeF8
    readonly property color dtypeInt: byToken.dtypeInt
    readonly property color dtypeMesh: byToken.dtypeMesh
    readonly property color dtypeAny: byToken.dtypeAny

    readonly property var series: [byToken.seriesA, byToken.seriesB, byToken.seriesC, byToken.seriesD,
        byToken.seriesE, byToken.seriesF, byToken.seriesG, byToken.seriesH]

    /// The colour of a dtype by its token; grey when unknown.
    function dtype(token: string): color {
        return byToken[token] ?? dtypeAny;
    }
    /// The colour of a dtype by its name in files: "f16", "f8e4m3", "i32".
    function dtypeNamed(name: string): color {
        if (/^f8/.test(name))
            return dtypeF8;
        if (/^([iu][0-9]|bool)/.test(name))
            return dtypeInt;
        return byToken["dtype" + name.charAt(0).toUpperCase() + name.slice(1)] ?? dtypeAny;
    }
    /// The colour of a node category's stripe.
    function category(name: string): color {
        return byToken["category" + name] ?? dtypeAny;
    }

    /// The colour of a frame by its name in files; any other name is as none.
    function frame(name: string): color {
        return byToken["frame" + name.charAt(0).toUpperCase() + name.slice(1)] ?? byToken.framePlain;
    }

    // Spacing.
    readonly property int space1: 4
    readonly property int space2: 8
    readonly property int space3: 12
    readonly property int space4: 16
    readonly property int space6: 24
    readonly property int space8: 32
    // Heights of a row, a control, a bar.
    readonly property int row: 28
    readonly property int control: 28
    readonly property int bar: 40
    readonly property int header: 32
    readonly property int preview: 112  // on a card
    readonly property int drawing: 196  // a pad to draw on
    readonly property int icon: 16
    readonly property int handle: 4
    readonly property int picture: 216  // the width of an example's
    readonly property size minimap: Qt.size(208, 136)
    readonly property int tab: 176  // the width of a document's

    readonly property int radiusSmall: 3
    readonly property int radius: 5
    readonly property int radiusLarge: 8
    readonly property int focusRing: 2

    // Type.
    readonly property string family: textFamily || "Inter"
    readonly property string mono: "JetBrains Mono"
    readonly property string icons: "Material Design Icons"
    readonly property int sizeTiny: 10
    readonly property int sizeSmall: 11
    readonly property int sizeBody: 12
    readonly property int sizeTitle: 13
    readonly property int sizeHeading: 16

    // Durations in ms.
    readonly property int quick: 80
    readonly property int normal: 140
    readonly property int tipDelay: 600
    readonly property int toast: 8000
    readonly property int toastTogether: 1000  // what comes so soon after a failure waits for its turn
}
