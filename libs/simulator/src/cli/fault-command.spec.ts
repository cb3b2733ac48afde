import { faultForms } from '../session/fault-forms';
import { faultUsage, readFaultCommand } from './fault-command';

const callOf = (...args: string[]): unknown => {
  const { method, params } = readFaultCommand(args) ?? {};
  return [method, params];
};

describe('a fault command', () => {
  it.each([
    [['disconnected'], { kind: 'disconnected' }],
    [['latency', '1500', '--calls', 'sends'], { kind: 'latency', ms: 1_500, calls: 'sends' }],
    [
      ['retcode', '10004', '--times', '1', '--acts', '--comment', 'no'],
      { kind: 'retcode', retcode: 10_004, times: 1, acts: true, comment: 'no' },
    ],
    [['slippage', '12'], { kind: 'slippage', points: 12 }],
    [['lose-answer', '--late-ms', '30000'], { kind: 'lose-answer', lateMs: 30_000 }],
    [['lag', '4000', '--lists', 'positions,deals'], { kind: 'lag', ms: 4_000, lists: ['positions', 'deals'] }],
    [['clock-offset', '-3600'], { kind: 'clock-offset', seconds: -3_600 }],
    [['failed-reads', '--code', '-10004'], { kind: 'failed-reads', code: -10_004 }],
    [['trading-off', 'api'], { kind: 'trading-off', by: 'api' }],
    [['server-lost', '--acts'], { kind: 'server-lost', acts: true }],
    [['frozen-account'], { kind: 'frozen-account' }],
    [
      ['lists-not-loaded', 'half', '--ms', '500', '--lists', 'orders'],
      { kind: 'lists-not-loaded', shows: 'half', ms: 500, lists: ['orders'] },
    ],
    [
      ['lists-not-loaded', 'empty', '--until-session'],
      { kind: 'lists-not-loaded', shows: 'empty', untilSession: true },
    ],
    [['session-start', 'old', '5000'], { kind: 'session-start', shows: 'old', ms: 5_000 }],
    [['late-lists', '--positions-ms', '900'], { kind: 'late-lists', positionsMs: 900 }],
    [['history-gap', '3600'], { kind: 'history-gap', seconds: 3_600 }],
    [['levels', '10', '--moved'], { kind: 'levels', points: 10, moved: true }],
    [['replaced-orders'], { kind: 'replaced-orders' }],
    [['magic-zero', '--fills'], { kind: 'magic-zero', fills: true }],
    [['history-lacks', 'deals'], { kind: 'history-lacks', what: 'deals' }],
    [['comments', 'cut'], { kind: 'comments', to: 'cut' }],
    [['trade-clock', '-60'], { kind: 'trade-clock', seconds: -60 }],
    [['reasons', '1'], { kind: 'reasons', reason: 1 }],
    [['magic-zero'], { kind: 'magic-zero' }],
    [['float-noise'], { kind: 'float-noise' }],
    [['rows-twice'], { kind: 'rows-twice' }],
    [['rows-reversed'], { kind: 'rows-reversed' }],
  ])('%j sets the fault', (args, fault) => {
    expect(callOf(...args)).toEqual(['sim.setFault', [fault]]);
  });

  it('lists and clears, one kind or all', () => {
    expect(callOf('list')).toEqual(['sim.listFaults', []]);
    expect(callOf('clear')).toEqual(['sim.clearFaults', []]);
    expect(callOf('clear', 'lag')).toEqual(['sim.clearFaults', ['lag']]);
  });

  it('reaches everything else that the link offers', () => {
    const terms = { volume_min: 0.5, swap_long: -3 };
    expect(callOf('set-symbol', 'EURUSD', 'volume_min=0.5', 'swap_long=-3')).toEqual([
      'sim.setSymbol',
      ['EURUSD', terms],
    ]);
    expect(callOf('interrupt', 'orderSend', 'close-after', '--times', '2', '--port', '18812')).toEqual([
      'sim.interrupt',
      ['orderSend', 'close-after', 2],
    ]);
    expect(callOf('drop-connections', '--port', '18812')).toEqual(['sim.dropConnections', []]);
    expect(callOf('login-by-hand')).toEqual(['sim.loginByHand', []]);
    expect(callOf('advance', '15000')).toEqual(['sim.advance', [15_000]]);
    expect(callOf('feed-status')).toEqual(['sim.feedStatus', []]);
  });

  it.each([
    [[], 'a command is missing'],
    [['gremlins'], 'unknown command "gremlins"'],
    [['latency'], 'latency needs MS'],
    [['latency', 'soon'], 'MS must be a number, not "soon"'],
    [['latency', '5', '6'], 'unexpected argument "6"'],
    [['latency', '5', '--calls', 'most'], '--calls must be one of reads, sends, all, not "most"'],
    [['latency', '5', '--times', '1'], "Unknown option '--times'"],
    [['retcode', '10004', '--times', '0'], '--times must be a whole number above 0, not 0'],
    [['lag', '5', '--lists', 'books'], '--lists must be a list of positions, orders, history_orders, deals'],
    [['clear', 'gremlins'], 'a fault is one of latency'],
    [['set-symbol'], 'set-symbol needs SYMBOL and TERM=NUMBER'],
    [['set-symbol', 'EURUSD', 'digits=3'], 'digits cannot be changed'],
    [['set-symbol', 'EURUSD', 'volume_min'], '"volume_min" is not TERM=NUMBER'],
    [['set-symbol', 'EURUSD', 'volume_min=x'], 'volume_min must be a number, not "x"'],
    [['advance'], 'advance needs MS'],
    [['advance', '-5'], 'MS must be a whole number above 0, not -5'],
    [['interrupt', 'orderSend', 'never'], 'HOW must be one of close-before, close-after, no-answer, not "never"'],
    [['interrupt', 'orderSend', 'no-answer', '--times', 'x'], '--times must be a whole number above 0, not "x"'],
    [['interrupt', 'orderSend', 'no-answer'], 'interrupt needs --port: the simulator inside a gateway has no link'],
    [['list', '--port', '0'], '--port must be a number from 1 to 65535'],
  ])('%j is refused and names the problem', (args, problem) => {
    expect(() => readFaultCommand(args)).toThrow(problem);
  });

  it('names where to: a served simulator by its port, else the gateway by its state folder', () => {
    expect(readFaultCommand(['list'])?.target).toEqual({ kind: 'gateway' });
    expect(readFaultCommand(['list', '--state-dir', '/s'])?.target).toEqual({ kind: 'gateway', stateDir: '/s' });
    expect(readFaultCommand(['list', '--port', '18812'])?.target).toEqual({ kind: 'served', port: 18_812 });
    expect(readFaultCommand(['list', '--port', '18812', '--token', 't'])?.target).toEqual({
      kind: 'served',
      port: 18_812,
      token: 't',
    });
  });

  it('has a help that names every fault with its meaning, fields and choices', () => {
    expect(readFaultCommand(['--help'])).toBeNull();
    for (const [kind, { meaning }] of Object.entries(faultForms)) {
      expect(faultUsage).toContain(`  ${kind}`);
      expect(faultUsage).toContain(meaning);
    }
    expect(faultUsage).toContain('latency MS [--calls reads|sends|all]');
    expect(faultUsage).toContain('retcode RETCODE [--comment TEXT] [--action N] [--acts] [--times N]');
    expect(faultUsage).toContain('volume_min');
  });
});
