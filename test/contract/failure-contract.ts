import { LastErrorCode, Retcode, TradeAction } from '@libs/terminal-client';
import { account, tradeTimeoutMs } from './subjects';
import { eurusd, failureOf, forever, type TerminalRig } from './terminal-rig';

/** How every driver of the port reports what went wrong. */
export function failureContract(rig: TerminalRig): void {
  describe('failures', () => {
    afterEach(async () => {
      await rig.subject.clearFaults();
      await rig.terminal.connect();
      await rig.terminal.login(account);
    });

    it.each([-10_001, -10_002, -10_003, -10_004, -10_005])(
      'of IPC, code %d, fail a read and are never empty',
      async (code) => {
        await rig.subject.setFault({ kind: 'failed-reads', code, methods: ['positionsGet'], times: 1 });
        const { failure, lastError } = await failureOf(rig.terminal.positionsGet());
        expect(lastError.code).toBe(code);
        expect(['disconnected', 'failed']).toContain(failure);
      },
    );

    it.each(['positionsGet', 'ordersGet', 'historyDealsGet', 'historyOrdersGet'] as const)(
      'of %s are failures, not empty lists',
      async (method) => {
        await rig.subject.setFault({ kind: 'failed-reads', methods: [method], times: 1 });
        expect((await failureOf(rig.terminal[method](forever))).failure).toBe('failed');
      },
    );

    it('are a logout: the account is null, and reads fail', async () => {
      await rig.subject.setFault({ kind: 'logged-out' });
      expect(await rig.terminal.accountInfo()).toBeNull();
      await failureOf(rig.terminal.positionsGet());
      expect((await rig.terminal.terminalInfo()).connected).toBe(false);
    });

    it('are another account: it shows in the account record', async () => {
      await rig.subject.setFault({ kind: 'other-account', login: 777 });
      expect((await rig.terminal.accountInfo())?.login).toBe(777);
    });

    it('are a terminal out of reach: reads fail, a send is never done, connecting fails until it is back', async () => {
      const before = await rig.terminal.historyDealsGet(forever);
      await rig.subject.setFault({ kind: 'disconnected' });
      expect((await failureOf(rig.terminal.positionsGet())).failure).toBe('disconnected');
      expect((await rig.send({ action: TradeAction.DEAL, ...eurusd })).kind).toBe('refused');
      expect((await failureOf(rig.terminal.connect())).lastError.code).toBeLessThanOrEqual(LastErrorCode.INTERNAL_FAIL);
      await rig.subject.clearFaults();
      await rig.terminal.connect();
      await rig.terminal.login(account);
      expect(await rig.terminal.historyDealsGet(forever)).toEqual(before);
    });

    it.each([
      ['before the server acts', 'drop-before-send', 0],
      ['after the server acted', 'drop-after-send', 1],
    ] as const)('are a connection that drops %s: the outcome is unknown', async (_when, kind, deals) => {
      const before = await rig.terminal.historyDealsGet(forever);
      await rig.subject.setFault({ kind, times: 1 });
      expect((await rig.send({ action: TradeAction.DEAL, ...eurusd })).kind).toBe('unknown');
      await rig.terminal.connect();
      expect((await rig.terminal.historyDealsGet(forever)).length).toBe(before.length + deals);
    });

    it('are an answer that comes late: unknown at first, then reported once', async () => {
      const late: [string, number][] = [];
      const unsubscribe = rig.terminal.onLateAnswer((intentId, outcome) => {
        if (outcome.kind === 'answered') late.push([intentId, outcome.result.retcode]);
      });
      await rig.subject.answerLate();
      expect(await rig.send({ action: TradeAction.DEAL, ...eurusd })).toMatchObject({
        kind: 'unknown',
        lastError: { code: LastErrorCode.INTERNAL_FAIL_TIMEOUT },
      });
      await new Promise((resolve) => setTimeout(resolve, tradeTimeoutMs));
      unsubscribe();
      expect(late).toEqual([[`intent-${rig.sent}`, Retcode.DONE]]);
    });
  });
}
