// Loaded into each child before its program: a launcher that is killed outright must not leave anything trading.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// After the listener, which by itself would keep the process alive.
process.channel?.unref();
