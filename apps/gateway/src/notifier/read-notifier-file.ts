import { readFileSync, statSync } from 'node:fs';
import { systemErrorText } from '@libs/envelope';
import { requireYamlSize, yamlOf, YamlTextError } from '@libs/settings/yaml-text';
import { FileReader, type SecretSources } from './file-reader';
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
  const sources: SecretSources = { env, fileText };
  const reader = new FileReader(parsed(file), '', ['channels', 'rules'], problems);
  const channels = Object.entries(mappingOf(reader, 'channels')).flatMap(([name, value]) =>
    readChannel(name, value, sources, problems),
  );
  const names = Object.keys(mappingOf(reader, 'channels'));
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

function parsed(file: string): unknown {
  try {
    requireYamlSize(statSync(file).size);
    return yamlOf(readFileSync(file, 'utf8'));
  } catch (error) {
    const problem = error instanceof YamlTextError ? error.message : `cannot be read: ${systemErrorText(error)}`;
    throw new NotifierFileError(file, [problem]);
  }
}

function fileText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function mappingOf(reader: FileReader, name: string): Record<string, unknown> {
  const value = reader.value(name) ?? {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  reader.problem(name, 'must be a mapping of names to values');
  return {};
}

function listOf(reader: FileReader, name: string): unknown[] {
  const value = reader.value(name) ?? [];
  if (Array.isArray(value)) return value;
  reader.problem(name, 'must be a list');
  return [];
}
