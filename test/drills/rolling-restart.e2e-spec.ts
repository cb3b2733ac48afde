import { join } from 'node:path';
import { configuration, DaemonProgram, strategyFile } from '../e2e/daemon/daemon-program';
import { flip } from '../e2e/daemon/drill-rig';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { Scratch } from '../e2e/programs/scratch';
import { KeyedClients, magicOfClients } from './keyed-clients';

const magicOfStrategy = 7001;

describe('an upgrade of gateway and daemon under load, each stopped and started again', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('loses no order and places none twice', async () => {
    const folder = scratch.folder();
    const settings = {
      ...{ SIM_SPEED: '60', SIM_HOURS: 'always', SIM_STATE_FILE: join(folder, 'account') },
      ...{ TERMINAL_SERVER_TIME_ZONE: 'UTC', STATE_DIR: join(folder, 'gateway') },
      // Hundreds of positions of clients need margin.
      SIM_BALANCE: '10000000',
      ORDER_AUDIT_FILE: join(folder, 'order-audit.jsonl'),
    };
    let gateway = await GatewayProgram.startReady(scratch, settings);
    const { port } = new URL(gateway.url);
    const module = strategyFile(folder, 'flip', flip);
    const start = () =>
      DaemonProgram.start(scratch, {
        config: configuration(folder, gateway.url, [{ name: 'flip', module, magic: magicOfStrategy }]),
        stateDir: join(folder, 'daemon'),
        env: { API_KEY: 'e2e-key' },
      });
    let daemon = await start();
    await daemon.untilStatus('flip', ({ trades }) => trades > 0);

    const clients = new KeyedClients(4, () => gateway);
    const { acknowledged } = clients;
    for (let round = 0; round < 3; round++) {
      const [before, trades] = [acknowledged.size, (await daemon.status('flip')).trades];
      await gateway.stop();
      gateway = await GatewayProgram.startReady(scratch, { ...settings, TERMINAL_API_PORT: port });
      await daemon.program.stop();
      daemon = await start();
      await daemon.untilStatus('flip', (body) => body.trades > trades && acknowledged.size > before);
    }
    await clients.end();
    await daemon.program.stop();

    const since = '/history_orders_get?from_date=2020-01-01';
    const orders = (await gateway.call(since)).body['data'] as { ticket: number; magic: number }[];
    const placed = orders.filter(({ magic }) => magic === magicOfClients).map(({ ticket }) => ticket);
    expect(placed.sort()).toEqual([...acknowledged.values()].sort());
    expect(new Set(acknowledged.values()).size).toBe(acknowledged.size);
    expect((await gateway.call('/reconcile')).body).toMatchObject({ differences: [], unresolved: [] });
    const held = (await gateway.call('/get_positions')).body['data'] as { magic: number }[];
    expect(held.filter(({ magic }) => magic === magicOfStrategy).length).toBeLessThanOrEqual(1);
    expect(held.filter(({ magic }) => magic === magicOfClients)).toHaveLength(acknowledged.size);
  });
});
