import {
  CoreReplay as StrategyReplay,
  type CoreRecording,
  type CoreRecordings,
} from '../../apps/daemon/src/core/core-recording';
import { CoreReplay as TradeReplay } from '../../apps/gateway/src/trade-core/core-recording';

/** Events of all cores after which one is replayed by a new core. */
const eventsOfCore = 20;

interface Replay {
  next(line: string): string;
  restart(): void;
}

/** Replays the recording of every core while it is made: the same events have to give the same effects. */
export class ReplayedCores implements CoreRecordings {
  /** Events that were replayed. */
  events = 0;

  constructor(private readonly report: (invariant: string, problems: readonly string[]) => void) {}

  /** The core of a strategy. */
  of(strategy: string): CoreRecording {
    return this.recording(strategy, (state) => new StrategyReplay(state));
  }

  /** The trade core of a gateway. */
  ofGateway(name: string): CoreRecording {
    return this.recording(name, (state) => new TradeReplay(state));
  }

  private recording(name: string, begin: (state: string) => Replay): CoreRecording {
    let replay: Replay | null = null;
    return {
      write: (line) => {
        if (replay === null) replay = begin(line);
        else this.compare(name, line, replay);
      },
    };
  }

  private compare(name: string, recorded: string, replay: Replay): void {
    const replayed = replay.next(recorded);
    this.events += 1;
    // The replay goes on with another core, so that the state of a core is the whole of it.
    if (this.events % eventsOfCore === 0) replay.restart();
    if (replayed === recorded) return;
    this.report('a replay of a core decides the same', [`${name}: ${recorded} became ${replayed}`]);
  }
}
