import { Readable } from 'node:stream';
import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiError, validationError } from '@libs/envelope';
import type { FastifyReply } from 'fastify';
import { Daemon } from '../daemon';
import type { LogLines, LogQuery } from '../logs/log-book';
import { mostLogLines } from '../logs/log-line';
import { levels, microsOf, parseLine } from '../logs/log-line';
import type { StrategyLog } from '../logs/strategy-log';
import { requireHostScope } from './fleet-scope';
import { logNamed } from './named';

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

@Controller('logs')
export class LogsController {
  constructor(private readonly daemon: Daemon) {}

  @Get(':name')
  async logs(
    @Param('name') name: string,
    @Query() query: Query,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(name, query, accept, reply);
  }

  @Get(':portfolio/:alias')
  async childLogs(
    @Param('portfolio') portfolio: string,
    @Param('alias') alias: string,
    @Query() query: Query,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(`${portfolio}/${alias}`, query, accept, reply);
  }

  private async answer(name: string, query: Query, accept: string | undefined, reply: FastifyReply): Promise<void> {
    requireHostScope(query['scope']);
    const log = logNamed(this.daemon, name);
    // The log of a removed strategy is kept.
    if (!log && !(await this.daemon.logs.has(name))) throw new ApiError('not_found', `no strategy ${name}`);
    const { wanted, follow } = logQuery(query);
    if (!follow && accept?.startsWith('text/plain') !== true) {
      await reply.send(await this.daemon.logs.read(name, wanted));
      return;
    }
    const text = new Readable({ read: () => undefined });
    if (follow && log) await this.follow(name, log, wanted, text, reply);
    else {
      pushLines(text, await this.daemon.logs.read(name, wanted));
      text.push(null);
    }
    await reply.type('text/plain; charset=utf-8').send(text);
  }

  /** The newest lines, then every new line, until the reader disconnects or the strategy is removed. */
  private async follow(
    name: string,
    log: StrategyLog,
    wanted: LogQuery,
    text: Readable,
    reply: FastifyReply,
  ): Promise<void> {
    const from = levels.indexOf(wanted.level);
    const push = (line: string): void => {
      const level = parseLine(line)?.level;
      // A follower that does not read is disconnected, so that its backlog stays bounded.
      if (text.readableLength > mostUnreadBytes) text.destroy();
      else if (level !== undefined && levels.indexOf(level) >= from) text.push(`${line}\n`);
    };
    const early: string[] = [];
    let hear = (line: string): void => void early.push(line);
    let isOver = false;
    let end = (): void => void (isOver = true);
    const unfollow = log.follow(
      (line) => hear(line),
      () => end(),
    );
    reply.raw.on('close', unfollow);
    // The answer begins before the first line, however long that takes to come.
    reply.raw.once('pipe', () => reply.raw.flushHeaders());
    const read = await this.daemon.logs.read(name, wanted, 'newest');
    pushLines(text, read);
    // Lines that were written during the read may be in the file already.
    for (const line of early) if (!read.lines.includes(line)) push(line);
    hear = push;
    end = () => void text.push(null);
    if (isOver) end();
  }
}

const mostUnreadBytes = 1024 * 1024;

function pushLines(text: Readable, { lines, linesRemoved }: LogLines): void {
  if (linesRemoved) text.push('(older lines were removed by rotation)\n');
  for (const line of lines) text.push(`${line}\n`);
}

/** @throws ApiError 400 naming the invalid parameter */
function logQuery(query: Query): { readonly wanted: LogQuery; readonly follow: boolean } {
  const { lines = '200', since, level = 'debug', follow = 'false' } = query;
  const count = /^\d{1,5}$/.test(String(lines)) ? Number(lines) : Number.NaN;
  if (!(count <= mostLogLines)) throw refused('lines', `must be an integer, 0 to ${mostLogLines}`);
  const sinceMicros = since === undefined ? null : microsOf(String(since));
  if (since !== undefined && sinceMicros === null) throw refused('since', 'must be an ISO-8601 time');
  const word = String(level).toLowerCase();
  const known = levels.find((candidate) => candidate === (word === 'warn' ? 'warning' : word));
  if (known === undefined) throw refused('level', `must be one of ${levels.join(', ')}`);
  if (follow !== 'true' && follow !== 'false') throw refused('follow', 'must be true or false');
  return { wanted: { lines: count, sinceMicros, level: known }, follow: follow === 'true' };
}

function refused(field: string, problem: string): ApiError {
  return validationError({ field, problem });
}
