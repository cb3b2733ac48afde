import { LaunchError } from './commands.mjs';

/** Money is compared in whole cents: its sums are exact there, and not in floating point. */
const cents = (amount) => Math.round(amount * 100);
const money = (wholeCents) => (wholeCents / 100).toFixed(2);
const total = (rows, amountOf) => rows.reduce((sum, row) => sum + cents(amountOf(row)), 0);

export async function accountOf(product) {
  return answered(await product.askGateway('/account'), '/account');
}

/** What the three parties say: the daemon of its strategies, the account of its balance, the broker of its deals. */
export async function sumsOf(product) {
  const strategies = answered(await product.askDaemon('/status'), '/status');
  const account = await accountOf(product);
  const perMagic = [];
  for (const { magic } of strategies) {
    const path = `/reconcile?magic=${magic}&lookback_hours=744`;
    perMagic.push(answered(await product.askGateway(path), path));
  }
  const deals = perMagic.flatMap((one) => one.deals);
  const booked = {
    realized: total(strategies, ({ realized }) => realized),
    balance: cents(account.balance),
    deals: total(deals, ({ profit }) => profit) + total(deals, ({ commission }) => commission ?? 0),
    costs: total(deals, ({ swap }) => swap ?? 0) + total(deals, ({ fee }) => fee ?? 0),
    dealCount: deals.length,
  };
  return { strategies, account, booked, unresolved: perMagic.flatMap((one) => one.unresolved ?? []).length };
}

function answered(answer, path) {
  if (answer?.status === 200) return answer.body;
  throw new LaunchError(`${path} answered ${answer?.status ?? 'nothing'}: ${JSON.stringify(answer?.body)}`);
}

/** The sums side by side for people, and whether they agree with no bar missed. */
export function replayResult(accountBefore, { strategies, account, booked, unresolved }, factor) {
  const change = booked.balance - cents(accountBefore.balance);
  const deals = booked.deals + booked.costs;
  const agree = booked.realized === change && change === deals;
  const missed = strategies.reduce((sum, { missedBars }) => sum + missedBars, 0);
  const trades = strategies.reduce((sum, strategy) => sum + strategy.trades, 0);
  const open = strategies.reduce((sum, { positions }) => sum + positions.length, 0);
  const rows = [
    ['Trades', `${trades}, and ${booked.dealCount} deals at the broker`],
    ['Realized by the strategies', money(booked.realized)],
    [
      'Change of the balance',
      `${money(change)}  (${accountBefore.balance.toFixed(2)} to ${account.balance.toFixed(2)})`,
    ],
    ['Deals of /reconcile', money(deals)],
    ['Still open', `${open} positions, floating ${money(total(strategies, ({ unrealized }) => unrealized))}`],
    ['Unknown outcomes', String(unresolved)],
    ['Bars missed', String(missed)],
    ['Speed reached', `${factor.toFixed(0)} times real time`],
  ];
  const verdict = agree ? 'The three sums agree to the cent.' : 'THE SUMS DO NOT AGREE.';
  const text = `${rows.map(([name, value]) => `  ${name.padEnd(28)}${value}`).join('\n')}\n\n  ${verdict}`;
  return { text, isSound: agree && missed === 0 && unresolved === 0 };
}
