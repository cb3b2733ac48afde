import { LastErrorCode, TradeAction } from '@libs/terminal-client';
import { failureContract } from './failure-contract';
import { marketContract } from './market-contract';
import * as fields from './record-fields';
import { account, type Subject } from './subjects';
import { eurusd, failureOf, fieldsOf, TerminalRig } from './terminal-rig';
import { tradingContract } from './trading-contract';

/** What every driver of the port does, case by case. `open` provides a terminal without a login. */
export function terminalContract(open: () => Promise<Subject>): void {
  const rig = new TerminalRig();
  beforeAll(() => rig.open(open));
  afterAll(() => rig.cleanUp.run());

  describe('the login', () => {
    it('finds no account logged in at first', async () => {
      expect(await rig.terminal.accountInfo()).toBeNull();
      expect((await rig.terminal.terminalInfo()).connected).toBe(false);
    });

    it('is refused with a wrong password, as an outcome and not as an exception', async () => {
      expect(await rig.terminal.login({ ...account, password: 'wrong' })).toMatchObject({
        ok: false,
        lastError: { code: LastErrorCode.AUTH_FAILED },
      });
      expect(await rig.terminal.accountInfo()).toBeNull();
    });

    it('gives the account, with all fields of the terminal', async () => {
      expect(await rig.terminal.login(account)).toEqual({ ok: true });
      const info = await rig.terminal.accountInfo();
      expect(info).toMatchObject({ login: account.login, server: account.server, currency: 'USD', balance: 10_000 });
      expect(fieldsOf(info)).toEqual(fields.accountFields);
      const terminalInfo = await rig.terminal.terminalInfo();
      expect(terminalInfo.connected).toBe(true);
      expect(fieldsOf(terminalInfo)).toEqual(fields.terminalFields);
    });
  });

  marketContract(rig);
  tradingContract(rig);
  failureContract(rig);

  describe('leaving', () => {
    it('ends the session, not the broker: after the next connection, everything is as it was', async () => {
      const before = await rig.terminal.positionsGet();
      await rig.terminal.shutdown();
      expect((await failureOf(rig.terminal.positionsGet())).failure).toBe('disconnected');
      expect((await rig.send({ action: TradeAction.DEAL, ...eurusd })).kind).toBe('refused');
      await rig.terminal.connect();
      const after = await rig.terminal.positionsGet();
      expect(after.map(({ ticket }) => ticket)).toEqual(before.map(({ ticket }) => ticket));
      expect(after.length).toBeGreaterThan(0);
    });
  });
}
