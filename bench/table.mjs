const columns = [
  ['read', ({ name }) => name],
  ['connections', ({ connections }) => String(connections)],
  ['gateway/s', ({ gateway }) => gateway.perSecond.toFixed(0)],
  ['bare Fastify/s', ({ bare }) => bare.perSecond.toFixed(0)],
  ['ratio', ({ ratio }) => ratio.toFixed(2)],
  ['gateway p50/p99 ms', ({ gateway }) => `${gateway.p50Ms}/${gateway.p99Ms}`],
  ['bare p50/p99 ms', ({ bare }) => `${bare.p50Ms}/${bare.p99Ms}`],
  ['gateway MiB/s', ({ gateway }) => gateway.mibPerSecond.toFixed(1)],
];

/** The results as a table for people, and for a README. */
export function table(results) {
  return markdown([
    columns.map(([title]) => title),
    ...results.map((result) => columns.map(([, cell]) => cell(result))),
  ]);
}

/** Rows of cells, the first of them the head, as a Markdown table. */
export function markdown(rows) {
  const widths = rows[0].map((_, index) => Math.max(...rows.map((row) => row[index].length)));
  const line = (cells) => `| ${cells.map((cell, index) => cell.padEnd(widths[index])).join(' | ')} |`;
  const [head, ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
