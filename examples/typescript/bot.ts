/**
 * A small bot with the gateway's own client: one look at the market, one trade, out again.
 *
 *   npx esbuild examples/typescript/bot.ts --bundle --platform=node --log-level=error | API_KEY=... node
 */
import { randomUUID } from 'node:crypto';
import { GatewayClient, type TradeCall, type TradeEventRecord, tradeCalls } from '@libs/gateway-client';

const { GATEWAY_URL = 'http://127.0.0.1:5001', API_KEY = '', SYMBOL = 'EURUSD' } = process.env;
const volume = Number(process.env.VOLUME ?? '0.1');
const magic = 4001;
const attempts = 5;
/** How long one trade request is repeated. The gateway finds most outcomes within a minute. */
const patienceMs = Number(process.env.PATIENCE_SECONDS || '120') * 1_000;

const gateway = new GatewayClient({ baseUrl: GATEWAY_URL, apiKey: API_KEY });
/** Names this run; every trade request below has a key of its own, generated once and kept until its outcome is known. */
const run = `ts-${randomUUID()}`;

/** It may have been done: only the same key may be sent again. */
class UnknownOutcome extends Error {}

/** A read can simply be retried. */
async function read<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200 * attempt));
    }
  }
}

/** Sends under one key until the outcome is known. The key ensures that repeated requests are executed once. */
async function trade<Body>(call: TradeCall, key: string): Promise<{ body: Body; replayed: boolean }> {
  const until = performance.now() + patienceMs;
  for (let send: 'send' | 'resend' = 'send'; performance.now() < until; send = 'resend') {
    const outcome = await gateway[send]<Body>(call, key);
    if (outcome.kind === 'done') return outcome;
    // Of a repetition too, `resend` calls nothing refused before it is proven that no send under the key was executed.
    if (outcome.kind !== 'unknown') throw new Error(`refused: ${outcome.error}`);
    await new Promise((resolve) => setTimeout(resolve, outcome.retryAfterMs ?? 1_000));
  }
  throw new UnknownOutcome(
    `unknown: the outcome of ${key} is not known yet: send it again under the same key, or see /reconcile`,
  );
}

/** Collects all trade events of this bot until its position is closed, over any break of the connection. */
async function followUntilClosed(events: TradeEventRecord[], isListening: () => void): Promise<void> {
  for await (const message of gateway.streams.trades({ magic })) {
    if (message.kind === 'connected') isListening();
    if (message.kind === 'resync') throw new Error('events were missed: read the positions again');
    if (message.kind !== 'event') continue;
    events.push(message.event);
    if (message.event.event === 'position' && message.event.action === 'closed') return;
  }
}

async function main(): Promise<void> {
  const account = await read(() => gateway.reads.account());
  const money = (amount: number): string => `${amount.toFixed(account.currency_digits)} ${account.currency}`;
  console.log(`account ${account.login}: ${money(account.balance)}`);

  const bars = await read(() => gateway.reads.fetchDataPos(SYMBOL, 'M1', 20));
  const last = bars.at(-1);
  if (!last) throw new Error(`no bars of ${SYMBOL}`);
  console.log(`bars ${SYMBOL} M1: ${bars.length}, the last of ${last.time} closes at ${last.close}`);
  const mean = bars.reduce((sum, { close }) => sum + close, 0) / bars.length;
  const type = last.close >= mean ? 'BUY' : 'SELL';

  const events: TradeEventRecord[] = [];
  let following: Promise<void> | null = null;
  await new Promise<void>((resolve, reject) => {
    following = followUntilClosed(events, resolve);
    following.catch(reject);
  });

  const order = tradeCalls.order({ symbol: SYMBOL, volume, type, magic });
  const placed = await trade<{ result: { order: number }; position: number | null }>(order, `${run}-open`);
  const ticket = placed.body.position ?? placed.body.result.order;
  console.log(`order ${type} ${volume} ${SYMBOL}: position ${ticket}`);

  const again = await trade<{ result: { order: number } }>(order, `${run}-open`);
  console.log(`replay: order ${again.body.result.order} again, replayed ${again.replayed}`);

  const [position] = (await read(() => gateway.reads.positions({ magic }))).filter((row) => row.ticket === ticket);
  if (!position) throw new Error(`position ${ticket} is gone`);
  const away = (factor: number): number => Number((position.price_open * factor).toFixed(5));
  const [below, above] = [away(0.99), away(1.01)];
  const [sl, tp] = type === 'BUY' ? [below, above] : [above, below];
  await trade(tradeCalls.modifySlTp({ position: ticket, sl, tp }), `${run}-protect`);
  console.log(`protected: sl ${sl} tp ${tp}`);

  await trade(tradeCalls.closePosition({ position: { ticket } }), `${run}-close`);
  const deals = await read(() => gateway.reads.dealsOfPosition(ticket));
  const result = deals.reduce((sum, deal) => sum + deal.profit + deal.commission + deal.swap + deal.fee, 0);
  console.log(`closed: result ${money(result)} in ${deals.length} deals`);

  await (following ?? Promise.resolve());
  console.log(`events: ${events.map(({ event, action }) => `${event} ${action}`).join(', ')}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  // The stream of events would keep the process alive.
  process.exit(error instanceof UnknownOutcome ? 3 : 1);
});
