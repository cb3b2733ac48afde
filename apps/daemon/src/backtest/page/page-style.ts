/** Colours for bright and dark, and a layout that fits a phone as well as a desk. */
export const pageStyle = `
:root{color-scheme:light dark;--text:#1d2126;--dim:#5c6670;--ground:#fff;--panel:#f5f6f8;--rule:#dde1e6;--gain:#0a7d32;--loss:#b3261e;--line:#1565c0;--cursor:#8a94a0}
@media(prefers-color-scheme:dark){:root{--text:#e6e9ed;--dim:#9aa5b1;--ground:#14171b;--panel:#1d2126;--rule:#343b44;--gain:#4ccb7a;--loss:#ff7b72;--line:#6cb0ff;--cursor:#717c88}}
*{box-sizing:border-box}
body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:1200px;color:var(--text);background:var(--ground)}
h1{font-size:1.3rem;margin:.5rem 0}h2{font-size:1rem;margin:1.8rem 0 .5rem}
p,dl{color:var(--dim);margin:.3rem 0;overflow-wrap:anywhere}code{overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(10.5rem,1fr));gap:.5rem}
.figures div{background:var(--panel);border-radius:.4rem;padding:.5rem .7rem;color:var(--dim);font-size:.85rem}
.figures b{display:block;font-size:1.05rem;color:var(--text);overflow-wrap:anywhere}
.chart{background:var(--panel);border-radius:.4rem;touch-action:pan-y;cursor:crosshair}
.chart:focus-visible,tr:focus-visible,button:focus-visible{outline:2px solid var(--line)}
.tools{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;position:sticky;top:0;background:var(--ground);padding:.4rem 0;z-index:1}
.tools button{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--rule);border-radius:.3rem;min-width:2.4rem;min-height:2.2rem}
#readout{font-variant-numeric:tabular-nums;min-height:1.5em}
.scroll{overflow:auto;max-height:32rem}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{position:sticky;top:0;background:var(--panel)}td,th{text-align:right;padding:.25rem .5rem;border-bottom:1px solid var(--rule);white-space:nowrap}
td:first-child,th:first-child{text-align:left}tr[data-trade]{cursor:pointer}tr[data-trade]:hover{background:var(--panel)}
#trades th button{all:unset;cursor:pointer}#trades th button:focus-visible{outline:2px solid var(--line)}
.tools.still{position:static}.groups{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:1rem}.groups .scroll{max-height:none}
.heat th{text-align:center}.heat td{padding:.15rem .35rem;text-align:center;min-width:1rem}.heat td:first-child{text-align:right;color:var(--dim)}
.heat .g{background:color-mix(in srgb,var(--gain) calc(var(--s)*70%),transparent)}.heat .b{background:color-mix(in srgb,var(--loss) calc(var(--s)*70%),transparent)}
td.gain{color:var(--gain)}td.loss{color:var(--loss)}
`;

/** A colour for each strategy, bright enough for a dark page and dark enough for a bright one. */
const colours = ['#c2185b', '#00838f', '#ef6c00', '#6a1b9a', '#558b2f', '#8d6e63'];

/** The colours of the strategies of a portfolio, by their numbers. */
export const strategyStyle = `:root{${colours.map((colour, index) => `--strategy-${index}:${colour}`).join(';')}}`;

/** A square in the colour of a strategy. */
export function strategyMark(index: number): string {
  return `<span style="color:var(--strategy-${index % colours.length})">■</span>`;
}
