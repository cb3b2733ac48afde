import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig } from '../testing/fleet-rig';

describe('the ids of intents', () => {
  let gateway: ContractGateway;
  let rig: FleetRig;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'], b: ['demo'] } });
  });

  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  /** Loads a strategy into its thread, which does not answer. */
  const load = (alias: string): void => {
    const child = rig.child(alias);
    void child.load(child.spec, { code: '', file: 'a.js', source: 'a.ts' });
  };

  it('are not used again by a strategy that is removed and configured again', async () => {
    load('a');
    load('b');
    await rig.arrange({ gateways: { demo: gateway }, children: { b: ['demo'] } });
    await rig.arrange({ gateways: { demo: gateway }, children: { a: ['demo'], b: ['demo'] } });
    load('a');
    expect(rig.threads.idPrefixes).toHaveLength(3);
    expect(new Set(rig.threads.idPrefixes).size).toBe(3);
  });
});
