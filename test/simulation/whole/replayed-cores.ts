import { CoreReplay, type CoreRecording, type CoreRecordings } from '../../../apps/daemon/src/core/core-recording';
import type { WholeJudge } from './whole-judge';

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
        else this.compare(strategy, line, replay.next(line));
      },
    };
  }

  private compare(strategy: string, recorded: string, replayed: string): void {
    this.events += 1;
    if (replayed === recorded) return;
    this.judge.report('a replay of a core decides the same', [`${strategy}: ${recorded} became ${replayed}`]);
  }
}
