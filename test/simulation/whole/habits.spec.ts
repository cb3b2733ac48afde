import type { Fault } from '@libs/simulator';
import { effort } from '../../setup/effort';
import { testSeed } from '../../setup/test-seed';
import { SimulationProcesses } from '../simulation-processes';
import type { FaultStep, MarginMode } from '../steps';
import type { DaemonAction, WholePlan, WholeStep } from './whole-steps';

const late = { positionsMs: 25_000, ordersMs: 25_000, historyOrdersMs: 25_000, dealsMs: 25_000 };

const habits: Readonly<Record<string, Fault>> = {
  'half of its lists': { kind: 'lists-not-loaded', shows: 'half' },
  'empty lists at the start of a session': { kind: 'session-start', shows: 'empty', ms: 20_000 },
  'growing lists at the start of a session': { kind: 'session-start', shows: 'parts', ms: 20_000 },
  'old lists at the start of a session': { kind: 'session-start', shows: 'old', ms: 20_000 },
  'late lists': { kind: 'late-lists', ...late },
  'late positions and orders': { kind: 'late-lists', positionsMs: 25_000, ordersMs: 25_000 },
  'a late history': { kind: 'late-lists', historyOrdersMs: 25_000, dealsMs: 25_000 },
  'no history': { kind: 'history-lacks', what: 'all' },
  'no server': { kind: 'server-lost', acts: true },
  'replaced orders': { kind: 'replaced-orders' },
  'late identifiers of positions': { kind: 'late-position-ids', ms: 25_000 },
  'late symbols': { kind: 'late-symbols', ms: 20_000 },
};

const marginModes: readonly MarginMode[] = ['hedging', 'netting'];
const all = Object.keys(habits).flatMap((habit) => marginModes.map((marginMode) => [habit, marginMode] as const));

/** A run has every eighth of them, others with each change of the files; the long form has all. */
const share = effort(8, 1);
const chosen = all.filter((_, index) => index % share === testSeed() % share);

/** A terminal that has a habit for a minute, then again, while sessions, gateway and daemon begin anew and answers get lost. */
function planOf(habit: Fault, marginMode: MarginMode, seed: string): WholePlan {
  const atGateway = (atMs: number, action: FaultStep) => ({ at: 0, atMs, action });
  const atDaemon = (atMs: number, action: DaemonAction) => ({ at: 'daemon' as const, atMs, action });
  const killed = { kind: 'kill', downMs: 2_000, crash: 'process' } as const;
  const lost = { kind: 'send trouble', trouble: 'lose-answer' } as const;
  const begins = { kind: 'broker', fault: habit, ms: 60_000 } as const;
  const steps: Omit<WholeStep, 'id'>[] = [
    atGateway(40_000, begins),
    atGateway(41_000, { kind: 'cut', outageMs: 500 }),
    ...[45_000, 55_000].map((atMs) => atGateway(atMs, lost)),
    atDaemon(50_000, killed),
    atGateway(70_000, killed),
    atGateway(130_000, begins),
    atGateway(131_000, killed),
    ...[135_000, 150_000].map((atMs) => atGateway(atMs, lost)),
    atDaemon(160_000, killed),
  ];
  return {
    ...{ program: 'whole', seed, lengthMs: 240_000, gateways: 1, marginModes: [marginMode], settings: {} },
    ...{ changesOrders: true, trails: true, start: 'usual', prices: 'generated' },
    steps: steps.map((step, id) => ({ ...step, id }) as WholeStep),
  };
}

/** They trail stop-losses, place groups of orders and open stacks. */
describe('strategies on a terminal that has', () => {
  const processes = new SimulationProcesses();
  afterAll(() => processes.end());

  it.each(chosen)('%s are shown what they hold, and get what they asked for once; %s', async (name, marginMode) => {
    const habit = habits[name];
    if (!habit) throw new Error(`there is no habit ${name}`);
    const { violation, lastLines, figures } = await processes.run(planOf(habit, marginMode, '3'), 5_000);
    expect(violation).toBeNull();
    expect(figures.executed).toBeGreaterThan(10);
    // A trailing stop moves the stop-loss alone.
    expect(lastLines.join('\n')).toMatch(/POST \/modify_sl_tp \{"position":\d+,"sl":[\d.]+\}/);
  });
});
