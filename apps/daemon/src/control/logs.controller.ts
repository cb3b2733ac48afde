import { Readable } from 'node:stream';
import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiError, validationError } from '@libs/envelope';
import type { FastifyReply } from 'fastify';
import { Daemon } from '../daemon';
import type { LogQuery } from '../logs/log-book';
import { levels, microsOf, parseLine } from '../logs/log-line';
import { strategyNamed } from './named';

type Query = Readonly<Record<string, string | undefined>>;

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
    const strategy = strategyNamed(this.daemon, name);
    const wanted = logQuery(query);
    const follow = query['follow'] === 'true';
    if (!follow && accept?.startsWith('text/plain') !== true) {
      await reply.send(await this.daemon.logs.read(name, wanted));
      return;
    }
    const text = new Readable({ read: () => undefined });
    const from = levels.indexOf(wanted.level);
    const push = (line: string): void => {
      const level = parseLine(line)?.level;
      // A follower that does not read is let go rather than remembered without bound.
      if (text.readableLength > mostUnreadBytes) text.destroy();
      else if (level !== undefined && levels.indexOf(level) >= from) text.push(`${line}\n`);
    };
    const early: string[] = [];
    let hear = (line: string): void => void early.push(line);
    const unfollow = strategy.log.follow((line) => hear(line));
    reply.raw.on('close', unfollow);
    const { lines } = await this.daemon.logs.read(name, wanted);
    for (const line of lines) text.push(`${line}\n`);
    if (follow) {
      // Lines written while the file was read may be in it already.
      for (const line of early) if (!lines.includes(line)) push(line);
      hear = push;
    } else {
      unfollow();
      text.push(null);
    }
    await reply.type('text/plain; charset=utf-8').send(text);
  }
}

const mostUnreadBytes = 1024 * 1024;
const mostLines = 10_000;

/** @throws ApiError 400 naming the parameter that is wrong */
function logQuery({ lines = '200', since, level = 'debug' }: Query): LogQuery {
  const count = /^\d{1,5}$/.test(lines) ? Number(lines) : Number.NaN;
  if (!(count <= mostLines)) throw refused('lines', `must be an integer, 0 to ${mostLines}`);
  const sinceMicros = since === undefined ? null : microsOf(since);
  if (since !== undefined && sinceMicros === null) throw refused('since', 'must be an ISO-8601 time');
  const known = levels.find((candidate) => candidate === level.toLowerCase());
  if (known === undefined) throw refused('level', `must be one of ${levels.join(', ')}`);
  return { lines: count, sinceMicros, level: known };
}

function refused(field: string, problem: string): ApiError {
  return validationError({ field, problem });
}
