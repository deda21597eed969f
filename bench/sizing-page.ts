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

/** A run beside other work says so where nobody can miss it. */
function busy(tables: Document['tables'], cores: number): string {
  const [load] = tables.find(({ title }) => title.startsWith('How busy'))?.rows ?? []
  const most = Math.max(Number(load?.before ?? 0), Number(load?.after ?? 0))
  if (!(most > 2 * cores)) return ''
  return `\n**This run is of a busy machine**: up to ${Math.round(most)} processes wanted its ${cores} cores, so times are several times longer, and rates lower, than on one of your own. Run it again on a quiet machine.\n`
}

/** The page for people, from the figures of a run. */
export function page({ date, machine, tables }: Document, assumed: typeof ASSUMED): string {
  const of = (beginning: string): string => {
    const found = tables.find(({ title }) => title.startsWith(beginning))
    if (found === undefined) throw new Error(`there is no table ${beginning}`)
    return table(found.rows)
  }
  return `# How large a team's machines have to be

Written by \`npm run bench -- team-sizing\` on ${date}, from its figures in \`bench/results/team-sizing.json\`. Measured on ${machine.cores} cores (${machine.model}, ${machine.memory_gb} GB), on which the hub, PostgreSQL (with fsync)
and whoever sends run together. A larger machine does more; what stays is how things grow. A hub commits what waits together, so the cost of a batch is paid once for many of them.
${busy(tables, Number(machine.cores))}
## What one agent tells

The made-up day of \`panoptes demo\`: events from an agent's first to its last. Real agents differ; \`panoptes doctor --team\` says how many events came in the last hour.

${of('An agent')}

## What one event costs

${of('What an event takes')}

${of('Bytes of an event')}

## What so many agents at once need

${of('What so many agents')}

Assumed: at peak ${assumed.peak} times the mean of a working hour; ${assumed.agents_per_computer} agents on a computer, each sending what came at once, 40 ms after its last answer at the earliest, at most ${assumed.batch} events together; ${assumed.hours} hours of work a day; a core is full at ${assumed.full * 100} %. Cores are those of a machine
like this one, at peak. A request with one event costs nearly as much as one with a hundred, so for very many computers it is the requests that need hubs: the last row is the same with forwarders that gather for a second. The answers to forwarders are simulated: arrivals at random, one commit at a time in a space, requests that come meanwhile share the next. A design is taken while the peak is under ${assumed.full * 100} % of where it ends. Page views, searches and
chats come on top; the index and the accounts of forwarded transcripts are work of the hub that leads them, and wait when there is none to spare.

## Where each design ends

The highest rate at which 99 of 100 answers come within ${assumed.bound * 1000} ms, by the model fed with the figures above.

${of('Where each design ends')}

- **One SQLite process** ends at one computer: it has no standby, and the events of others cannot come in while it is away.
- **One hub and PostgreSQL**: take two hubs all the same, so that one may be lost. HTTP, reading and folding are the hub's, the rest the database's.
- **Several hubs**: what they do side by side is HTTP and reading; the log of a space has one order, so one commit at a time. That is where a space ends.
- **With a bus** a hub answers as soon as NATS has the events, and one writer fills its commits. Peaks and a database that is away for minutes are waited out, and live events reach all hubs without asking the database. It does not make the database faster: take it
  when commits of many hubs wait for one another (\`panoptes_append_seconds\` over 100 ms, \`panoptes_stream_behind_events\` over 1,000), or when forwarders must not notice a restart of the database.
- **Spaces** are logs of their own, and may lie in databases of their own: teams that need not see each other are the way to more.

## The model against a real hub

${of('The model against a hub')}

The model knows nothing of other work on the machine, so its 99th percentile is the better case. How many processes wanted a core, on average of a minute:

${of('How busy the machine was')}
`
}
