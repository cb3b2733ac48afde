import { CoreReplay, type CoreRecording, type CoreRecordings } from '../../../apps/daemon/src/core/core-recording';
import type { WholeJudge } from './whole-judge';

/** Events of all strategies after which one is replayed by a new core. */
const eventsOfCore = 20;

/** Replays the recording of every strategy's core while it is made: the same events have to give the same effects. */
export class ReplayedCores implements CoreRecordings {
  /** Events that were replayed. */
  events = 0;

  constructor(private readonly judge: WholeJudge) {}

  of(strategy: string): CoreRecording {
    let replay: CoreReplay | null = null;
    return {
      write: (line) => {
        if (replay === null) replay = new CoreReplay(line);
        else this.compare(strategy, line, replay);
      },
    };
  }

  private compare(strategy: string, recorded: string, replay: CoreReplay): void {
    const replayed = replay.next(recorded);
    this.events += 1;
    // The replay goes on with another core, so that the state of a core is the whole of it.
    if (this.events % eventsOfCore === 0) replay.restart();
    if (replayed === recorded) return;
    this.judge.report('a replay of a core decides the same', [`${strategy}: ${recorded} became ${replayed}`]);
  }
}
