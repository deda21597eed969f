import type { Timeline, TimelineMark } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import type { TimelineQuery } from '../port.ts'
import { rowKey } from '../projections/index.ts'

/** The most marks of one rank that are ever shown. */
export const MOST_MARKS = 300

type Kind = TimelineMark['kind']

/** An event that may become a mark, as a table stores it. */
export type MarkRow = Readonly<Record<string, unknown>>

const KIND_OF: Readonly<Record<string, Kind>> = {
  agent_spawn: 'spawn',
  agent_wait: 'wait',
  agent_stuck: 'stuck',
  agent_done: 'done',
  agent_lost: 'done',
}

/**
 * The kinds that people look for come first. Each rank has a share of its own, and what one rank does not use
 * goes to the next.
 */
const RANKS: readonly { readonly kinds: readonly Kind[]; readonly share: number }[] = [
  { kinds: ['failure'], share: 150 },
  { kinds: ['wait'], share: 90 },
  { kinds: ['stuck'], share: 30 },
  { kinds: ['done', 'spawn'], share: 30 },
]

/** Maps the calls of a session to the agents they made. */
export type AgentsByCall = Readonly<Record<string, string>>

type Slice = { -readonly [K in keyof Timeline['slices'][number]]: Timeline['slices'][number][K] }

interface Slices {
  readonly width: number
  readonly slices: Slice[]
}

/** Receives candidate marks, the newest of each rank first, and chooses which are shown. */
export class MarkChoice {
  readonly #ranks: MarkRow[][] = RANKS.map(() => [])
  #all = 0

  add(row: MarkRow): void {
    this.#all += 1
    const rank = this.#ranks[RANKS.findIndex(({ kinds }) => kinds.includes(markKind(row)))]
    if (rank !== undefined && rank.length < MOST_MARKS) rank.push(row)
  }

  /** Records that there are this many more than were added. */
  leave(count: number): void {
    this.#all += count
  }

  chosen(): readonly MarkRow[] {
    const first = this.#ranks.flatMap((rows, rank) => rows.slice(0, RANKS[rank]?.share))
    const others = this.#ranks.flatMap((rows, rank) => rows.slice(RANKS[rank]?.share))
    return [...first, ...others.slice(0, MOST_MARKS - first.length)]
  }

  /** `madeIn` takes the key of a session. */
  marks(madeIn: (group: string) => AgentsByCall): Pick<Timeline, 'marks' | 'marks_left_out'> {
    const marks = this.chosen().map((row) => toMark(row, madeIn))
    return {
      marks: marks.sort((one, other) => one.ts - other.ts || one.seq - other.seq),
      marks_left_out: this.#all - marks.length,
    }
  }
}

const markKind = ({ failed, event }: MarkRow): Kind =>
  failed === 1 || failed === true ? 'failure' : (KIND_OF[String(event)] ?? 'done')

export const sessionGroup = (row: MarkRow): string => rowKey(String(row.source), String(row.session_id))

const toMark = (row: MarkRow, madeIn: (group: string) => AgentsByCall): TimelineMark => ({
  seq: Number(row.seq),
  ts: Number(row.ts),
  kind: markKind(row),
  source: String(row.source),
  session_id: String(row.session_id),
  agent_id: typeof row.agent_id === 'string' ? row.agent_id : findAgent(row, madeIn),
})

/**
 * A failed call names no agent: its mark goes to the agent it made, or otherwise to the agent that made the
 * call.
 */
function findAgent(row: MarkRow, madeIn: (group: string) => AgentsByCall): string {
  if (typeof row.body !== 'string') return 'main'
  const { tool_use_id: call, parent_id: caller } = JSON.parse(row.body) as MarkRow
  const made = madeIn(sessionGroup(row))
  if (typeof call === 'string' && Object.hasOwn(made, call)) return made[call] ?? 'main'
  return typeof caller === 'string' ? caller : 'main'
}

export const parseMade = (doc: string | undefined): AgentsByCall =>
  doc === undefined ? {} : ((JSON.parse(doc) as { made?: Record<string, string> }).made ?? {})

/** Cuts the span into empty slices of equal length. */
export function createSlices({ from, to, slices: wanted }: TimelineQuery): Slices {
  const width = Math.max(1, Math.ceil((to - from) / Math.max(1, wanted)))
  const count = Math.max(1, Math.ceil((to - from) / width))
  const slices = Array.from({ length: count }, (_, i) => ({
    ts: from + i * width,
    events: 0,
    errors: 0,
    alive: 0,
  }))
  return { width, slices }
}

export interface Life {
  readonly started: number
  readonly ended: number | null
}

/** Computes the line of living agents. */
export function countAlive({ width, slices }: Slices, query: TimelineQuery, lives: Iterable<Life>): void {
  const changes = new Array<number>(slices.length + 1).fill(0)
  const sliceIndex = (ts: number): number => clamp(Math.floor((ts - query.from) / width), 0, slices.length)
  for (const { started, ended } of lives) {
    if (started >= query.to) continue
    const first = sliceIndex(started)
    changes[first] = (changes[first] ?? 0) + 1
    if (ended === null) continue
    const last = sliceIndex(ended)
    changes[last] = (changes[last] ?? 0) - 1
  }
  let alive = 0
  slices.forEach((slice, i) => {
    alive += changes[i] ?? 0
    slice.alive = alive
  })
}
