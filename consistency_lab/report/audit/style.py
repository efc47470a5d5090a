"""How the page of an audit looks: dark on white, and cards instead of a table where it is narrow."""

from typing import Final

STYLE: Final = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #1a1a1a; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 75rem; margin: 0 auto; padding: 0.75rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2rem 0 0.25rem; }
section { border-top: 2px solid #1a1a1a; }
h3 { font-size: 1rem; margin-bottom: 0; }
a { color: #00507d; }
ul, ol { padding-left: 1.25rem; }
.size { margin-top: 0; color: #444; }
.wide { overflow-x: auto; }
.figures { display: flex; flex-wrap: wrap; column-gap: 3rem; align-items: flex-start; }
figure { margin: 1.5rem 0; break-inside: avoid; flex: 0 1 auto; min-width: 0; width: 32rem; max-width: 100%; }
figcaption { color: #444; font-size: 0.9rem; }
svg { display: block; height: auto; }
table { border-collapse: collapse; font-size: 0.85rem; overflow-wrap: normal; }
caption { text-align: left; font-weight: bold; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.5rem; border-bottom: 1px solid #ccc; }
thead th { border-bottom: 2px solid #1a1a1a; vertical-align: bottom; }
.inconsistent { font-weight: bold; text-decoration: underline #D55E00 3px; text-underline-offset: 3px; }
.consistent { font-weight: bold; text-decoration: underline #0072B2 3px; text-underline-offset: 3px; }
@media (max-width: 50rem) {
  table, caption, tbody, tr, th, td { display: block; }
  thead { display: none; }
  tr { border: 1px solid #999; border-radius: 4px; margin: 0.5rem 0; padding: 0.25rem 0.5rem; }
  th, td { border: 0; padding: 0.1rem 0; overflow-wrap: anywhere; }
  td::before { content: attr(data-label) ": "; color: #444; }
  .nothing { display: none; }
  tbody th { font-size: 1rem; }
}
@media print {
  body { font-size: 10pt; }
  main { padding: 0; max-width: none; }
  section { break-before: page; }
  section:first-of-type, section:last-of-type { break-before: auto; }
  tr { break-inside: avoid; }
  table { font-size: 6.5pt; width: 100%; }
  th, td { padding: 0.7mm; }
  th:last-child, td:last-child { display: none; }
  .figures { display: block; }
  svg { max-width: 12cm !important; }
}
"""
