import type { Timeline, TimelineMark } from '@panoptes/schema'
import { rowKey } from '../projections/index.ts'

/** Of one rank no more than this are ever shown. */
export const MOST_MARKS = 300

type Kind = TimelineMark['kind']

/** An event that may become a mark, as a table has it. */
export type Told = Readonly<Record<string, unknown>>

const KIND_OF: Readonly<Record<string, Kind>> = {
  agent_spawn: 'spawn',
  agent_wait: 'wait',
  agent_stuck: 'stuck',
  agent_done: 'done',
  agent_lost: 'done',
}

/** What people look for comes first. Each rank has a share of its own, and what one leaves over goes to the next. */
const RANKS: readonly { readonly kinds: readonly Kind[]; readonly share: number }[] = [
  { kinds: ['failure'], share: 150 },
  { kinds: ['wait'], share: 90 },
  { kinds: ['stuck'], share: 30 },
  { kinds: ['done', 'spawn'], share: 30 },
]

/** Which agent each call of a session made. */
export type Made = Readonly<Record<string, string>>

/** Takes what was told, the newest of each rank first, and chooses what is shown of it. */
export class MarkChoice {
  readonly #ranks: Told[][] = RANKS.map(() => [])
  #all = 0

  add(row: Told): void {
    this.#all += 1
    const rank = this.#ranks[RANKS.findIndex(({ kinds }) => kinds.includes(kindOf(row)))]
    if (rank !== undefined && rank.length < MOST_MARKS) rank.push(row)
  }

  /** So many more there are than were added. */
  leave(count: number): void {
    this.#all += count
  }

  chosen(): readonly Told[] {
    const first = this.#ranks.flatMap((rows, rank) => rows.slice(0, RANKS[rank]?.share))
    const others = this.#ranks.flatMap((rows, rank) => rows.slice(RANKS[rank]?.share))
    return [...first, ...others.slice(0, MOST_MARKS - first.length)]
  }

  /** `madeIn`: by the key of a session. */
  marks(madeIn: (group: string) => Made): Pick<Timeline, 'marks' | 'marks_left_out'> {
    const marks = this.chosen().map((row) => markOf(row, madeIn))
    return {
      marks: marks.sort((one, other) => one.ts - other.ts || one.seq - other.seq),
      marks_left_out: this.#all - marks.length,
    }
  }
}

const kindOf = ({ failed, event }: Told): Kind =>
  failed === 1 || failed === true ? 'failure' : (KIND_OF[String(event)] ?? 'done')

export const groupOf = (row: Told): string => rowKey(String(row.source), String(row.session_id))

const markOf = (row: Told, madeIn: (group: string) => Made): TimelineMark => ({
  seq: Number(row.seq),
  ts: Number(row.ts),
  kind: kindOf(row),
  source: String(row.source),
  session_id: String(row.session_id),
  agent_id: typeof row.agent_id === 'string' ? row.agent_id : agentOf(row, madeIn),
})

/** A call that failed names no agent: it is the one it made, or else the one that made the call. */
function agentOf(row: Told, madeIn: (group: string) => Made): string {
  if (typeof row.body !== 'string') return 'main'
  const { tool_use_id: call, parent_id: caller } = JSON.parse(row.body) as Told
  const made = madeIn(groupOf(row))
  if (typeof call === 'string' && Object.hasOwn(made, call)) return made[call] ?? 'main'
  return typeof caller === 'string' ? caller : 'main'
}

export const madeOf = (doc: string | undefined): Made =>
  doc === undefined ? {} : ((JSON.parse(doc) as { made?: Record<string, string> }).made ?? {})
