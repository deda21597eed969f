import { type Fields, fieldsOf, isFields, textOf, timeOf } from '../fields.ts'
import { rolloutLines } from './lines.ts'

/** What the first line of a rollout says of its thread. It never changes. */
export interface Head {
  readonly id: string | null
  readonly startedAt: number | null
  readonly cwd: string | null
  readonly branch: string | null
  /** The thread whose sub-agent it is. */
  readonly parent: string | null
  /** Whether it is a sub-agent at all: of some it is not told whose. */
  readonly isAgent: boolean
  readonly role: string | null
  /** What its parent calls it. */
  readonly name: string | null
  readonly forkedFrom: string | null
  /** The history of the thread before it is only pointed at, not copied. */
  readonly pointsBack: boolean
  /** The number of its first own line, where it says so. */
  readonly ownFrom: number | null
}

function headOf(meta: Fields): Head {
  const agent = fieldsOf(fieldsOf(meta.source).subagent)
  const spawn = fieldsOf(agent.thread_spawn)
  const isAgent =
    isFields(fieldsOf(meta.source).subagent) ||
    typeof fieldsOf(meta.source).subagent === 'string' ||
    meta.thread_source === 'subagent'
  return {
    id: textOf(meta.id),
    startedAt: timeOf(meta.timestamp),
    cwd: textOf(meta.cwd),
    branch: textOf(fieldsOf(meta.git).branch),
    parent: isAgent ? (textOf(spawn.parent_thread_id) ?? textOf(meta.parent_thread_id)) : null,
    isAgent,
    role: textOf(spawn.agent_role) ?? textOf(meta.agent_role) ?? textOf(agent.other),
    name: textOf(spawn.agent_path) ?? textOf(spawn.agent_nickname) ?? textOf(meta.agent_nickname),
    forkedFrom: textOf(meta.forked_from_id),
    pointsBack: isFields(meta.history_base),
    ownFrom:
      typeof meta.subagent_history_start_ordinal === 'number' ? meta.subagent_history_start_ordinal : null,
  }
}

/** Of a rollout whose first line is not known. */
export const NO_HEAD = headOf({})
const HEAD_BYTES = 32_768

/** The head of a rollout; nothing while its first line is being written. */
export async function readHead(path: string): Promise<Head | undefined> {
  for await (const each of rolloutLines(path, undefined, HEAD_BYTES)) {
    if (!('problem' in each)) return each.type === 'session_meta' ? headOf(each.payload) : NO_HEAD
  }
  return undefined
}
