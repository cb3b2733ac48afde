import { failed, holds, passed, unconfirmed } from './checklist.mjs';
import { describe } from './gateway.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const lookEveryMs = 500;
/** A quote that is younger than this is stamped now: further off, the offset of the server's clock is wrong. */
const freshMs = 90_000;
/** The gateway derives the offset from several quotes, and tries again every 30 s until it has one. */
const offsetWaitMs = 45_000;
const dayMs = 86_400_000;

/** Everything that can be checked without an order. Resolves to what the trade checks build on, or to null without a session. */
export async function readChecks({ gateway, list, options }) {
  const health = await session(gateway, list, options);
  if (health === null) return null;
  const account = await accountChecks(gateway, list);
  const symbol = await symbolChecks(gateway, list, options);
  if (account === null || symbol === null) return null;
  const isMoving = await quoteChecks(gateway, list, symbol, options);
  await dataChecks(gateway, list, symbol, isMoving);
  await listChecks(gateway, list);
  await calculatorChecks(gateway, list, symbol);
  await errorChecks(gateway, list, symbol);
  await latencyChecks(gateway, list, symbol);
  return { health, account, symbol, isMoving };
}

async function session(gateway, list, { waitMs }) {
  await list.check('session', 'the gateway answers', async () => {
    const answer = await gateway.call('/health/live');
    return holds(answer.status === 200, describe(answer));
  });
  await list.check('session', 'a wrong key is rejected with 401', async () => {
    const answer = await gateway.call('/account', { key: 'not-the-key' });
    return holds(answer.status === 401 && answer.body.error_type === 'authentication_error', describe(answer));
  });
  let health = null;
  await list.check('session', 'the terminal session is connected', async () => {
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const answer = await gateway.call('/health');
      if (answer.status === 200 && answer.body.terminal_status === 'connected') health = answer.body;
      if (health !== null || answer.status === 401 || performance.now() >= untilMs) {
        const { terminal_status: status, last_error: lastError, connection, terminal_host: host } = answer.body;
        const seen = {
          status: answer.status,
          terminal_status: status,
          last_error: lastError,
          connection,
          terminal_host: host,
        };
        return holds(health !== null, seen);
      }
      await pause(lookEveryMs);
    }
  });
  if (health === null) return null;
  await list.check('session', 'the gateway is ready to trade', async () => {
    const answer = await gateway.call('/health/ready');
    return holds(
      answer.status === 200,
      answer.status === 200 ? 'ready' : { status: answer.status, checks: answer.body.checks },
    );
  });
  await list.check('session', 'terminal and package are of a known build', async () => {
    const { driver, terminal_build: build } = health.connection;
    return build ? passed({ driver, build }) : unconfirmed({ driver, build: build ?? null });
  });
  return health;
}

async function accountChecks(gateway, list) {
  let account = null;
  await list.check('account', 'its sums are right', async () => {
    account = await gateway.read('/account');
    const {
      balance,
      credit,
      profit,
      equity,
      margin,
      margin_free: free,
      margin_level: level,
      currency_digits: digits,
    } = account;
    const cent = 1.01 * 10 ** -digits;
    const isNear = (a, b) => Math.abs(a - b) <= cent;
    const isLevel = margin === 0 ? level === 0 : Math.abs(level - (100 * equity) / margin) < 0.1;
    const isSound = isNear(equity, balance + credit + profit) && isNear(free, equity - margin) && isLevel;
    return holds(isSound, {
      equity: isSound ? 'balance + credit + profit' : { equity, balance, credit, profit },
      level,
    });
  });
  if (account === null) return null;
  await list.check('account', 'trading by programs is allowed', async () => {
    const { trade_allowed: allowed, trade_expert: expert } = account;
    return holds(allowed && expert, { trade_allowed: allowed, trade_expert: expert });
  });
  return account;
}

async function symbolChecks(gateway, list, { symbol: wanted }) {
  let symbol = null;
  await list.check('symbols', 'the list has one to work with', async () => {
    const { data } = await gateway.read('/symbols');
    const open = data.filter(({ visible, trade_mode: mode }) => visible && mode === 4);
    const row = data.find(({ name }) => name === (wanted ?? 'EURUSD')) ?? (wanted === undefined ? open[0] : undefined);
    if (!row) return failed(`${data.length} symbols, none of them ${wanted ?? 'visible and open to trading'}`);
    symbol = row.name;
    return passed(`${data.length} symbols, ${symbol} taken`);
  });
  if (symbol === null) return null;
  let record = null;
  await list.check('symbols', 'its record is complete', async () => {
    const info = await gateway.read(`/symbol_info/${encodeURIComponent(symbol)}`);
    const { digits, point, volume_min: min, volume_step: step, volume_max: max } = info;
    const { trade_tick_size: tick, trade_contract_size: contract } = info;
    const isSound =
      Math.abs(point - 10 ** -digits) < 1e-12 && min > 0 && step > 0 && max >= min && tick > 0 && contract > 0;
    record = info;
    const { trade_mode: mode, trade_exemode: execution, filling_mode: filling, trade_stops_level: stops } = info;
    return holds(isSound, { digits, min, step, max, contract, mode, execution, filling, stops });
  });
  return record && { ...record, name: symbol };
}

/** Resolves to whether the quote of the symbol moves: in a closed market much cannot be confirmed. */
async function quoteChecks(gateway, list, { name }, { waitMs }) {
  const path = `/symbol_info_tick/${encodeURIComponent(name)}`;
  let isMoving = false;
  let last = null;
  await list.check('quotes', 'bid and ask are prices, and they move', async () => {
    const first = await gateway.read(path);
    if (!(first.bid > 0 && first.ask >= first.bid)) return failed({ bid: first.bid, ask: first.ask });
    const untilMs = performance.now() + waitMs;
    for (last = first; performance.now() < untilMs && !isMoving; last = await gateway.read(path)) {
      isMoving = last.time_msc > first.time_msc;
      if (!isMoving) await pause(lookEveryMs);
    }
    const seen = { bid: last.bid, ask: last.ask, time_utc: last.time_utc };
    return isMoving
      ? passed(seen)
      : unconfirmed({ ...seen, why: `no new quote in ${waitMs / 1_000} s: is the market closed?` });
  });
  await list.check('clock', "the offset of the server's clock is known and right", async () => {
    const untilMs = performance.now() + (isMoving ? offsetWaitMs : 0);
    let { server_time: known } = await gateway.read('/health');
    while (known.offset_seconds === null && performance.now() < untilMs) {
      await pause(lookEveryMs);
      ({ server_time: known } = await gateway.read('/health'));
    }
    if (known.offset_seconds === null)
      return isMoving ? failed(known) : unconfirmed({ ...known, why: 'no quote moves' });
    const seen = { offset_seconds: known.offset_seconds, source: known.source };
    if (!isMoving || last === null) return unconfirmed({ ...seen, why: 'no quote moves' });
    // Read again: a quote that was read without an offset carries no time in UTC.
    last = await gateway.read(path);
    const behindMs = Date.now() - Date.parse(last.time_utc);
    return holds(Math.abs(behindMs) <= freshMs, { ...seen, newest_quote_behind_seconds: Math.round(behindMs / 1_000) });
  });
  return isMoving;
}

async function dataChecks(gateway, list, { name }, isMoving) {
  const symbol = encodeURIComponent(name);
  for (const [timeframe, count] of [
    ['M1', 200],
    ['H1', 100],
    ['D1', 50],
  ]) {
    await list.check('bars', `${timeframe} bars ascend, and each is sound`, async () => {
      const { data, time_basis: basis } = await gateway.read(
        `/fetch_data_pos?symbol=${symbol}&timeframe=${timeframe}&num_bars=${count}`,
      );
      if (data.length === 0) return failed('no bars');
      const isAscending = data.every((bar, at) => at === 0 || bar.time_server > data[at - 1].time_server);
      const broken = data.find(
        ({ open, high, low, close }) => !(low > 0 && high >= Math.max(open, close) && low <= Math.min(open, close)),
      );
      const seen = {
        bars: data.length,
        first: data[0].time,
        last: data.at(-1).time,
        basis,
        ...(broken ? { broken } : {}),
      };
      return holds(isAscending && !broken, seen);
    });
  }
  await list.check('bars', 'a range has the same bars as their positions', async () => {
    const { data } = await gateway.read(`/fetch_data_pos?symbol=${symbol}&timeframe=H1&num_bars=24&start_pos=1`);
    if (data.length < 2) return unconfirmed(`${data.length} finished hours`);
    const [first, last] = [data[0], data.at(-1)];
    const span = `start=${encodeURIComponent(first.time)}&end=${encodeURIComponent(last.time)}`;
    const range = await gateway.read(`/fetch_data_range?symbol=${symbol}&timeframe=H1&${span}`);
    const differing = data.filter(
      (bar) => !range.data.some((other) => other.time === bar.time && other.close === bar.close),
    );
    return holds(differing.length === 0, { bars: data.length, differing: differing.length });
  });
  await list.check('ticks', 'the ticks of the last ten minutes ascend', async () => {
    const [from, to] = [Date.now() - 600_000, Date.now()].map((ms) => encodeURIComponent(new Date(ms).toISOString()));
    const { data } = await gateway.read(`/copy_ticks_range?symbol=${symbol}&from_date=${from}&to_date=${to}&flags=all`);
    if (data.length === 0)
      return isMoving ? failed('no ticks though the quote moves') : unconfirmed('no ticks: is the market closed?');
    const isAscending = data.every((tick, at) => at === 0 || tick.time_msc >= data[at - 1].time_msc);
    return holds(isAscending, { ticks: data.length, first: data[0].time_utc, last: data.at(-1).time_utc });
  });
}

async function listChecks(gateway, list) {
  await list.check('lists', 'positions and their number agree', async () => {
    const { data } = await gateway.read('/get_positions');
    const { total } = await gateway.read('/positions_total');
    return holds(data.length === total, { positions: data.length, total });
  });
  await list.check('lists', 'pending orders are readable', async () => {
    const { total } = await gateway.read('/orders');
    return passed({ orders: total });
  });
  await list.check('history', 'deals and orders of thirty days are readable', async () => {
    const window = [Date.now() - 30 * dayMs, Date.now() + dayMs].map((ms) =>
      encodeURIComponent(new Date(ms).toISOString()),
    );
    const span = `from_date=${window[0]}&to_date=${window[1]}`;
    const deals = await gateway.read(`/history_deals_get?${span}`);
    const orders = await gateway.read(`/history_orders_get?${span}`);
    return passed({ deals: deals.data.length, orders: orders.data.length });
  });
  await list.check('history', 'no trade request of before is unresolved', async () => {
    const { unresolved } = await gateway.read('/reconcile');
    return holds(unresolved.length === 0, { unresolved: unresolved.map(({ key, status }) => ({ key, status })) });
  });
}

async function calculatorChecks(gateway, list, { name, volume_min: volume, point }) {
  const { bid, ask } = await gateway.read(`/symbol_info_tick/${encodeURIComponent(name)}`).catch(() => ({}));
  await list.check('calculators', 'the smallest order needs margin', async () => {
    const body = { symbol: name, volume, type: 'BUY', price: ask };
    const answer = await gateway.call('/order_calc_margin', { method: 'POST', body });
    return holds(
      answer.status === 200 && answer.body.margin > 0,
      answer.status === 200 ? { margin: answer.body.margin } : describe(answer),
    );
  });
  await list.check('calculators', 'a rise is a profit for a buy and a loss for a sell', async () => {
    const profits = [];
    for (const type of ['BUY', 'SELL']) {
      const body = { symbol: name, volume, type, price_open: bid, price_close: bid + 100 * point };
      const answer = await gateway.call('/order_calc_profit', { method: 'POST', body });
      if (answer.status !== 200) return failed(describe(answer));
      profits.push(answer.body.profit);
    }
    return holds(profits[0] > 0 && profits[1] < 0, { buy: profits[0], sell: profits[1] });
  });
  await list.check('calculators', 'the server takes the smallest order in a dry run', async () => {
    const answer = await gateway.call('/order_check', { method: 'POST', body: { symbol: name, volume, type: 'BUY' } });
    const { valid, retcode, retcode_name: retcodeName, comment } = answer.body;
    if (answer.status !== 200) return failed(describe(answer));
    if (retcode === 10_018) return unconfirmed({ retcode, comment, why: 'the market is closed' });
    return holds(valid === true, { valid, retcode, retcode_name: retcodeName, comment });
  });
}

async function errorChecks(gateway, list, { name }) {
  const expected = [
    ['an unknown symbol is 404', '/symbol_info/NO_SUCH_SYMBOL', {}, 404, 'not_found'],
    ['an unknown position is 404', '/get_deal_from_ticket?ticket=1', {}, 404, 'not_found'],
    ['an unknown route is 404', '/no_such_route', {}, 404, 'not_found'],
    [
      'a timeframe that does not exist is 400',
      `/fetch_data_pos?symbol=${encodeURIComponent(name)}&timeframe=M7`,
      {},
      400,
      'validation_error',
    ],
    [
      'an order without a volume is 400',
      '/order_check',
      { method: 'POST', body: { symbol: name, type: 'BUY' } },
      400,
      'validation_error',
    ],
  ];
  for (const [what, path, request, status, type] of expected) {
    await list.check('errors', what, async () => {
      const answer = await gateway.call(path, request);
      return holds(answer.status === status && answer.body.error_type === type, describe(answer));
    });
  }
  await list.check('errors', 'the last error of the terminal is readable', async () => {
    const { code, message } = await gateway.read('/last_error');
    return holds(Number.isInteger(code) && typeof message === 'string', { code, message });
  });
}

async function latencyChecks(gateway, list, { name }) {
  const symbol = encodeURIComponent(name);
  const reads = [
    ['a quote', `/symbol_info_tick/${symbol}`, 50],
    ['the account', '/account', 20],
    ['the positions', '/get_positions', 20],
    ['1,000 bars', `/fetch_data_pos?symbol=${symbol}&timeframe=M1&num_bars=1000`, 10],
  ];
  for (const [what, path, count] of reads) {
    await list.check('latency', `${count} reads of ${what} are all answered`, async () => {
      const times = [];
      for (let read = 0; read < count; read++) {
        const answer = await gateway.call(path);
        if (answer.status !== 200) return failed(`read ${read + 1}: ${describe(answer)}`);
        times.push(answer.ms);
      }
      return passed(summaryOf(times));
    });
  }
}

/** Number, median, 95th percentile and maximum of some durations, in milliseconds with one decimal. */
export function summaryOf(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => Math.round(10 * sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]) / 10;
  return { count: sorted.length, median: at(0.5), p95: at(0.95), max: at(1) };
}
