import { ends, GAP, type Service, simulate } from './sizing-model.ts'
import type { AgentRate } from './sizing-rate.ts'

/** The measured costs per event and per batch, in seconds and bytes. */
export interface Measured {
  readonly rate: AgentRate
  /** One SQLite process over HTTP. */
  readonly sqlite: Service
  /** One hub on PostgreSQL over HTTP. */
  readonly hub: Service
  /** The part that only one process at a time can do in a space. */
  readonly append: Service
  readonly hub_cpu: readonly [batch: number, event: number]
  /** The part of commits, which simultaneous requests share. */
  readonly append_cpu: readonly [batch: number, event: number]
  readonly database_cpu: readonly [batch: number, event: number]
  readonly bus_cpu: readonly [batch: number, event: number]
  readonly wal_bytes: number
  readonly table_bytes: number
}

/** Assumptions, which the result lists. */
export const ASSUMED = {
  /** The peak as a multiple of the mean over a working hour. */
  peak: 3,
  /** The number of agents per computer. */
  agents_per_computer: 5,
  /** The maximum number of events per batch of a forwarder. */
  batch: 500,
  /** Hours a day in which agents work. */
  hours: 8,
  /** The utilization of a core at which another one is added. */
  full: 0.7,
  /** The response time limit in seconds. */
  bound: 0.25,
} as const

export interface Plan {
  readonly agents: number
  readonly gap: number
  readonly mean: number
  readonly peak: number
  readonly computers: number
  readonly wire_bytes_per_second: number
  readonly wal_bytes_per_second: number
  readonly bytes_per_day: number
  readonly hub_cores: number
  readonly database_cores: number
  readonly design: string
  readonly spaces: number
  readonly p99: number
  readonly busy: number
}

export interface Ends {
  readonly sqlite: number
  readonly hub: number
  readonly hubs: number
  readonly bus: number
  /** Events per second for each core of the database, with enough spaces. */
  readonly spaces_per_core: number
}

const SENDERS = 200
/** The simulated seconds. */
const SECONDS = 10
/** A team with this few computers does not need a hub. */
const FEW = 2

export function endsOf(measured: Measured): Ends {
  const load = { senders: SENDERS, batch: ASSUMED.batch, gap: GAP }
  const { append, database_cpu } = measured
  return {
    sqlite: ends(measured.sqlite, load, ASSUMED.bound),
    hub: ends(measured.hub, load, ASSUMED.bound),
    hubs: ends(append, load, ASSUMED.bound),
    // The writer of a bus fills its commits, and no sender waits for them.
    bus: 0.9 / (append.event + append.commit / append.most),
    spaces_per_core: ASSUMED.full / (database_cpu[1] + database_cpu[0] / ASSUMED.batch),
  }
}

export function planOf(agents: number, measured: Measured, all: Ends, gap: number = GAP): Plan {
  const { rate, hub_cpu, database_cpu } = measured
  const mean = agents * rate.per_agent
  const peak = mean * ASSUMED.peak
  const computers = Math.max(1, Math.round(agents / ASSUMED.agents_per_computer))
  const { design, spaces, service } = designFor({ peak, computers }, measured, all)
  // The senders are distributed evenly over the spaces.
  const senders = Math.max(1, Math.round(computers / spaces))
  const one = simulate(service, { senders, rate: peak / spaces, batch: ASSUMED.batch, gap }, SECONDS)
  const [requests, commits] = [one.requests * spaces, one.commits * spaces]
  const shared = Math.min(hub_cpu[0], measured.append_cpu[0])
  return {
    agents,
    gap,
    mean,
    peak,
    computers,
    wire_bytes_per_second: mean * rate.wire_bytes_per_event,
    wal_bytes_per_second: mean * measured.wal_bytes,
    bytes_per_day: mean * ASSUMED.hours * 3_600 * measured.table_bytes,
    hub_cores:
      (requests * Math.max(0, hub_cpu[0] - shared) + commits * shared + peak * hub_cpu[1]) / ASSUMED.full,
    database_cores: (commits * database_cpu[0] + peak * database_cpu[1]) / ASSUMED.full,
    design,
    spaces,
    p99: one.p99,
    busy: one.busy,
  }
}

/** Chooses the simplest design that holds the peak with a margin. */
function designFor(
  { peak, computers }: { readonly peak: number; readonly computers: number },
  { sqlite, hub, append }: Measured,
  all: Ends,
): { readonly design: string; readonly spaces: number; readonly service: Service } {
  const fits = (end: number) => peak <= end * ASSUMED.full
  if (computers <= FEW && fits(all.sqlite))
    return {
      design: 'one SQLite file; one hub if the agents are on several computers',
      spaces: 1,
      service: sqlite,
    }
  if (fits(all.hub)) return { design: 'one hub; run two so that one may fail', spaces: 1, service: hub }
  if (fits(all.hubs)) return { design: 'several hubs', spaces: 1, service: append }
  if (fits(all.bus)) return { design: 'several hubs and a bus', spaces: 1, service: append }
  const spaces = Math.ceil(peak / (all.hubs * ASSUMED.full))
  return {
    design: `several hubs, ${spaces} spaces, on as many databases as the cores in this row require`,
    spaces,
    service: append,
  }
}
