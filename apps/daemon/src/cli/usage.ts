/** What `daemon --help` prints: every command with its flags. */
export const usage = `Runs trading strategies against one or more gateways.

  daemon [start]        run until SIGTERM or Ctrl-C; SIGHUP reads the configuration anew
      --config FILE         configuration (daemon.yaml)
      --state-dir DIR       state and control.port (DAEMON_STATE_DIR)
      --control-port N      0, the default, takes a free one
      --control-host HOST   127.0.0.1
  daemon check          read the configuration and load every strategy
      --config FILE  --online  --json
  daemon list           what runs
  daemon status [NAME]  positions, results and state of all strategies, or of one
  daemon logs NAME      --lines N  --level LEVEL  --since TIME
  daemon latency        how long each stage takes
  daemon resume NAME    end the halt of a strategy or portfolio
  daemon state dump     everything the daemon remembers, as JSON
      these ask the running daemon of --state-dir DIR; --json prints what it answers
  daemon backtest FILE  --data BID.csv,ASK.csv
      --from TIME  --to TIME  --params JSON  --symbol NAME  --timeframe M1  --capital N
      --html FILE  --out FILE  --json

Exit codes: 0 well, 1 failed, 2 wrong command line. More in docs/daemon.md and docs/strategies.md.
`;
