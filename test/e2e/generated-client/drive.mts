// Trades with the client that openapi-typescript makes of the OpenAPI document. The compiler is a part of the test: no member is read
// behind a guard.
//
// usage: drive <base URL> <API key>
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
const magic = 20_260_001;
let keys = 0;
const keyed = () => ({ header: { 'Idempotency-Key': `typescript-${(keys += 1)}` } });

function check(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

const positions = async (query: { magic?: number }) =>
  (await client.GET('/get_positions', { params: { query } })).data?.data ?? [];

for (const wanted of [magic, Number.MAX_SAFE_INTEGER]) {
  const params = keyed();
  const place = () =>
    client.POST('/order', { params, body: { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: wanted } });
  const [{ data: opened }, { data: again }] = [await place(), await place()];
  check(opened?.state === 'executed' && again?.position === opened.position, [opened, again]);
  const rows = await positions({ magic: wanted });
  check(rows.length === 1 && rows[0]?.magic === wanted && rows[0].ticket === opened.position, rows);
}
check((await positions({})).length === 2, 'positions without a filter');

const ticket = (await positions({ magic }))[0]?.ticket ?? 0;
const part = await client.POST('/position_close_partial', { params: keyed(), body: { ticket, volume: 0.04 } });
check(part.data?.remaining_volume === 0.06, part);
const levels = await client.POST('/modify_sl_tp', { params: keyed(), body: { position: ticket, sl: 0.5 } });
check(levels.data?.sl === 0.5, levels);
const closed = async (ofMagic: number) =>
  (await client.POST('/close_all_positions', { params: keyed(), body: { magic: ofMagic } })).data?.result?.closed;
check((await closed(magic - 1)) === 0 && (await closed(magic)) === 1, 'positions closed by magic');
const refused = await client.POST('/order', { params: keyed(), body: { symbol: 'NOSUCH', volume: 0.1, type: 'BUY' } });
check(refused.error?.error_type === 'not_found', refused);
console.log('traded');
