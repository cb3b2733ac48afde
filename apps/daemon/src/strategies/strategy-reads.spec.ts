import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';

describe('the account that a strategy reads', () => {
  let gateway: ContractGateway;
  let rig: DeskRig;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
    rig = await DeskRig.start(gateway);
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const accounts = () => rig.trading.view().accounts;
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
  };

  it('is read with every snapshot of its positions', async () => {
    await until(() => accounts()['demo'] !== undefined);
    Object.assign(gateway.account, { equity: 10_050, margin: 110, margin_free: 9_940, leverage: 30 });
    await rig.buy();
    const money = { currency: 'USD', leverage: 30, balance: 10_000, equity: 10_050, margin: 110, freeMargin: 9_940 };
    await until(() => accounts()['demo']?.margin === 110);
    expect(accounts()).toEqual({ demo: money });
  });

  it('is unknown after a read that failed; its positions and entries do not wait for it', async () => {
    await until(() => accounts()['demo'] !== undefined);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    gateway.beforeAnswer = ({ pathname }) => (pathname === '/account' ? held : Promise.resolve());
    await rig.buy();
    expect(rig.trading.view().positions).toHaveLength(1);
    expect(rig.sync.problem).toBeNull();
    gateway.account['balance'] = 'much';
    release();
    await until(() => accounts()['demo'] === undefined);
  });
});
