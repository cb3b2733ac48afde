const mib = (few, all) => `${few.toFixed(0)} MiB, ${all.toFixed(0)} MiB`;
const ms = (value) => (value === null ? '-' : value < 10 ? value.toFixed(2) : value.toFixed(0));

/** The figures as tables for people, and for a README: they are Markdown. */
export function report({ plan, processors, load, deployed, memory, latency, trading, spinning, spinner, books }) {
  const grownMib = (memory.residentMib - memory.few.residentMib) / (deployed.running - memory.few.strategies);
  const title =
    `${deployed.running} strategies on ${plan.symbols} symbols, an order of each every ${plan.orderEverySeconds} s ` +
    `(${(deployed.running / plan.orderEverySeconds).toFixed(1)} a second), prices at ${plan.speed} times their pace.\n` +
    `Broker, gateway, daemon and this measurement share the ${processors} processors of this machine (load ${load.toFixed(1)}).`;
  return [
    title,
    table(
      ['stage', 'events', "middle strategy's p50 ms", 'p99 ms of all', "worst strategy's p50 ms", 'longest ms'],
      Object.entries(latency).map(([stage, { count, middleP50Ms, allP99Ms, worstP50Ms, maxMs }]) => [
        ...[stage, String(count)],
        ...[middleP50Ms, allP99Ms, worstP50Ms, maxMs].map(ms),
      ]),
    ),
    table(
      ['control port', 'answers', 'p50 ms', 'p99 ms', 'longest ms'],
      [...controlRows('all trade', trading), ...controlRows('one spins', spinning)],
    ),
    table(
      ['', 'daemon CPU %', 'daemon MiB', 'gateway CPU %', 'gateway MiB'],
      [usageRow('all trade', trading), usageRow('one spins', spinning)],
    ),
    table(
      ['', ''],
      [
        [
          'Strategies running',
          `${deployed.running} of ${plan.strategies}, deployed in ${deployed.seconds.toFixed(1)} s`,
        ],
        [`Memory with ${memory.few.strategies} strategies, with all`, mib(memory.few.residentMib, memory.residentMib)],
        ['Memory grown per strategy', `${grownMib.toFixed(2)} MiB`],
        ['Orders done', String(books.done)],
        ['Orders rejected, denied, blocked', `${books.rejected}, ${books.denied}, ${books.blocked}`],
        ['Outcomes unknown at first, in flight at the end', `${books.unknown}, ${books.inFlight}`],
        ['Bars missed', String(books.missedBars)],
        ['Ticks dropped', String(books.droppedTicks)],
        ['State writes failed', String(books.failedWrites)],
        ['Ticks that wait for the one that spins', String(spinner.waiting)],
        ['The watchdog has ended it', spinner.ended ? 'yes' : 'NOT WITHIN THE TIME'],
        ['Realized, change of the balance', `${books.realized}, ${books.balanceChange}`],
      ],
    ),
    books.agree ? 'The sums agree to the cent.' : 'THE SUMS DO NOT AGREE.',
  ].join('\n\n');
}

function controlRows(name, { control }) {
  const row = (title, { count, p50Ms, p99Ms, maxMs }) => [title, String(count), ms(p50Ms), ms(p99Ms), ms(maxMs)];
  const routes = Object.entries(control.routes).map(([route, figures]) => row(`${name}, ${route}`, figures));
  return [row(`${name}, all routes`, control.all), ...routes];
}

function usageRow(name, { daemon, gateway }) {
  const cells = [daemon.cpuPercent, daemon.residentMib, gateway.cpuPercent, gateway.residentMib];
  return [name, ...cells.map((value) => value.toFixed(0))];
}

function table(head, body) {
  const rows = [head, ...body];
  const widths = head.map((_, index) => Math.max(3, ...rows.map((row) => row[index].length)));
  const line = (cells) => `| ${cells.map((cell, index) => cell.padEnd(widths[index])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
