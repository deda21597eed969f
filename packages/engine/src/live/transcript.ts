import { stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Ledger } from '@panoptes/engine/ledger'
import type { Agent, StoredEvent } from '@panoptes/schema'

const MOST_KNOWN = 2_000

/** When an agent's transcript was last written, where its path is known. */
export type LastWritten = (agent: Agent) => Promise<number | undefined>

/** Makes one for each look: what is not known is not asked twice in it. */
export function createLastWritten(ledger: Ledger): () => LastWritten {
  const known = new Map<string, string>()

  const pathOf = async ({ source, session_id }: Agent, name: string): Promise<string | undefined> => {
    const cached = known.get(name)
    if (cached !== undefined) return cached
    const page = await ledger.read(
      { before: Number.MAX_SAFE_INTEGER, limit: 10 },
      { kinds: ['session_start', 'prompt'], source, session: session_id },
    )
    const events = page.ok ? page.value.rows.map(({ json }) => JSON.parse(json) as StoredEvent) : []
    const path = events.map((event) => event.transcript_path).find((value) => typeof value === 'string')
    if (path === undefined || !isAbsolute(path)) return undefined
    known.set(name, path)
    for (const oldest of known.keys()) {
      if (known.size <= MOST_KNOWN) break
      known.delete(oldest)
    }
    return path
  }

  return () => {
    const without = new Set<string>()
    return async (agent) => {
      const name = nameOf(agent)
      if (without.has(name)) return undefined
      const session = await pathOf(agent, name)
      if (session === undefined) {
        without.add(name)
        return undefined
      }
      const path = agent.id === 'main' ? session : ownTranscript(session, agent.id)
      const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
      return found?.mtimeMs
    }
  }
}

const nameOf = ({ source, session_id }: Agent): string => JSON.stringify([source, session_id])

/** Sub-agents write beside their session's transcript. An id that could lead elsewhere is none of theirs. */
function ownTranscript(session: string, id: string): string | undefined {
  if (!session.endsWith('.jsonl') || !/^[\w-]{1,128}$/.test(id)) return undefined
  return join(session.slice(0, -'.jsonl'.length), 'subagents', `agent-${id}.jsonl`)
}
