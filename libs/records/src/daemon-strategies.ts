import { nullable, oneOf, text } from './field';

/** Whether a gateway knows a daemon and what became of its answer, without the strategies. */
export const daemonStrategiesFields = {
  daemon: oneOf(['none', 'reachable', 'unreachable'], 'reachable', '`none`: CONSOLE_DAEMON_URL is not set.'),
  error: nullable(text('connection refused', 'Why the daemon is unreachable.'), null),
};
