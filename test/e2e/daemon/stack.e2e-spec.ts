import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { Scratch } from '../programs/scratch';
import { swingingMarket } from '../programs/markets';
import { configuration, DaemonProgram, strategyFile } from './daemon-program';

describe('a stack', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  beforeEach(async () => {
    folder = scratch.folder();
    gateway = await GatewayProgram.startReady(scratch, swingingMarket(folder));
  });
  afterEach(() => scratch.clear());

  const start = (stack: string | null) => {
    const module = strategyFile(
      folder,
      'stacker',
      stack === null ? '' : `if (!trade.warmingUp && bars === 1) trade.stack({ stream: 'main', ${stack} });`,
    );
    return DaemonProgram.start(scratch, {
      config: configuration(folder, gateway.url, [{ name: 'stacker', module }]),
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key' },
    });
  };
  const rows = async () => (await gateway.call('/get_positions')).body['data'] as { ticket: number; sl: number }[];

  it('enters its layers as their prices are reached, each once and with its own stop', async () => {
    const daemon = await start(`direction: 'sell', layers: 4, spacing: 0.00001, volume: 0.1, slDistance: 0.05`);
    const status = await daemon.untilStatus(
      'stacker',
      ({ positions, trades }) => positions.length === 4 && trades === 4,
    );
    expect(status).toMatchObject({ pendingStackLayers: [] });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const positions = await rows();
    expect(positions).toHaveLength(4);
    expect(positions.every(({ sl }) => sl > 0)).toBe(true);
  });

  it('keeps its waiting layers over a kill -9, and cancels them when the position is closed by hand', async () => {
    let daemon = await start(`direction: 'buy', layers: 3, spacing: 0.5, volume: 0.1`);
    const before = await daemon.untilStatus('stacker', (body) => body.pendingStackLayers[0]?.triggerPrice != null);
    expect(before.pendingStackLayers).toMatchObject([
      { layer: 2, side: 'buy', symbol: 'EURUSD', volume: 0.1 },
      { layer: 3 },
    ]);
    await daemon.kill();
    daemon = await start(null);
    const after = await daemon.untilStatus('stacker', (body) => body.state === 'running');
    expect(after.pendingStackLayers).toEqual(before.pendingStackLayers);
    expect(await rows()).toHaveLength(1);
    const [position] = await rows();
    await gateway.trade('/close_position', { position: position?.ticket });
    await daemon.untilStatus('stacker', (body) => body.pendingStackLayers.length === 0);
    expect(await daemon.status('stacker')).toMatchObject({ positions: [], trades: 2 });
  });
});
