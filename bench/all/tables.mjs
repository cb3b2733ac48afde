/** Milliseconds, or a dash if there is no figure. */
const ms = (value) => (Number.isFinite(value) ? value.toFixed(1) : '-');

/** What `npm run bench:all` prints: each table as rows of cells, the first of them the head. */
export function linkWaits(callMs, rows) {
  const head = [
    ...[`over the link, ${callMs} ms for each call`, 'calls', 'p50 ms', 'p99 ms'],
    ...['beside the calls, p50 ms', 'p99 ms', 'goal'],
  ];
  const cells = rows.map(({ name, calls, p50Ms, p99Ms, addedP50Ms, addedP99Ms }) => [
    ...[name, String(calls), ...[p50Ms, p99Ms, addedP50Ms, addedP99Ms].map(ms)],
    name.startsWith('POST') ? '< 0.7, < 3' : '',
  ]);
  return [head, ...cells];
}

export function linkRates(callMs, rows) {
  const head = [
    ...[`clients of POST /order, ${callMs} ms for each call`, 'orders/s', 'p50 ms', 'p99 ms'],
    ...['calls per order', 'terminal busy, %', 'done', 'refused'],
  ];
  const cells = rows.map((row) => [
    ...[String(row.clients), row.perSecond.toFixed(2), ms(row.p50Ms), ms(row.p99Ms)],
    ...[ms(row.callsPerOrder), row.busyPercent.toFixed(0), String(row.done), String(row.refused)],
  ]);
  return [head, ...cells];
}

export function waits({ fromAnswer, fromRequest }, { symbols, events, socket }) {
  const quantiles = ({ p50, p95, p99 }) => [p50, p95, p99].map(ms);
  return [
    ['waits of a listener, ms', 'p50', 'p95', 'p99', 'goal'],
    ['own trade: from the answer to the event; negative: the event came first', ...quantiles(fromAnswer), 'p99 < 5'],
    ['own trade: from the request to the event', ...quantiles(fromRequest), ''],
    [`quote: from its time at the broker, ${symbols} symbols, by SSE`, ...quantiles(events), 'p99 < 5'],
    [`quote: from its time at the broker, ${symbols} symbols, by WebSocket`, ...quantiles(socket), 'p99 < 5'],
  ];
}

export function ratios(rows) {
  const cells = rows.map(({ name, yardstick, ratio, goal }) => [name, yardstick, ratio.toFixed(2), goal]);
  return [['what', 'compared with', 'ratio', 'goal'], ...cells];
}

export function durable(rows) {
  const head = [
    ...['flush, ms', 'clients', 'orders/s', 'bound', 'p50 ms', 'p99 ms'],
    ...['flushes per order', 'main thread µs per order'],
  ];
  const cells = rows.map(({ flushMs, clients, perSecond, bound, p50Ms, p99Ms, flushes, cpuMicros }) => [
    ...[flushMs, clients].map(String),
    ...[perSecond.toFixed(0), bound?.toFixed(0) ?? ''],
    ...[ms(p50Ms), ms(p99Ms)],
    ...[bound === null ? '' : flushes.toFixed(1), cpuMicros.toFixed(0)],
  ]);
  return [head, ...cells];
}

export function inRow(count, { first, last, skeleton }) {
  return [
    [`${count} orders of 16 clients in a row`, 'main thread µs per order', 'goal'],
    ['first tenth', first.cpuMicros.toFixed(0), '≤ 200'],
    ['last tenth', last.cpuMicros.toFixed(0), 'as the first'],
    ['a Nest skeleton that checks the same body and answers the same bytes', skeleton.cpuMicros.toFixed(0), ''],
  ];
}

export function memory({ apart, embedded }) {
  const all = [apart, embedded];
  const mib = (values) => values.map((value) => value.toFixed(0)).join(', ');
  const row = (name, goal, cell) => [name, ...all.map(cell), goal];
  return [
    ['memory of a gateway, RssAnon, MiB', 'simulator in its own process', 'embedded simulator', 'goal'],
    row('after its start', '≤ 75', ({ idleMib }) => mib([idleMib])),
    ...apart.rows.flatMap(({ orders }, at) => [
      row(`right after ${orders} orders, and 15 s later`, '≤ 130', ({ rows }) =>
        mib([rows[at].mib, rows[at].settledMib]),
      ),
      row('processor time per order since the row above, ms', '', ({ rows }) => rows[at].cpuMs.toFixed(2)),
    ]),
  ];
}

export function strategies(runs) {
  const all = Object.values(runs);
  const row = (name, goal, cell) => [name, ...all.map(cell), goal];
  const stage = (name, member) => (run) => ms(run.latency[name][member]);
  const grown = ({ memory: { few, residentMib }, deployed }) =>
    (residentMib - few.residentMib) / (deployed.running - few.strategies);
  const { strategies: count, symbols, callMs } = runs.link.plan;
  return [
    [
      `${count} strategies on ${symbols} symbols`,
      ...[`over the link, ${callMs} ms`, 'own threads', `groups of ${runs.groups.plan.groupSize}`, 'goal'],
    ],
    row('running', 'all', ({ deployed }) => String(deployed.running)),
    row('deployment of those, s', '< 8', ({ deployed }) => deployed.seconds.toFixed(1)),
    row("quote at the daemon to strategy, the middle one's p50 ms", '', stage('tick_to_strategy', 'middleP50Ms')),
    row('quote at the daemon to strategy, p99 ms of all', '< 5', stage('tick_to_strategy', 'allP99Ms')),
    row("quote at the daemon to submission, the middle one's p50 ms", '', stage('tick_to_submission', 'middleP50Ms')),
    row('quote at the daemon to submission, p99 ms of all', '< 20', stage('tick_to_submission', 'allP99Ms')),
    row('control port, p99 ms', '< 15', ({ trading }) => ms(trading.control.all.p99Ms)),
    row('control port, p99 ms while one spins', '< 15', ({ spinning }) => ms(spinning.control.all.p99Ms)),
    row('memory of each further one, MiB', '≤ 10, ≤ 5 in groups', (run) => ms(grown(run))),
    row('orders done', '', ({ books }) => String(books.done)),
    row('sums agree to the cent', 'yes', ({ books }) => (books.agree ? 'yes' : 'NO')),
  ];
}
