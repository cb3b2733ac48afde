import type { Notification } from '../notification';
import type { DiscordSpec } from '../notifier-file';
import type { Channel, Delivery } from './channel';
import { post } from './http-post';
import { fittingLines, linesOf } from './lines';

/** A webhook of Discord accepts 2000 characters. */
const longestText = 2_000;

/** A message by a webhook of Discord, which answers once it has stored the message (`wait`). No text mentions anyone. */
export class DiscordChannel implements Channel {
  readonly type = 'discord';

  constructor(private readonly spec: DiscordSpec) {}

  get name(): string {
    return this.spec.name;
  }

  fitting(messages: readonly Notification[]): number {
    return fittingLines(messages, longestText);
  }

  deliver(messages: readonly Notification[], signal: AbortSignal): Promise<Delivery> {
    const url = new URL(this.spec.url);
    url.searchParams.set('wait', 'true');
    const body = JSON.stringify({ content: linesOf(messages, longestText), allowed_mentions: { parse: [] } });
    return post({ url: url.href, body, signal });
  }
}
