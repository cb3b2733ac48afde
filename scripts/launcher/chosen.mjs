import { LaunchError } from './commands.mjs';

/**
 * What of a command was asked for by name; everything when nothing was named.
 * @param kind what one of them is called
 * @throws LaunchError with what there is
 */
export function chosen(named, all, kind) {
  const unknown = named.find((name) => !all.includes(name));
  if (unknown) throw new LaunchError(`Unknown ${kind} "${unknown}"; choose from ${all.join(', ')}.`);
  return named.length > 0 ? named : all;
}
