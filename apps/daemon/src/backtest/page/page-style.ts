/** Rows that do not fit a phone are cards, and the months of a year two rows of six. */
const phoneTables = `
.cards,.cards tbody,.years,.years tbody{display:block}.cards tr:first-child:not(:has(button)),.years tr:first-child{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cards tr,.years tr{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.3rem .6rem;padding:.5rem .6rem;border-bottom:1px solid var(--rule)}
.cards tr:last-child,.years tr:last-child{border-bottom:0}
.cards td,.years td{display:block;padding:0;border:0;text-align:left;white-space:normal;overflow-wrap:anywhere}
.cards td::before,.years td::before{content:attr(data-label);display:block;font-size:.72rem;font-weight:400;color:var(--dim)}
.cards td:first-child,.cards td.long{grid-column:1/-1}.cards td:first-child{font-weight:600}
.cards td:first-child::before{display:inline;margin-right:.4rem}.cards td[data-label='']::before{content:none}
.years tr{grid-template-columns:repeat(6,minmax(0,1fr));gap:2px}.heat.years td{padding:.15rem 0;text-align:center;min-width:0;font-size:.78rem}.years td:empty{display:none}
.heat.years td.year,.heat.years td:last-child{grid-column:span 3;order:-2;font-size:.88rem;font-weight:600;color:var(--text);text-align:left}
.heat.years td:last-child{order:-1;text-align:right}.years td:last-child::before{display:inline;margin-right:.4rem}
#trades tr:has(button){display:flex;flex-wrap:wrap;gap:.2rem .8rem;position:sticky;top:0;background:var(--panel);box-shadow:inset 0 -1px var(--rule)}#trades th{display:block;position:static;padding:.25rem 0;box-shadow:none;border:0}
#trades tr:has(button)::before{content:'Sort by';padding:.25rem 0;color:var(--dim);font-size:.72rem;align-self:center}
#trades td[data-label=opened]{grid-column:auto;font-weight:400}#trades td[data-label=opened]::before{display:block}#trades td[data-label=side],#trades td[data-label=symbol],#trades td[data-label=result]{order:-1;font-weight:600}
`;

/** Colours for bright and dark, and a layout that fits a phone as well as a desk. */
export const pageStyle = `
:root{color-scheme:light dark;--text:#15191e;--dim:#5a6570;--ground:#f4f5f7;--panel:#fff;--rule:#e3e6ea;--gain:#0b7a3b;--loss:#c0262d;--line:#1f6feb;--cursor:#8a94a0}
@media(prefers-color-scheme:dark){:root{--text:#e8ebef;--dim:#9aa5b1;--ground:#0f1216;--panel:#171b21;--rule:#2a313a;--gain:#3fca77;--loss:#ff6b6b;--line:#58a6ff;--cursor:#717c88}}
*{box-sizing:border-box}[hidden]{display:none!important}
body{font:14px/1.45 system-ui,sans-serif;margin:0 auto;padding:1rem 1rem 3rem;max-width:1280px;color:var(--text);background:var(--ground)}
h1{font-size:1.35rem;line-height:1.25;margin:.2rem 0;overflow-wrap:anywhere}h2{font-size:.95rem;margin:1.6rem 0 .5rem}
p,dl{color:var(--dim);margin:.25rem 0;overflow-wrap:anywhere}code{overflow-wrap:anywhere;font-size:.9em}
.warn{color:var(--text);border-left:4px solid var(--loss);background:var(--panel);padding:.45rem .8rem;border-radius:.25rem}
.key{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:.6rem;margin:.8rem 0 .6rem}
.key div{background:var(--panel);border:1px solid var(--rule);border-radius:.5rem;padding:.55rem .8rem .5rem}
.key dt{font-size:.8rem}.key dd{margin:0;font-size:.8rem;font-variant-numeric:tabular-nums}
.key dt+dd{font-size:1.4rem;line-height:1.3;font-weight:650;color:var(--text);letter-spacing:-.01em}
.key dd.gain,td.gain{color:var(--gain)}.key dd.loss,td.loss{color:var(--loss)}
.folds{display:flex;flex-wrap:wrap;gap:.4rem .6rem;align-items:start}details[open]{flex-basis:100%}
summary{cursor:pointer;width:fit-content;max-width:100%;padding:.3rem .7rem;border:1px solid var(--rule);border-radius:1rem;background:var(--panel);font-size:.85rem}
details[open]>summary{margin-bottom:.5rem}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(19rem,100%),1fr));gap:0 2rem;background:var(--panel);border:1px solid var(--rule);border-radius:.5rem;padding:.4rem .8rem}
.figures div{display:flex;flex-flow:row-reverse;justify-content:space-between;gap:0 1rem;padding:.25rem 0;border-bottom:1px solid var(--rule);color:var(--dim);font-size:.9rem}
.figures b{font-weight:600;max-width:65%;flex:none;color:var(--text);overflow-wrap:anywhere;font-variant-numeric:tabular-nums;text-align:right}.luck div{flex-wrap:wrap}.figures p{flex-basis:100%;order:1}
.card{background:var(--panel);border:1px solid var(--rule);border-radius:.5rem;padding:.2rem .4rem;margin-bottom:.6rem}
.card h2{margin:.4rem .5rem 0;font-size:.85rem;font-weight:600}.card h2 small{font-weight:400;color:var(--dim);font-size:inherit;margin-left:.6rem}
.chart{touch-action:pan-y;cursor:crosshair;overflow:hidden}.u-over .u-cursor-x{border-color:var(--cursor)}
.legend-name{white-space:nowrap}
.mark{display:inline-block;width:1.1rem;border-top:2px solid;vertical-align:middle;margin-right:.3rem}.mark.dash{border-top-style:dashed}
.chart:focus-visible,tr:focus-visible,button:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--line);outline-offset:1px}
.tools{display:flex;flex-wrap:wrap;gap:.3rem;align-items:center;position:sticky;top:0;background:var(--ground);padding:.4rem 0;z-index:1}
.tools button{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--rule);border-radius:.35rem;min-width:2.1rem;min-height:2rem;cursor:pointer}
.tools button:hover{border-color:var(--dim)}
#readout{font-variant-numeric:tabular-nums;font-size:.85rem;margin-left:.4rem}
.scroll{overflow:auto;max-height:32rem;background:var(--panel);border:1px solid var(--rule);border-radius:.5rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.88rem}
th{position:sticky;top:0;background:var(--panel);color:var(--dim);font-weight:500;box-shadow:inset 0 -1px var(--rule)}
td,th{text-align:right;padding:.24rem .7rem;border-bottom:1px solid var(--rule);white-space:nowrap}tr:last-child>td{border-bottom:0}
td:first-child,th:first-child,td.text,th.text{text-align:left}tr[data-trade]{cursor:pointer}tr[data-trade]:hover{background:var(--ground)}
#trades th button{all:unset;cursor:pointer}#trades th button:focus-visible{outline:2px solid var(--line)}
.tools.still{position:static}.groups{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:0 1rem}.groups .scroll{max-height:none}.groups.tables{display:block;columns:2 17rem;column-gap:1rem;margin-top:1.6rem}.tables>div{break-inside:avoid}.tables>div:first-child h2{margin-top:0}.tables h2{margin-top:1rem}.scroll+.card{margin-top:1rem}
.heat th{text-align:center}.heat td{padding:.3rem .4rem;text-align:center;min-width:1rem}.heat td:first-child{text-align:right;color:var(--dim)}.heat.years td:last-child{font-weight:600}.heat tr:first-child th:first-child{text-align:right}
.heat .g{background:color-mix(in srgb,var(--gain) calc(var(--s)*45%),transparent)}.heat .b{background:color-mix(in srgb,var(--loss) calc(var(--s)*45%),transparent)}
.plot{padding:.9rem .9rem .4rem 4.2rem;font-size:11px;color:var(--dim)}
.area{position:relative}.plot svg{display:block;width:100%;height:14rem;overflow:visible}
.value{position:absolute;right:100%;transform:translateY(-50%);margin-right:.5rem;white-space:nowrap}
.times{position:relative;height:1.5rem;margin-top:.4rem}.time{position:absolute;transform:translateX(-50%);white-space:nowrap}
.grid,.equal{stroke:var(--rule)}polyline,.dots{fill:none;stroke-width:1.5}.plot svg *{vector-effect:non-scaling-stroke}
.plot .dots{stroke-width:5;stroke-linecap:round;stroke-opacity:.65}polyline.equal{stroke:var(--cursor);stroke-dasharray:2 4}
.dots.won{stroke:var(--gain)}.dots.lost{stroke:var(--loss)}rect.won{fill:var(--gain)}rect.lost{fill:var(--loss)}
.groups>.card,.groups>div>.card{margin-top:.6rem}.card .plot{padding-left:3.4rem}
@media(max-width:600px){.spare{display:none}}
@media(max-width:700px){body{padding:.6rem .6rem 3rem}.key{grid-template-columns:repeat(2,minmax(0,1fr));gap:.4rem}.key div{padding:.4rem .6rem}.key dt+dd{font-size:1.15rem}
.tools button{min-width:2.6rem;min-height:2.4rem}#readout{margin-left:0;flex-basis:100%;font-size:.75rem;min-height:3em}td,th{padding:.3rem .5rem}
${phoneTables}}
@media print{body{background:none;padding:0}.tools{display:none}.scroll{max-height:none}.card,.key div,tr{break-inside:avoid}h2{break-after:avoid}
#trades tr:nth-child(n+51){display:none}#trades:has(tr:nth-child(51))::after{content:'The first 50 trades are printed; the page and the CSV have all of them.';color:var(--dim)}}
`;

/** A colour for each strategy, bright enough for a dark page and dark enough for a bright one. */
const colours = ['#d6336c', '#0c8599', '#e8590c', '#9c36b5', '#5c940d', '#a1887f'];

export const strategyStyle = `:root{${colours.map((colour, index) => `--strategy-${index}:${colour}`).join(';')}}`;

/** A square in the colour of a strategy. */
export function strategyMark(index: number): string {
  return `<span style="color:var(--strategy-${index % colours.length})">■</span>`;
}
