import { priceText, tradeCalls, type AccountRecord } from '@libs/gateway-client';
import type { Desk } from './desk';
import { ask } from './dialog';
import { lots, money } from './figures';
import { accountMode } from './gateway-state';
import { reasonWhileTrading } from './permission';
import { Foreign, level, Side } from './text';
import { lotsForRisk, lotsOf, oneStepLess, requestOf, ticketOf, type OrderSide, type Ticket } from './ticket';
import { problem, type FormFields, type Parsed } from './trade-fields';
import { sendTrade } from './trade-writes';

/** One order of a symbol at a time: while the outcome of one is unknown, no other one is offered. */
export const orderOf = (symbol: string): string => `order on ${symbol}`;

/** Why no order can be placed on a symbol now; null if one can. */
export function reasonAgainstOrder(desk: Desk, symbol: string): string | null {
  const reason = reasonWhileTrading(desk, desk.account, orderOf(symbol));
  if (reason !== null) return reason === 'the list is not current' ? 'the account is not current' : reason;
  return desk.readiness.current?.checks['trading']?.status === 'down' ? 'the account may not trade' : null;
}

/** An order with its lots, and what it may lose, gain and bind in the deposit currency; null where no level gives it. */
interface SizedOrder {
  readonly ticket: Ticket;
  readonly volume: number;
  readonly loss: number | null;
  readonly gain: number | null;
  readonly margin: number;
  readonly account: AccountRecord;
  readonly digits: number;
  readonly volumeDigits: number | undefined;
}

/**
 * Checks an order, finds its lots, and asks. Nothing is sent before that.
 * @returns a problem to show; null when the question is asked
 */
export async function askToOrder(
  desk: Desk,
  symbol: string,
  side: OrderSide,
  fields: FormFields,
): Promise<string | null> {
  try {
    const order = await sizedOrder(desk, symbol, side, fields);
    if (!order.ok) return order.problem;
    askAbout(desk, symbol, order.value);
    return null;
  } catch (error) {
    return `not calculated, nothing was sent: ${error instanceof Error ? error.message : 'a read failed'}`;
  }
}

/** @throws GatewayReadError if something that it depends on cannot be read */
async function sizedOrder(
  { client: { reads }, digits: known }: Desk,
  symbol: string,
  side: OrderSide,
  fields: FormFields,
): Promise<Parsed<SizedOrder>> {
  const [record, quote, account] = await Promise.all([
    reads.symbolInfo(symbol),
    reads.symbolInfoTick(symbol),
    reads.account(),
  ]);
  const parsed = ticketOf(side, fields, { symbol: record, bid: quote.bid, ask: quote.ask });
  if (!parsed.ok) return parsed;
  const { value: ticket } = parsed;
  const resultAt = (volume: number, price: number): Promise<number> =>
    reads.orderCalcProfit({ symbol, type: side, volume, price_open: ticket.price, price_close: price });
  const lossOf = async (volume: number): Promise<number | null> =>
    ticket.sl === undefined ? null : 0 - (await resultAt(volume, ticket.sl));
  const { unit, amount } = ticket.size;
  const risk = unit === 'percent' ? (account.equity * amount) / 100 : amount;
  const found = unit === 'lots' ? lotsOf(amount, record) : lotsForRisk(risk, (await lossOf(1)) ?? 0, record);
  if (!found.ok) return found;
  let volume = found.value;
  let loss = await lossOf(volume);
  // The loss of one lot is rounded to the currency, so that the lots that follow from it may be a step too many.
  if (unit !== 'lots' && loss !== null && loss > risk) {
    const less = oneStepLess(volume, record);
    if (less === null) return problem('size: the smallest volume would lose more than that at the stop-loss');
    volume = less;
    loss = await lossOf(volume);
  }
  const gain = ticket.tp === undefined ? null : await resultAt(volume, ticket.tp);
  const request = requestOf(ticket, symbol, volume);
  const margin = await reads.orderCalcMargin({ symbol, type: request.type, volume, price: ticket.price });
  const volumeDigits = known.ofVolume(symbol);
  return { ok: true, value: { ticket, volume, loss, gain, margin, account, digits: record.digits, volumeDigits } };
}

function askAbout(desk: Desk, symbol: string, order: SizedOrder): void {
  const { ticket, volume, account, digits, volumeDigits } = order;
  const request = requestOf(ticket, symbol, volume);
  const words = request.type.replace('_', ' ');
  const size = lots(volume, volumeDigits);
  ask({
    title: `${words} ${size} ${symbol}?`,
    content: <Summary symbol={symbol} order={order} />,
    confirm: `Send ${words} ${size}`,
    isDangerous: accountMode(account.trade_mode) === 'real',
    side: ticket.side === 'BUY' ? 'buy' : 'sell',
    onConfirm: () => {
      const reason = reasonAgainstOrder(desk, symbol);
      if (reason !== null) return `not sent: ${reason}`;
      const at = ticket.kind === 'market' ? '' : ` at ${priceText(ticket.price, digits)}`;
      const levels = (['sl', 'tp'] as const).flatMap((name) =>
        ticket[name] === undefined ? [] : [`, ${name} ${priceText(ticket[name], digits)}`],
      );
      void sendTrade(
        desk,
        `${words} ${size} ${symbol}${at}${levels.join('')}`,
        orderOf(symbol),
        tradeCalls.order(request),
      );
      return null;
    },
  });
}

function Summary({ symbol, order }: { readonly symbol: string; readonly order: SizedOrder }) {
  const { ticket, volume, loss, gain, margin, account, digits, volumeDigits } = order;
  const amount = (value: number): string => `${money(value, account.currency_digits)} ${account.currency}`;
  const share = (value: number): string =>
    account.equity > 0 ? `, ${((value / account.equity) * 100).toFixed(2)} % of the equity` : '';
  const price = priceText(ticket.price, digits);
  const rows = [
    ['Price', ticket.kind === 'market' ? `the market, now ${price}` : price],
    ['Stop loss', `${level(ticket.sl ?? 0, digits)}${loss === null ? '' : `: loses ${amount(loss)}${share(loss)}`}`],
    ['Take profit', `${level(ticket.tp ?? 0, digits)}${gain === null ? '' : `: gains ${amount(gain)}`}`],
    ['Margin', `${amount(margin)} of ${amount(account.margin_free)} free`],
    [
      'Account',
      `${account.login}, ${accountMode(account.trade_mode) === 'real' ? 'REAL MONEY' : accountMode(account.trade_mode)}`,
    ],
  ];
  return (
    <>
      <p>
        <Side type={ticket.side === 'BUY' ? 0 : 1} /> {lots(volume, volumeDigits)} lots <Foreign text={symbol} />
      </p>
      <dl class="facts-of-order">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
