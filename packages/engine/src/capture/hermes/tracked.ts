import type { Session } from '@panoptes/schema'
import type { Kin } from './family.ts'

/** How far a database was read, and which of its sessions go on: it commits with the events. */
export interface StatePlace {
  /** The last message that was told. */
  readonly last: number
  /** From when on messages count, for what was there when the database was first met. */
  readonly from: number
  /** Sessions that were told of and have not ended. */
  readonly open: readonly string[]
}

export const markOf = (path: string): string => `state-db:${path}`

export function parsePlace(text: string | undefined): StatePlace | undefined {
  if (text === undefined) return undefined
  try {
    const { last, from, open } = JSON.parse(text) as Record<string, unknown>
    if (!Number.isSafeInteger(last) || typeof from !== 'number' || !Array.isArray(open)) return undefined
    return { last: Number(last), from, open: open.filter((id) => typeof id === 'string') }
  } catch {
    return undefined
  }
}

const DEEPEST = 16

/** Whose session it is, and under which agent: a sub-agent's belongs to the session that a person sees. */
export async function kinOf(
  session: Session,
  find: (id: string) => Promise<Session | undefined>,
  known: (id: string) => Kin | undefined,
): Promise<{ readonly kin: Kin; readonly parent: string | null }> {
  if (session.lineage !== 'delegate' || session.parent_id === null)
    return { kin: known(session.id) ?? { session: session.id, agent: 'main' }, parent: null }
  let above = session.parent_id
  let root = above
  for (let level = 0; level < DEEPEST; level += 1) {
    const found = await find(root)
    if (found?.lineage !== 'delegate' || found.parent_id === null) break
    root = found.parent_id
  }
  const told = known(above)
  if (told !== undefined) above = told.agent
  const own = known(session.id) ?? { session: told?.session ?? root, agent: session.id }
  return { kin: own, parent: above === root ? 'main' : above }
}
