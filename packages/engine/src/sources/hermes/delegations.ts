import { readFileSync } from 'node:fs'
import type { SQLOutputValue } from 'node:sqlite'
import { columnText } from '../database/text.ts'

/** A delegate that `state.db` lists as working although its Hermes process is gone. */
export interface AbandonedDelegation {
  readonly id: string
  /** The session that started it. */
  readonly session: string
}

/** The columns in the order of the statement that reads them. */
export const DELEGATION_COLUMNS = [
  'delegation_id',
  'parent_session_id',
  'owner_pid',
  'owner_started_at',
] as const

export function abandonedIn(
  rows: Iterable<readonly SQLOutputValue[]>,
  isRunning: (pid: number, startedAt: number | null) => boolean = isProcessRunning,
): readonly AbandonedDelegation[] {
  return [...rows].flatMap(([id, session, pid, startedAt]) => {
    const names = { id: columnText(id), session: columnText(session) }
    if (names.id === null || names.session === null || !isWhole(pid)) return []
    const since = isWhole(startedAt) ? Number(startedAt) : null
    return isRunning(Number(pid), since) ? [] : [{ id: names.id, session: names.session }]
  })
}

const isWhole = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || Number.isSafeInteger(value)

/** A pid may be reused. On Linux, Hermes records when its process started, in ticks since boot. */
function isProcessRunning(pid: number, startedAt: number | null): boolean {
  if (pid <= 0) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM means that the process exists but this user may not signal it.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  if (process.platform !== 'linux') return true
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program name is in parentheses and may contain anything. The start time is the 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A zombie exists until its parent collects it.
    if (fields[0] === 'Z' || fields[0] === 'X') return false
    return startedAt === null || Number(fields[19]) === startedAt
  } catch {
    return true
  }
}
