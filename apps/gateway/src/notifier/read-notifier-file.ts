import { FileReader, secretSources, yamlFile, type SecretSources } from '../settings/file-reader';
import type { ChannelSpec, NotifierFile } from './notifier-file';
import { readChannel } from './read-channel';
import { readRule } from './read-rule';

/** All that is wrong with the notifier's file, at once, without the value of a secret. */
export class NotifierFileError extends Error {
  constructor(
    file: string,
    readonly problems: readonly string[],
  ) {
    super(`NOTIFIER_FILE ${file}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'NotifierFileError';
  }
}

/**
 * Reads the file that NOTIFIER_FILE names, and the secrets that it refers to.
 * @throws NotifierFileError listing every problem
 */
export function readNotifierFile(file: string, env: SecretSources['env']): NotifierFile {
  const problems: string[] = [];
  const sources = secretSources(env);
  const content = yamlFile(file, (problem) => {
    throw new NotifierFileError(file, [problem]);
  });
  const reader = new FileReader(content, '', ['channels', 'rules'], problems);
  const named = reader.mapping('channels');
  const channels = Object.entries(named).flatMap(([name, value]) => readChannel(name, value, sources, problems));
  const names = Object.keys(named);
  if (names.length === 0) reader.problem('channels', 'must name at least one channel');
  const rules = listOf(reader, 'rules').flatMap((value, index) => readRule(value, `rules[${index}]`, names, problems));
  if (!reader.has('rules')) reader.problem('rules', 'must have at least one rule');
  if (problems.length > 0) throw new NotifierFileError(file, [...new Set(problems)]);
  return { channels, rules: rules.map((rule) => ({ ...rule, channels: rule.channels.flatMap(queuesIn(channels)) })) };
}

/** The channels that a channel of the file is: several for one with several recipients. */
function queuesIn(channels: readonly ChannelSpec[]): (name: string) => string[] {
  return (given) => channels.map(({ name }) => name).filter((name) => name.split('.', 1)[0] === given);
}

function listOf(reader: FileReader, name: string): unknown[] {
  const value = reader.value(name) ?? [];
  if (Array.isArray(value)) return value;
  reader.problem(name, 'must be a list');
  return [];
}
