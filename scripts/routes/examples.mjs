const ticketOf = { member: 'data.0.ticket', pattern: '"ticket":[0-9]*', split: ':', part: 2 };

/**
 * An example of each route, in an order in which they can run one after the other. `{name}` in a path, and a value `'{name}'` of a body
 * or query, stand for what an earlier example took from its answer: `take` has the member, and what grep and cut need to find it
 * in the text. `{key}` is the beginning of all keys. A route with `key` has an Idempotency-Key; `stream` reads the first events only.
 */
export const examples = [
  { route: 'GET /health/live' },
  { route: 'GET /health/ready' },
  {
    route: 'GET /health',
    take: { journal: { member: 'journal.id', pattern: '"journal":{"id":"[^"]*', split: '"', part: 6 } },
  },
  { route: 'GET /metrics', isText: true },
  { route: 'GET /account' },
  { route: 'GET /symbols', query: { search: 'EUR*' } },
  { route: 'GET /symbol_info/{symbol}', path: '/symbol_info/EURUSD' },
  { route: 'GET /symbol_info_tick/{symbol}', path: '/symbol_info_tick/EURUSD' },
  { route: 'GET /fetch_data_pos', query: { symbol: 'EURUSD', timeframe: 'M1', num_bars: 20 } },
  {
    route: 'GET /fetch_data_range',
    query: { symbol: 'EURUSD', timeframe: 'H1', start: '2026-01-05T10:00Z', end: '2026-01-05T12:00Z' },
  },
  {
    route: 'GET /copy_ticks_range',
    query: { symbol: 'EURUSD', from_date: '2026-01-05T10:00Z', to_date: '2026-01-05T10:01Z' },
  },
  { route: 'GET /stream/ticks', query: { symbols: 'EURUSD,GBPUSD' }, stream: true },
  { route: 'GET /stream/trades', query: { magic: 7 }, stream: true },
  { route: 'GET /events', query: { since: 0, limit: 100 } },
  { route: 'POST /order_check', body: { symbol: 'EURUSD', volume: 0.2, type: 'BUY', magic: 7 } },
  { route: 'POST /order_calc_margin', body: { symbol: 'EURUSD', volume: 0.2, type: 'BUY' } },
  {
    route: 'POST /order_calc_profit',
    body: { symbol: 'EURUSD', volume: 0.2, type: 'BUY', price_open: 1.1, price_close: 1.11 },
  },
  { route: 'POST /order', body: { symbol: 'EURUSD', volume: 0.2, type: 'BUY', magic: 7 }, key: 'order' },
  { route: 'GET /trade_requests/{key}', path: '/trade_requests/{key}-order' },
  { route: 'GET /trade_requests/{key}/audit', path: '/trade_requests/{key}-order/audit' },
  { route: 'PUT /trade_requests/{key}/accept', path: '/trade_requests/{key}-order/accept' },
  { route: 'PUT /trade_requests/{key}/void', path: '/trade_requests/{key}-other/void' },
  { route: 'GET /get_positions', query: { magic: 7 }, take: { position: ticketOf } },
  { route: 'GET /positions_total' },
  { route: 'POST /modify_sl_tp', body: { position: '{position}', sl: 0.5 }, key: 'protect' },
  { route: 'POST /position_close_partial', body: { ticket: '{position}', volume: 0.1 }, key: 'part' },
  { route: 'POST /close_position', body: { position: '{position}' }, key: 'close' },
  { route: 'POST /close_all_positions', body: { magic: 7 }, key: 'close-all' },
  {
    ...{ route: 'POST /order', title: 'a pending order', key: 'pending' },
    body: { symbol: 'EURUSD', volume: 0.1, type: 'BUY_LIMIT', price: 0.9, magic: 7 },
  },
  { route: 'GET /orders', query: { magic: 7 }, take: { order: ticketOf } },
  { route: 'PUT /orders/{ticket}', path: '/orders/{order}', body: { sl: 0.5 }, key: 'change' },
  { route: 'DELETE /orders/{ticket}', path: '/orders/{order}', key: 'cancel' },
  { route: 'GET /history_orders_get', query: { ticket: '{order}' } },
  { route: 'GET /get_order_from_ticket', query: { ticket: '{order}' } },
  { route: 'GET /history_deals_get', query: { position: '{position}' } },
  { route: 'GET /history_deals_range', query: { magic: 7, from_date: '2026-01-05T00:00Z' } },
  { route: 'GET /get_deal_from_ticket', query: { ticket: '{position}' } },
  { route: 'GET /last_error' },
  { route: 'GET /last_error_str' },
  { route: 'GET /reconcile', query: { magic: 7 } },
  { route: 'GET /audit/verification' },
  { route: 'PUT /fences/{strategy}', path: '/fences/trend', body: { token: 7, magics: [7001] } },
  { route: 'GET /fences' },
  { route: 'GET /fences/{strategy}', path: '/fences/trend' },
  { route: 'GET /console/strategies' },
  { route: 'POST /kill' },
  { route: 'POST /kill/release' },
  { route: 'POST /journal/accept', body: { journal_id: '{journal}' } },
];
