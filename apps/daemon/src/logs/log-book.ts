import { join } from 'node:path';
import type { Clock } from '@libs/clock';
import { isoMicros, levels, parseLine, type Level } from './log-line';
import { lastLines } from './log-tail';
import { StrategyLog } from './strategy-log';

export interface LogQuery {
  /** At most so many lines, the newest. */
  readonly lines: number;
  /** Only lines after this moment, in microseconds since the epoch. */
  readonly sinceMicros: number | null;
  /** Only lines of this level or a graver one. */
  readonly level: Level;
}

/** The logs of all strategies. */
export class LogBook {
  private readonly logs = new Map<string, StrategyLog>();

  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
  ) {}

  of(name: string): StrategyLog {
    let log = this.logs.get(name);
    if (!log) {
      // A child's name holds a slash, for which a file has a sign that no name may hold.
      log = new StrategyLog(join(this.folder, `${name.replace('/', '~')}.log`), this.clock);
      this.logs.set(name, log);
    }
    return log;
  }

  /** Body of `GET /logs/<name>`. */
  async read(name: string, query: LogQuery): Promise<{ name: string; lines: string[]; nextSince: string | null }> {
    const log = this.of(name);
    await log.flushed();
    const from = levels.indexOf(query.level);
    const { sinceMicros } = query;
    const wanted = (line: string): boolean => {
      const parsed = parseLine(line);
      return parsed !== null && levels.indexOf(parsed.level) >= from;
    };
    const enough = (line: string): boolean => {
      const micros = parseLine(line)?.micros;
      return sinceMicros !== null && micros !== undefined && micros <= sinceMicros;
    };
    let lines = query.lines === 0 ? [] : await lastLines(log.file, query.lines, wanted, enough);
    if (lines.length < query.lines) {
      lines = [...(await lastLines(`${log.file}.1`, query.lines - lines.length, wanted, enough)), ...lines];
    }
    const last = parseLine(lines.at(-1) ?? '')?.micros ?? sinceMicros;
    return { name, lines, nextSince: last === null ? null : isoMicros(last) };
  }

  async flushed(): Promise<void> {
    await Promise.all([...this.logs.values()].map((log) => log.flushed()));
  }
}
