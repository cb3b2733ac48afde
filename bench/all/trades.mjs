const symbols = ['EURUSD', 'GBPUSD', 'USDJPY'];
let keys = 0;

/** Opens a position. @returns its ticket */
export async function open(gateway, fields = {}) {
  const { result } = await post(gateway, '/order', { symbol: 'EURUSD', volume: 0.01, type: 'BUY', ...fields });
  return result.order;
}

export function close(gateway, ticket) {
  return post(gateway, '/close_position', { position: ticket });
}

/** Opens positions of both directions on several symbols. */
export async function openMany(gateway, count, fields = {}) {
  for (let opened = 0; opened < count;) {
    const batch = Array.from({ length: Math.min(50, count - opened) }, () => {
      const index = opened++;
      return open(gateway, { symbol: symbols[index % 3], type: index % 2 === 0 ? 'BUY' : 'SELL', ...fields });
    });
    await Promise.all(batch);
  }
}

function post(gateway, path, body) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `bench-${process.pid}-${keys++}` };
  return gateway.json(path, { method: 'POST', headers, body: JSON.stringify(body) });
}
