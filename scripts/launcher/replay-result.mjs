import { LaunchError } from './commands.mjs';

/** Money is compared in whole units of the last digit of the account's currency: sums are exact there, and not in floating point. */
const unitsOf =
  ({ currency_digits: digits }) =>
  (amount) =>
    Math.round(amount * 10 ** digits);

export async function accountOf(product) {
  return answered(await product.askGateway('/account'), '/account');
}

/** Results from three sources: the daemon's strategies, the account's balance, and the broker's deals. */
export async function sumsOf(product) {
  const strategies = answered(await product.askDaemon('/status'), '/status');
  const account = await accountOf(product);
  const perMagic = [];
  for (const { magic } of strategies) {
    const path = `/reconcile?magic=${magic}&lookback_hours=744`;
    perMagic.push(answered(await product.askGateway(path), path));
  }
  const deals = perMagic.flatMap((one) => one.deals);
  const units = unitsOf(account);
  const total = (rows, amountOf) => rows.reduce((sum, row) => sum + units(amountOf(row)), 0);
  const booked = {
    realized: total(strategies, ({ realized }) => realized),
    balance: units(account.balance),
    deals: total(deals, ({ profit }) => profit) + total(deals, ({ commission }) => commission ?? 0),
    costs: total(deals, ({ swap }) => swap ?? 0) + total(deals, ({ fee }) => fee ?? 0),
    dealCount: deals.length,
    roundTrips: closedPositions(deals),
  };
  // Not among what is booked: it moves with the price.
  const floating = total(strategies, ({ unrealized }) => unrealized);
  const unresolved = perMagic.flatMap((one) => one.unresolved ?? []).length;
  return { strategies, account, booked, floating, unresolved, lastRefusal: await lastRefusal(product, strategies) };
}

/** Why the newest refused order of any strategy was refused, from its log; null without one. */
async function lastRefusal(product, strategies) {
  for (const { name } of strategies) {
    const log = await product.askDaemon(`/logs/${name}?level=warning&lines=100`);
    const line = (log?.body?.lines ?? []).findLast((text) => / (rejected|denied|blocked) \{/.test(text));
    const reason = /"reason":"((?:[^"\\]|\\.)*)"/.exec(line ?? '')?.[1];
    if (reason) return reason;
  }
  return null;
}

/** Positions that were opened and closed again, as a backtest counts its trades. */
export function closedPositions(deals) {
  const left = new Map();
  for (const { position_id: position, entry, volume } of deals) {
    const lots = Math.round(volume * 1e8) * (entry === 0 ? 1 : -1);
    left.set(position, (left.get(position) ?? 0) + lots);
  }
  return [...left.values()].filter((lots) => lots === 0).length;
}

function answered(answer, path) {
  if (answer?.status === 200) return answer.body;
  throw new LaunchError(`${path} answered ${answer?.status ?? 'nothing'}: ${JSON.stringify(answer?.body)}`);
}

/** The sums side by side for people, and whether they agree with no bar missed. */
export function replayResult(
  accountBefore,
  { strategies, account, booked, floating, unresolved, lastRefusal },
  { factor, delay },
) {
  const { currency_digits: digits } = account;
  const amount = (value) => value.toFixed(digits);
  const money = (units) => amount(units / 10 ** digits);
  const change = booked.balance - unitsOf(account)(accountBefore.balance);
  const deals = booked.deals + booked.costs;
  const agree = booked.realized === change && change === deals;
  const missed = strategies.reduce((sum, { missedBars }) => sum + missedBars, 0);
  const trades = strategies.reduce((sum, strategy) => sum + strategy.trades, 0);
  const open = strategies.reduce((sum, { positions }) => sum + positions.length, 0);
  const refused = strategies.reduce((sum, { orders }) => sum + orders.rejected + orders.denied + orders.blocked, 0);
  const rows = [
    [
      'Trades',
      `${booked.roundTrips === 1 ? '1 round trip' : `${booked.roundTrips} round trips`}, as a backtest counts them`,
    ],
    ['Deals', `${trades}, and ${booked.dealCount} at the broker`],
    ['Realized by the strategies', money(booked.realized)],
    ['Change of the balance', `${money(change)}  (${amount(accountBefore.balance)} to ${amount(account.balance)})`],
    ['Deals of /reconcile', money(deals)],
    ['Still open', `${open === 1 ? '1 position' : `${open} positions`}, floating ${money(floating)}`],
    ['Unknown outcomes', String(unresolved)],
    ...(refused > 0 ? [['Orders refused', `${refused}, the last one because: ${lastRefusal ?? 'see the log'}`]] : []),
    ['Bars missed', String(missed)],
    ['Speed reached', `${factor.toFixed(0)} times real time`],
    ['Fills after their signals', delayText(delay)],
  ];
  const verdict = agree ? 'The three sums agree to the last digit.' : 'THE SUMS DO NOT AGREE.';
  const table = rows.map(([name, value]) => `  ${name.padEnd(28)}${value}`).join('\n');
  const caution =
    'The faster a replay runs, the later in market time its orders are filled: with a lower --speed the result comes\n  closer to that of `daemon backtest`, which fills at the first quote after the signal.';
  const text = `${table}\n\n  ${verdict}\n  ${caution}`;
  const hasOnlyRefused = refused > 0 && booked.dealCount === 0;
  return { text, isSound: agree && missed === 0 && unresolved === 0 && !hasOnlyRefused };
}

function delayText(delay) {
  if (delay === null) return 'nothing was filled';
  const seconds = (ms) => `${(ms / 1000).toFixed(0)} s`;
  return `${seconds(delay.meanMs)} of market time on average, ${seconds(delay.maxMs)} at most`;
}
