import type { Notification } from '../notification';
import type { TelegramSpec } from '../notifier-file';
import type { Channel, Delivery } from './channel';
import { post } from './http-post';
import { fittingLines, linesOf } from './lines';

/** The Bot API accepts 4096 characters. */
const longestText = 4_096;

/** A message of a bot, by the Bot API's sendMessage. The address contains the token, so it is in no log. */
export class TelegramChannel implements Channel {
  readonly type = 'telegram';

  constructor(private readonly spec: TelegramSpec) {}

  get name(): string {
    return this.spec.name;
  }

  fitting(messages: readonly Notification[]): number {
    return fittingLines(messages, longestText);
  }

  deliver(messages: readonly Notification[], signal: AbortSignal): Promise<Delivery> {
    const { url, token, chatId } = this.spec;
    const text = linesOf(messages, longestText);
    const body = JSON.stringify({ chat_id: chatId, text, link_preview_options: { is_disabled: true } });
    return post({ url: `${url.replace(/\/+$/, '')}/bot${token}/sendMessage`, body, signal });
  }
}
