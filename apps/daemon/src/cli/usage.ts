/** Help text of each command: its purpose, then its flags. */
export const commandUsage: Readonly<Record<string, string>> = {
  start: `  daemon [start]        run until SIGTERM or Ctrl-C; SIGHUP reloads the configuration
      --config FILE         configuration (daemon.yaml)
      --state-dir DIR       state and control.port (DAEMON_STATE_DIR)
      --control-port N      0 (default) picks a free port
      --control-host HOST   127.0.0.1
`,
  check: `  daemon check          read the configuration and load every strategy
      --config FILE         configuration (daemon.yaml)
      --online              ask the gateways for their accounts and the streams' symbols
      --json
`,
  list: `  daemon list           list strategies and portfolios
      --state-dir DIR  --control-host HOST  --json
`,
  status: `  daemon status [NAME]  show positions, results and state of all strategies or of one
      --state-dir DIR  --control-host HOST  --json
`,
  positions: `  daemon positions [NAME]
                        list the open positions: side, stops, trailing stop
      --state-dir DIR  --control-host HOST  --json
`,
  logs: `  daemon logs NAME      print the last lines of a strategy's log
      --lines N             maximum number of lines, up to 10000 (200)
      --level LEVEL         lowest level: debug, info, warning or error
      --since TIME          print the first lines after this time instead of the last
      --follow, -f          continue to print new lines
      --state-dir DIR  --control-host HOST  --json
`,
  latency: `  daemon latency        show the latency of each stage
      --state-dir DIR  --control-host HOST  --json
`,
  halt: `  daemon halt NAME      halt a strategy or portfolio: no entries, pending orders are cancelled, exits pass
      --reason TEXT         for the log and the status (by the operator)
      --state-dir DIR  --json
`,
  flatten: `  daemon flatten NAME   halt a strategy or portfolio, close its positions and cancel its pending orders
      --reason TEXT         for the log and the status (by the operator)
      --wait SECONDS        how long to wait until nothing is open (30); the daemon continues after that
      --state-dir DIR  --json
`,
  resume: `  daemon resume NAME    end the halt of a strategy or portfolio
      --state-dir DIR  --json
`,
  reload: `  daemon reload         apply the current configuration file, like SIGHUP; exit code 1 if there are problems
      --state-dir DIR  --json
`,
  settle: `  daemon settle NAME KEY
                        settle an in-flight request whose outcome cannot be resolved
      --order TICKET        the request became this order at the broker
      --undone              the request was never executed
      --state-dir DIR  --json
`,
  trades: `  daemon trades NAME    list the closed and open trades of a live strategy or portfolio, from the broker's history
      --days N              of the last N days (30)
      --from TIME --to TIME instead of --days: UTC; --to is exclusive
      --config FILE         configuration (daemon.yaml)
      --state-dir DIR       the daemon's records, of a running daemon or of one that is down
      --csv FILE            write the trades as CSV
      --json
`,
  report: `  daemon report NAME    report what a live strategy or portfolio did, as backtest does
      --days N, --from TIME --to TIME, --config FILE, --state-dir DIR
                            as for trades
      --monte-carlo N       draw N other orders of the closed trades, and state how deep they fell
      --seed S              that draws them (1)
      --drawdown LIST       10,20: percentages whose chance is stated (10,20,30,50)
      --html FILE           write the report as one HTML page
      --out FILE            write the report and the equity as JSON
      --csv FILE            write the closed trades as CSV
      --json                print the report as JSON instead of tables
`,
  state: `  daemon state COMMAND  print the stored state, or move it
      dump                  print it as JSON
      move                  move that of a stopped daemon into the database of a fleet (DAEMON_DATABASE_URL)
        --dry-run           show what it would move, and what prevents it
      --state-dir DIR
`,
  hosts: `  daemon hosts          list the hosts of a fleet and where its units run (DAEMON_DATABASE_URL)
      --json
`,
  apply: `  daemon apply FILE     store a configuration for the hosts of a fleet that have none of their own
      --dry-run             check it and show what it changes
`,
  drain: `  daemon drain [HOST]   move the units of a host to other hosts; it takes none until it is restarted
      --undo                take units again
      --wait SECONDS        how long to wait until it has none (30); the host continues after that
`,
  move: `  daemon move UNIT HOST move a strategy or portfolio to another host
`,
  new: `  daemon new FOLDER     create a folder with a strategy, its test and a day of generated prices
`,
  backtest: `  daemon backtest FILE  run a strategy over recorded prices and report
      --data FILES          price files of one or more symbols: bars as BID.csv,ASK.csv, or BID.csv with --spread, or
                            ticks; SYMBOL=FILE sets the symbol
      --symbol NAME         symbol of the stream main (that of the first file)
      --timeframe M1        timeframe of the stream main
      --streams LIST        instead of --symbol and --timeframe: main=EURUSD@M1,slow=EURUSD@H1
      --params JSON         '{"fast": 12}'
      --capital N           10000
      --config FILE --strategy NAME
                            instead of FILE: take streams, capital, params and limits from the configuration
      --config FILE --portfolio NAME
                            all strategies of a portfolio on one account, under its limits
      --from TIME --to TIME UTC; --to is exclusive
      --limit-fill RULE     what a limit or take-profit needs inside a bar: through (default), a price one point
                            beyond it; touch, its own price
      --commission N        money for each lot of each deal (that of the symbols)
      --swap POINTS         a night; or LONG:SHORT, as in --swap=-6.5:1.2 (those of the symbols)
      --spread POINTS       between bid and ask, in place of the recorded asks
      --slippage POINTS     by which market orders, stops and stop-outs fill worse (0)
      --latency MS          market time from a decision to the broker (0)
      --symbols FILE        specifications of the symbols, as daemon data spec writes them
      --accept-faulty       skip faulty rows and raise asks below the bid, instead of refusing the files
      --monte-carlo N       draw N other orders of the closed trades, and state how deep they fell
      --seed S              that draws them (1)
      --drawdown LIST       10,20: percentages whose chance is stated (10,20,30,50)
      --html FILE           write the report as one HTML page
      --out FILE            write the report, fills, equity and logs as JSON
      --csv FILE            write the closed trades as CSV
      --logs                print the strategy's log lines to stderr
      --json                print the report as JSON instead of tables
`,
  compare: `  daemon compare NAME   compare a live strategy or portfolio with a backtest of the same days, and explain the
                        difference
      FIRST SECOND          instead of NAME: compare two reports of backtest --out, their settings, figures and trades
      --days N              of the last N days (5)
      --from TIME --to TIME, --config FILE, --state-dir DIR
                            as for trades
      --ticks               replay the gateway's ticks instead of its bars
      --limit-fill, --commission, --swap, --spread, --slippage, --latency, --symbols
                            as for backtest
      --json
`,
  optimize: `  daemon optimize FILE  backtest many sets of parameters and rank them
      --data, --symbol, --timeframe, --streams, --params, --capital, --config, --strategy, --from, --to, --limit-fill,
      --commission, --swap, --spread, --slippage, --latency, --symbols, --accept-faulty
                            as for backtest
      --grid SETS           fast=5:50:5,slow=20:200:10,mode=a|b: values of the parameters
      --sets FILE           instead of --grid: sets as lines of JSON, {"fast": 12}, run as they come; - for stdin. Prints a
                            line of JSON for each set, and one for the search
      --random N --seed S   run N sets of the grid, drawn at random by the seed (1)
      --where CONDITIONS    fast<slow,slow>=2*fast+5: run only the sets that meet them
      --metric NAME         figure that ranks the sets: returnPct (default), sharpe, cagrPct, sortino, calmar, recovery
                            (change of the equity / max drawdown), maxDrawdown, maxDrawdownPct; of closed trades alone:
                            netProfit, sqn, profitFactor, expectancy, winRatePct
      --min-trades N        do not rank sets with fewer closed trades (0)
      --walk-forward 6m/1m  choose the best set on 6 months, test it on the next month, and so on; d, w or m
      --jobs N              sets that run at the same time (one per processor)
      --results FILE        write each outcome as a line of JSON as soon as it is known
      --resume              continue the search of --results
      --top N               rows of the table, each confirmed in the full engine (20)
      --no-kernel           run every set in the full engine
      --csv FILE            write all sets as CSV
      --html FILE           write heat maps, stability and the out-of-sample curve as one HTML page
      --json                print the report as JSON instead of tables
`,
  data: `  daemon data COMMAND   check price files; make them from other files or from a gateway
      check FILES           count faulty and doubtful rows; exit code 1 when a backtest would refuse a file
        --spike PERCENT     by which a price leaves those before and after it (1; for bars times the root of their minutes)
        --flat MINUTES      in a row without any change (60)
        --gap MINUTES       without a price (60)
        --weekends          the symbols trade on weekends
        --strict            exit code 1 for doubtful rows, too
        --json
      export FILES          write price files as Parquet files, for pandas, polars, DuckDB and others
        --store DIR         folder of the files (prices)
        --json
      import FILES          make price files of bars of any timeframe, or of ticks: files of MetaTrader 5, HistData,
                            Dukascopy and TrueFX, or bars in other CSV or in Parquet; also .gz or .zip
        --symbol NAME
        --digits N          decimal places of the symbol's prices
        --zone ZONE         time zone of times without an offset, such as UTC, Europe/Athens or
                            America/New_York+7
        --columns NAMES     columns of a file without a header, or in place of those of the header, such as
                            date,time,open,high,low,close,volume
        --ignore NAMES      columns to leave out
        --decimal-comma     prices have a decimal comma: 1,09512
        --date-format FORM  form of the times, such as "DD/MM/YYYY HH:mm"
        --repeated-hour first|second|skip|by-order
                            passes of an hour that the zone repeats, for times that are in both; without it they are
                            refused, as are times that the zone leaves out
        --round             round prices with more decimal places than --digits
        --sort              the rows are in another order than that of their times
        --asks FILES        asks of the same bars, where FILES are bids
        --spread POINTS     between bid and ask, for bars without a column spread and without --asks
        --spread-in points|price
                            unit of a column spread (points)
        --store DIR         folder of the files (prices)
        --json
      pull GATEWAY:SYMBOL@M1
                            read prices from a gateway of the configuration into files; continues what is there
        --from TIME --to TIME
                            UTC; --to is exclusive (the last complete minute)
        --store DIR         folder of the files (prices)
        --asks ticks|spread asks of bars: of their ticks where the broker has all of a bar, else bid plus spread; or
                            always bid plus spread, which reads no ticks (as the store has them; ticks for a new one)
        --ticks             ticks instead of bars: GATEWAY:SYMBOL
        --config FILE       configuration (daemon.yaml)
        --json
      spec GATEWAY:SYMBOL[,SYMBOL]
                            write the specifications of symbols for backtest --symbols
        --out FILE          instead of stdout
        --config FILE       configuration (daemon.yaml)
`,
  schema: `  daemon schema         print the JSON Schema of the configuration file, for an editor
`,
  completion: `  daemon completion SHELL
                        print the completion of commands and flags for bash, zsh or fish
`,
};

/** Text of `daemon --help`. */
export const usage = `Runs trading strategies against one or more gateways.

${Object.values(commandUsage).join('')}
list, status, positions, logs, latency, halt, flatten, resume, reload and settle talk to the running daemon of --state-dir.
--json prints its answer as JSON.
Exit codes: 0 success, 1 failure, 2 wrong command line. See docs/daemon.md and docs/strategies.md.
`;
