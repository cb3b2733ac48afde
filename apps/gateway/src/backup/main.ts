import { runBackup } from './run-backup';

// The locks are held to the end of the process, which does not wait for them.
void runBackup(process.argv.slice(2)).then((code) => (process.exitCode = code));
