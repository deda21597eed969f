import { isPlainObject } from '@panoptes/schema/plain-object'
import { type Fields, toFields, toText, toTime } from '../fields.ts'
import { rolloutLines } from './lines.ts'

/** The thread metadata in the first line of a rollout, which never changes. */
export interface Head {
  readonly id: string | null
  readonly startedAt: number | null
  readonly cwd: string | null
  readonly branch: string | null
  /** The parent thread of a sub-agent. */
  readonly parent: string | null
  /** True for a sub-agent. Some sub-agents do not name their parent. */
  readonly isAgent: boolean
  readonly role: string | null
  /** The name its parent gave it. */
  readonly name: string | null
  readonly forkedFrom: string | null
  /** True when the history before it is referenced, not copied. */
  readonly pointsBack: boolean
  /** The number of its first own line, if recorded. */
  readonly ownFrom: number | null
}

function toHead(meta: Fields): Head {
  const agent = toFields(toFields(meta.source).subagent)
  const spawn = toFields(agent.thread_spawn)
  const isAgent =
    isPlainObject(toFields(meta.source).subagent) ||
    typeof toFields(meta.source).subagent === 'string' ||
    meta.thread_source === 'subagent'
  return {
    id: toText(meta.id),
    startedAt: toTime(meta.timestamp),
    cwd: toText(meta.cwd),
    branch: toText(toFields(meta.git).branch),
    parent: isAgent ? (toText(spawn.parent_thread_id) ?? toText(meta.parent_thread_id)) : null,
    isAgent,
    role: toText(spawn.agent_role) ?? toText(meta.agent_role) ?? toText(agent.other),
    name: toText(spawn.agent_path) ?? toText(spawn.agent_nickname) ?? toText(meta.agent_nickname),
    forkedFrom: toText(meta.forked_from_id),
    pointsBack: isPlainObject(meta.history_base),
    ownFrom:
      typeof meta.subagent_history_start_ordinal === 'number' ? meta.subagent_history_start_ordinal : null,
  }
}

/** The head of a rollout whose first line is unknown. */
export const NO_HEAD = toHead({})
const HEAD_BYTES = 32_768

/** Reads the head of a rollout. Undefined while its first line is being written. */
export async function readHead(path: string): Promise<Head | undefined> {
  for await (const each of rolloutLines(path, undefined, HEAD_BYTES)) {
    if (!('problem' in each)) return each.type === 'session_meta' ? toHead(each.payload) : NO_HEAD
  }
  return undefined
}
