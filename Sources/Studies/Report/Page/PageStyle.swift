/// The look of a report: readable on paper, on a phone, in the light and in the dark.
///
/// Series have the colours of Okabe and Ito ("Color Universal Design", 2008), which people with each kind of colour
/// blindness can tell apart, and besides a dash and a mark of their own.
enum PageStyle {
    /// Without angle brackets, quotation marks and ampersands: HTML takes the text of a style as it is, XML does not.
    static let css = """
        :root { color-scheme: light dark; --paper: #fff; --ink: #1d2329; --soft: #59636e; --rule: #d5dae0;
          --panel: #f5f7f9; --c0: #0072b2; --c1: #d55e00; --c2: #008f68; --c3: #aa5187; --inside: #fff;
            --halo: rgba(0,0,0,.45);
          --p: #56646f; --hatch: rgba(255,255,255,.6); --pass: #00664a; --fail: #a33b00; }
        @media screen and (prefers-color-scheme: dark) { :root { --paper: #14181c; --ink: #e4e8ec; --soft: #a2adb8;
          --rule: #3a434c; --panel: #1c2228; --c0: #5ab4ec; --c1: #ff9a52; --c2: #3fcf9f; --c3: #e79ac6;
          --inside: #10151a; --halo: rgba(255,255,255,.4); --p: #9aa8b4; --hatch: rgba(0,0,0,.5); --pass: #4fd6a8;
            --fail: #ff9a66; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 47rem; background: var(--paper);
          color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
        pre, code { overflow-wrap: anywhere; }
        h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .25rem; }
        h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
        h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
        p { margin: .5rem 0; }
        .soft, figcaption, summary { color: var(--soft); }
        figcaption, summary, table, code { font-size: .875rem; }
        figcaption strong { color: var(--ink); }
        figure { margin: 1.25rem 0 2rem; }
        figure svg { display: block; max-width: 100%; height: auto; margin: .5rem 0; }
        .narrow { display: none !important; } .patterns { position: absolute; }
        .panels { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0 1.25rem; }
        ul.answers { list-style: none; padding: 0; margin: .75rem 0; }
        ul.answers li { background: var(--panel); border-left: 5px solid var(--soft); padding: .5rem .75rem;
          margin: .4rem 0; }
        ul.answers li.pass { border-left-color: var(--pass); }
        ul.answers li.fail { border-left: 5px double var(--fail); }
        ul.tiles { list-style: none; padding: 0; margin: 1rem 0; display: grid; gap: .5rem;
          grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); }
        ul.tiles li { background: var(--panel); border-top: 3px solid var(--rule); padding: .5rem .75rem; }
        ul.tiles li.pass { border-top-color: var(--pass); } ul.tiles li.fail { border-top: 5px double var(--fail); }
        ul.tiles .figure { display: block; font-size: 1.25rem; font-weight: 700; line-height: 1.3; }
        ul.tiles .soft { display: block; font-size: .8125rem; line-height: 1.3; }
        .pass .figure { color: var(--pass); } .fail .figure { color: var(--fail); }
        nav { font-size: .875rem; line-height: 1.9; } nav a { margin-right: .75rem; white-space: nowrap; }
        a { color: var(--c0); }
        .views input { position: absolute; opacity: 0; } .views label { display: inline-block; cursor: pointer;
          border: 1px solid var(--rule); padding: .15rem .6rem; margin: .25rem .25rem .25rem 0; font-size: .875rem; }
        .views input:checked + label { background: var(--panel); border-color: var(--soft); font-weight: 700; }
        .views input:focus-visible + label { outline: 2px solid var(--c0); } .view { display: none; }
        .views input:nth-of-type(1):checked ~ .view:nth-of-type(1),
          .views input:nth-of-type(2):checked ~ .view:nth-of-type(2),
        .views input:nth-of-type(3):checked ~ .view:nth-of-type(3) { display: block; }
        input[type=search] { font: inherit; font-size: .875rem; padding: .15rem .5rem; margin: .5rem 0; max-width: 100%;
          color: inherit; background: var(--panel); border: 1px solid var(--rule); }
        th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid var(--c0); }
        th[aria-sort=ascending] button::after { content: ' ▴'; }
          th[aria-sort=descending] button::after { content: ' ▾'; }
        .verdict { font-weight: 700; }
        .pass .verdict { color: var(--pass); } .fail .verdict { color: var(--fail); }
        .warnings li { margin: .25rem 0; }
        table { border-collapse: collapse; }
        th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid var(--rule);
          vertical-align: top; }
        thead th { border-bottom-color: var(--soft); vertical-align: bottom; }
        .scroll th, .scroll td { overflow-wrap: normal; } .scroll .word { white-space: nowrap; }
        td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
        th.number { text-align: right; } .scroll th[scope=row] { min-width: 5.5rem; }
        .scroll { overflow-x: auto; background:
          linear-gradient(to right, var(--paper) 30%, transparent) left / 3rem 100%,
          linear-gradient(to left, var(--paper) 30%, transparent) right / 3rem 100%,
          linear-gradient(to right, var(--rule), transparent) left / .75rem 100%,
          linear-gradient(to left, var(--rule), transparent) right / .75rem 100%;
          background-repeat: no-repeat; background-attachment: local, local, scroll, scroll; }
        summary { cursor: pointer; }
        pre { background: var(--panel); padding: .6rem .75rem; white-space: pre-wrap; }
        svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
        svg .title { fill: var(--soft); } svg .inside { fill: var(--inside); font-weight: 700;
          paint-order: stroke; stroke: var(--halo); stroke-width: 3px; }
        .grid { stroke: var(--rule); } .axis { stroke: var(--soft); }
        .l0, .l1, .l2, .l3 { fill: none; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
        .w0, .w1, .w2, .w3 { stroke-width: 2; }
        .l0, .w0 { stroke: var(--c0); } .l1, .w1 { stroke: var(--c1); } .l2, .w2 { stroke: var(--c2); }
        .l3, .w3 { stroke: var(--c3); }
        .l1 { stroke-dasharray: 7 5; } .l2 { stroke-dasharray: 2 5; } .l3 { stroke-dasharray: 10 4 2 4; }
        .k0, .k1, .k2, .k3 { opacity: .12; } .k0 { fill: var(--c0); } .k1 { fill: var(--c1); }
        .k2 { fill: var(--c2); } .k3 { fill: var(--c3); }
        .b0, .b1, .b2, .b3 { opacity: .2; } .b0, .m0, .f0 { fill: var(--c0); } .b1, .m1, .f1 { fill: var(--c1); }
        .b2, .m2, .f2 { fill: var(--c2); } .b3, .m3, .f3 { fill: var(--c3); } .f4 { fill: var(--p); }
          .f5 { fill: var(--soft); }
        .f0, .f1, .f2, .f3, .f4 { stroke: var(--paper); } .m0, .m1, .m2, .m3 { stroke: var(--paper); }
        .box { fill: var(--panel); stroke: var(--soft); } .gauge { fill: var(--rule); } .busy { fill: var(--c0); }
        .full { fill: var(--c1); } .route { stroke: var(--soft); opacity: .55; }
        .lost, .limit { stroke: var(--fail); stroke-dasharray: 6 4; } .chosen { fill: var(--pass); }
        .calm { fill: var(--rule); opacity: .6; } .recovering { fill: var(--c1); opacity: .18; }
        .warm { fill: var(--rule); opacity: .45; } .fault { fill: url(#faults); } #faults path { stroke: var(--soft);
          stroke-width: 1.5; }
        .hatched { fill: url(#waiting); } #waiting path { stroke: var(--hatch); stroke-width: 1.5; }
        @media (max-width: 46rem) { .wide { display: none !important; } .narrow { display: block !important; }
          .panels .narrow { margin: .5rem auto; } h1 { font-size: 1.35rem; }
          .scroll table { font-size: .8125rem; } .scroll th, .scroll td { padding: .2rem .35rem; } }
        @media screen and (min-width: 64rem) {
          .scroll { width: max-content; min-width: 100%; max-width: calc(50vw + 20.5rem); } }
        @media print { body { max-width: none; font-size: 11pt; } figure { break-inside: avoid; }
          h2 { break-after: avoid; } details:not([open]) { display: none; } }
        """

    /// Hatchings, defined once for all drawings.
    static func writePatterns(to page: inout Markup) {
        page.element("svg", ["width": "0", "height": "0", "aria-hidden": "true", "class": "patterns"]) {
            svg in
            svg.element("defs") { definitions in
                for (name, line) in [("faults", "M0 8L8 0"), ("waiting", "M0 0L8 8")] {
                    definitions.element(
                        "pattern",
                        ["id": name, "width": "8", "height": "8", "patternUnits": "userSpaceOnUse"]
                    ) { $0.empty("path", ["d": line]) }
                }
            }
        }
    }
}

extension PageStyle {
    /// Sections that are a sheet of A4 each, on paper and on the screen.
    static let sheets = """
        @page { size: A4; margin: 12mm 14mm; }
        body { max-width: 46rem; font-size: 14px; }
        .sheet { display: block; } .sheet + .sheet { border-top: 1px solid var(--rule); margin-top: 2rem;
          padding-top: 1rem; }
        .sheet figure { margin: .75rem 0; } .sheet figcaption, .sheet table, .sheet .notes { font-size: .8125rem; }
        .sheet th, .sheet td { padding: .1rem .5rem; } .sheet .notes { padding-left: 1.1rem; margin: .5rem 0; }
        .sheet details[open] summary { display: none; }
        .sheet input[type=search] { display: none; }
        @media print { body { padding: 0; font-size: 9.5pt; } header { margin: 0; }
          h1 { font-size: 15pt; } .sheet .wide { display: block !important; }
          .sheet .narrow { display: none !important; }
          .sheet + .sheet { break-before: page; border: 0; margin: 0; padding: 0; }
          .sheet .scroll { overflow: visible; background: none; width: auto; max-width: none; } }
        """
}
