import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undisturbed } from '../core/risk';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';

const byItself = { receivedNanos: null, decidedNanos: null };
const options = { volume: 0.1, tag: 'pull back' } as const;
const intent = { id: 'i1', action: 'enter', side: 'buy', stream: 'eur', options } as const;

describe('an entry with a tag', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'tagged-entry-'));
  let gateway: ContractGateway;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
  });
  afterEach(() => gateway.stop());

  it('has it on disk with its request and its ticket, shows it after a restart, and does not send it', async () => {
    let rig = await DeskRig.start(gateway, { stateDir });
    await rig.desk.carryOut(intent, byItself, undisturbed);
    expect(rig.fills).toMatchObject([{ intentId: 'i1', tag: 'pull back' }]);
    expect(rig.store.dump()).toMatchObject({ intents: [{ tag: 'pull back' }], tickets: [{ tag: 'pull back' }] });
    expect(JSON.stringify(gateway.sends)).not.toContain('pull back');
    await rig.stop();
    rig = await DeskRig.start(gateway, { stateDir });
    expect(rig.book.positions).toMatchObject([{ intentId: 'i1', tag: 'pull back' }]);
    await rig.close(rig.book.positions[0]?.ticket ?? 0);
    expect(rig.fills).toMatchObject([{ entry: 'out', tag: 'pull back' }]);
    await rig.stop();
  });
});
