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
