import type { Row } from './report.ts'
import type { ASSUMED } from './sizing-plan.ts'

interface Document {
  readonly date: string
  readonly machine: Readonly<Record<string, unknown>>
  readonly tables: readonly { readonly title: string; readonly rows: readonly Row[] }[]
}

const shown = (cell: string | number | null): string =>
  typeof cell === 'number' ? cell.toLocaleString('en-US', { maximumSignificantDigits: 3 }) : String(cell)

function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {})
  return [
    `| ${columns.join(' | ')} |`,
    `|${columns.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${columns.map((column) => shown(row[column] ?? null)).join(' | ')} |`),
  ].join('\n')
}

/** A run on a busy machine gets a visible warning. */
function busy(tables: Document['tables'], cores: number): string {
  const [load] = tables.find(({ title }) => title.startsWith('How busy'))?.rows ?? []
  const most = Math.max(Number(load?.before ?? 0), Number(load?.after ?? 0))
  if (!(most > 2 * cores)) return ''
  return `\n**The machine was busy**: up to ${Math.round(most)} processes wanted its ${cores} cores, so times are several times longer\nand rates lower than on your own. Run it again on a quiet machine.\n`
}

/** Writes the documentation page from the results of a run. */
export function page({ date, machine, tables }: Document, assumed: typeof ASSUMED): string {
  const of = (beginning: string): string => {
    const found = tables.find(({ title }) => title.startsWith(beginning))
    if (found === undefined) throw new Error(`there is no table ${beginning}`)
    return table(found.rows)
  }
  return `# Size the machines of a team

This page shows which design and how many cores your team needs. First, ask a running team for its
rate:

\`\`\`sh
panoptes doctor --team    # how many events came in the last hour, and what to change
\`\`\`

\`npm run bench -- team-sizing\` wrote this page on ${date} from \`bench/results/team-sizing.json\`.
It ran on ${machine.cores} cores (${machine.model}, ${machine.memory_gb} GB), shared by the hub,
PostgreSQL (with fsync) and the senders. A larger machine handles more events, in the same
proportions. A hub commits all waiting events together, so they share the cost of one commit.
${busy(tables, Number(machine.cores))}
## What a number of agents needs

${of('What so many agents')}

The core columns show the need at peak, on cores like those of this machine. The table assumes:

- the peak is ${assumed.peak} times the mean of a working hour, and a day has ${assumed.hours} hours
  of work;
- a computer has ${assumed.agents_per_computer} agents and sends new events at once, but not before
  40 ms have passed since the hub's last answer, and at most ${assumed.batch} events per request;
- a core counts as full at ${assumed.full * 100} % use, and a design is enough while the peak is
  under ${assumed.full * 100} % of its highest rate.

A request with one event costs nearly as much as a request with a hundred. So with very many
computers, the number of requests decides how many hubs you need. In the last row, forwarders
collect events for a second before they send them. The benchmark simulates the answers to
forwarders: requests arrive at random, a space has one commit at a time, and requests that arrive
during a commit share the next one.

The table does not include page views, searches and chats. If computers send transcripts, the
leading hub also computes the index, outcomes and costs. It postpones this work while no core is
free.

## Where each design ends

The table shows the highest rate at which 99 of 100 answers arrive within ${assumed.bound * 1000} ms.
The simulation uses the measurements below.

${of('Where each design ends')}

- **One SQLite process** is limited to one computer. It has no standby, and while it is down, no
  other computer can send events.
- **One hub and PostgreSQL.** Run two hubs anyway, so that one may fail. The hub's cores do HTTP,
  parsing and projections; the database does the rest.
- **Several hubs** share HTTP and parsing. The log of a space has one order, so only one hub can
  commit at a time. This limits the rate of a space.
- **With a bus**, a hub answers as soon as NATS has the events, and one writer stores them in large
  commits. A bus absorbs peaks and database outages of a few minutes, and brings live events to all
  hubs without queries. It does not make the database faster. Use a bus if the commits of many hubs
  wait for one another (\`panoptes_append_seconds\` over 100 ms, \`panoptes_stream_behind_events\`
  over 1,000), or if forwarders must not notice a restart of the database.
- **Spaces** have separate logs and can be in separate databases. Give each team its own space if
  teams need not see each other's agents.

## What one agent sends

The figures are from the simulated day of \`panoptes demo\`, from an agent's first event to its last
one. Real agents differ.

${of('An agent')}

## What one event costs

${of('What an event takes')}

${of('Bytes of an event')}

## The model against a real hub

${of('The model against a hub')}

The simulation ignores other work on the machine, so its 99th percentile is optimistic. The next
table shows the load of the machine: the number of processes that wanted a core, averaged over a
minute.

${of('How busy the machine was')}
`
}
