import {
  accountFields,
  barRowFields,
  keyedDealRowFields,
  keyedOrderRowFields,
  positionRowFields,
  symbolRowFields,
  tickRowFields,
  type Fields,
} from '@libs/records';
import { refusal, success, type Answer, type Row } from './contract-answer';
import type { ContractBroker } from './contract-broker';

/** What the reads of an account and its market show. */
export interface Shown {
  readonly broker: ContractBroker;
  readonly account: Row;
  /** The bars of every symbol and timeframe that has none of its own. */
  readonly bars: readonly Row[];
  /** The bars of one symbol and timeframe, by `EURUSD@M5`. */
  readonly ownBars: ReadonlyMap<string, readonly Row[]>;
  /** The ticks of every symbol. */
  readonly ticks: readonly Row[];
  /** What every symbol is specified as. */
  readonly symbol: Row;
  /** The quote of every symbol. */
  readonly tick: Row;
  /** The margin of every lot; null: the terminal computes none. */
  readonly margin: number | null;
  /** While true, the history is empty: the deals lag behind the rows. */
  readonly hidesDeals: boolean;
}

/** Answers a read with rows of the declared records; 404 on a route that the tests do not need. */
export function readOf(shown: Shown, url: URL): Answer {
  const [, route = '', parameter = ''] = url.pathname.split('/');
  const { searchParams: query } = url;
  switch (route) {
    case 'account':
      return success(whole(accountFields, shown.account));
    case 'order_calc_margin':
      return shown.margin === null ? refusal(503, 'terminal_unavailable') : success({ margin: shown.margin });
    case 'symbol_info':
      return success(whole(symbolRowFields, { ...shown.symbol, name: parameter }));
    case 'symbol_info_tick':
      return success(whole(tickRowFields, shown.tick));
    case 'fetch_data_pos':
      return data(barRowFields, barsOf(shown, query).slice(-Number(query.get('num_bars'))));
    case 'fetch_data_range':
      return data(barRowFields, spanOf(barsOf(shown, query), 'time', query, 'start', 'end'));
    case 'copy_ticks_range':
      return data(tickRowFields, spanOf(shown.ticks, 'time_utc', query, 'from_date', 'to_date'));
    default:
      return booksOf(shown, route, query);
  }
}

/** Positions, orders and deals. */
function booksOf({ broker, hidesDeals }: Shown, route: string, query: URLSearchParams): Answer {
  const deals = hidesDeals ? [] : broker.deals;
  switch (route) {
    case 'get_positions':
      return data(positionRowFields, broker.positions);
    case 'orders':
      return data(keyedOrderRowFields, []);
    case 'history_deals_get':
      return data(
        keyedDealRowFields,
        deals.filter(({ position_id }) => String(position_id) === query.get('position')),
      );
    case 'history_deals_range':
      return data(keyedDealRowFields, spanOf(deals, 'time_utc', query, 'from_date', 'to_date'));
    case 'history_orders_get':
      return data(keyedOrderRowFields, broker.pastOrders);
    case 'get_order_from_ticket': {
      const order = broker.pastOrders.find((row) => String(row['ticket']) === query.get('ticket'));
      return order ? success(whole(keyedOrderRowFields, order)) : refusal(404, 'not_found');
    }
    case 'reconcile':
      return success({
        as_of: '2024-01-01T00:00:00Z',
        positions: broker.positions.map((row) => whole(positionRowFields, row)),
        orders: [],
        deals: broker.deals.map((row) => whole(keyedDealRowFields, row)),
        unresolved: [],
        differences: [],
      });
    default:
      return refusal(404, 'not_found');
  }
}

function data(fields: Fields, rows: readonly Row[]): Answer {
  return success({ data: rows.map((row) => whole(fields, row)), total: rows.length });
}

function barsOf({ bars, ownBars }: Shown, query: URLSearchParams): readonly Row[] {
  return ownBars.get(`${query.get('symbol')}@${query.get('timeframe')}`) ?? bars;
}

/** The rows of a span; one without a time in UTC is in each. */
function spanOf(
  rows: readonly Row[],
  member: 'time' | 'time_utc',
  query: URLSearchParams,
  begin: string,
  end: string,
): readonly Row[] {
  const [from, to] = [query.get(begin) ?? '', query.get(end) ?? '9'];
  return rows.filter(({ [member]: time }) => typeof time !== 'string' || (time >= from && time <= to));
}

const zeros = { integer: 0, number: 0, string: '', boolean: false } as const;

/** All members of the record: one that the row leaves out is zero, empty or false, or null where that is possible. */
function whole(fields: Fields, row: Row): Row {
  const blank: Row = {};
  for (const [name, { type, nullable }] of Object.entries(fields)) blank[name] = nullable ? null : zeros[type];
  return { ...blank, ...row };
}
