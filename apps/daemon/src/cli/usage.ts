/** Every command's own help: a line of what it is for, then its flags. */
export const commandUsage: Readonly<Record<string, string>> = {
  start: `  daemon [start]        run until SIGTERM or Ctrl-C; SIGHUP reads the configuration anew
      --config FILE         configuration (daemon.yaml)
      --state-dir DIR       state and control.port (DAEMON_STATE_DIR)
      --control-port N      0, the default, takes a free one
      --control-host HOST   127.0.0.1
`,
  check: `  daemon check          read the configuration and load every strategy
      --config FILE         configuration (daemon.yaml)
      --online              ask the gateways for their accounts and the streams' symbols
      --json
`,
  list: `  daemon list           what runs
      --state-dir DIR  --control-host HOST  --json
`,
  status: `  daemon status [NAME]  positions, results and state of all strategies, or of one
      --state-dir DIR  --control-host HOST  --json
`,
  logs: `  daemon logs NAME      the last lines of a strategy's log
      --lines N             at most so many, up to 10000 (200)
      --level LEVEL         debug, info, warning or error, and what is graver
      --since TIME          the first lines after this time instead of the last
      --follow, -f          goes on with every further line
      --state-dir DIR  --control-host HOST  --json
`,
  latency: `  daemon latency        how long each stage takes
      --state-dir DIR  --control-host HOST  --json
`,
  resume: `  daemon resume NAME    end the halt of a strategy or portfolio
      --state-dir DIR
`,
  settle: `  daemon settle NAME KEY
                        tell a strategy what became of a request it cannot find out by itself
      --order TICKET        it became this order at the broker
      --undone              it was never carried out
      --state-dir DIR
`,
  state: `  daemon state dump     everything the daemon remembers, as JSON
      --state-dir DIR
`,
  backtest: `  daemon backtest FILE  run a strategy over recorded prices and report
      --data FILES          bars as BID.csv,ASK.csv or ticks, of one or more symbols; SYMBOL=FILE names one
      --symbol NAME         of the stream main; that of the first file
      --timeframe M1        of the stream main
      --streams LIST        instead of both: main=EURUSD@M1,slow=EURUSD@H1
      --params JSON         '{"fast": 12}'
      --capital N           10000
      --config FILE --strategy NAME
                            instead of FILE: with streams, capital, params and limits of the configuration
      --from TIME --to TIME UTC; --to is the first instant left out
      --html FILE           the report as one page
      --out FILE            everything as JSON
      --logs                what the strategy logged, on stderr
      --json                the report as JSON instead of tables
`,
};

/** What `daemon --help` prints. */
export const usage = `Runs trading strategies against one or more gateways.

${Object.values(commandUsage).join('')}
list, status, logs, latency, resume and settle ask the daemon that runs on --state-dir; --json prints what it answers.
Exit codes: 0 success, 1 failure, 2 wrong command line. More in docs/daemon.md and docs/strategies.md.
`;
