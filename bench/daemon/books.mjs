import { pause } from './started-daemon.mjs';

const settleMs = 20_000;
const cents = (amount) => Math.round(amount * 100);
const total = (rows, amountOf) => rows.reduce((sum, row) => sum + amountOf(row), 0);

/**
 * The outcomes of the orders, and whether the strategies' money is the account's, once nothing is in flight. The
 * market goes on, so the account is read between two equal reads of the strategies.
 */
export async function books({ daemon, gateway, before }) {
  const endMs = performance.now() + settleMs;
  let last;
  for (;;) {
    const strategies = await daemon.json('/status');
    const account = await gateway.json('/account');
    const figures = figuresOf(strategies, cents(account.balance) - cents(before.balance));
    const isSettled = figures.inFlight + figures.queued === 0 && JSON.stringify(figures) === last;
    if (isSettled || performance.now() > endMs) return figures;
    last = JSON.stringify(figures);
    await pause(1_000);
  }
}

function figuresOf(strategies, balanceChangeCents) {
  const orders = (kind) => total(strategies, (strategy) => strategy.orders[kind]);
  const realizedCents = total(strategies, ({ realized }) => cents(realized));
  return {
    done: orders('submitted'),
    rejected: orders('rejected'),
    denied: orders('denied'),
    blocked: orders('blocked'),
    unknown: orders('unknown'),
    inFlight: orders('inFlight'),
    queued: total(strategies, ({ inboundQueueDepth }) => inboundQueueDepth),
    trades: total(strategies, ({ trades }) => trades),
    droppedTicks: total(strategies, ({ droppedTicks }) => droppedTicks),
    missedBars: total(strategies, ({ missedBars }) => missedBars),
    failedWrites: total(strategies, ({ persistence }) => persistence.failedWrites),
    realized: realizedCents / 100,
    balanceChange: balanceChangeCents / 100,
    agree: realizedCents === balanceChangeCents,
  };
}
