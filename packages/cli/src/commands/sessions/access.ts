import { openSessions } from '@panoptes/engine/sessions'
import type { FoundMessage, PastSession, StatsGroup, StatsRow, TranscriptReply } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { type Client, connect } from '../../daemon/client.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { startProgress } from '../../terminal/progress.ts'

export type Filter = Readonly<Record<string, string | number | boolean | undefined>>

/** Past sessions, asked of the running daemon, or read here when none runs. */
export interface PastSessions {
  readonly list: (filter: Filter, limit: number) => Promise<readonly PastSession[]>
  readonly stats: (filter: Filter, by: StatsGroup) => Promise<readonly StatsRow[]>
  readonly search: (text: string, filter: Filter, limit: number) => Promise<readonly FoundMessage[]>
  readonly transcript: (session: PastSession, from: number) => Promise<TranscriptReply>
  /** By its id or the beginning of it; a failure says when there is none, or more than one. */
  readonly find: (id: string) => Promise<PastSession>
}

const PAGE = 200
const MOST = 1_000

export async function withSessions<T>(
  context: Context,
  work: (sessions: PastSessions) => Promise<T>,
): Promise<T> {
  const client = await connect(context.paths)
  if (client) return work(ofDaemon(client))
  const sessions = orFail(await openSessions({ file: context.paths.index, env: context.env }))
  try {
    const progress = startProgress(context.output, 'Reading sessions')
    const looking = setInterval(() => {
      const all = sessions.status()
      progress.update(sum(all.map(({ done }) => done)), sum(all.map(({ total }) => total)))
    }, 100)
    const read = await sessions.refresh()
    clearInterval(looking)
    progress.end()
    orFail(read)
    return await work({
      list: async (filter, limit) => orFail(await sessions.list({ ...filter, limit })),
      stats: async (filter, by) => orFail(await sessions.stats(filter, by)),
      search: async (text, filter, limit) => orFail(await sessions.search({ ...filter, text, limit })),
      transcript: async ({ source, id }, from) =>
        orFail(await sessions.transcript({ source, id, from, limit: PAGE })),
      find: async (id) => only(id, orFail(await sessions.list({ id, limit: MOST }))),
    })
  } finally {
    await sessions.close()
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function ofDaemon(client: Client): PastSessions {
  const ask = <T>(path: string, query: Filter): Promise<T> => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    return client.json<T>(
      `${path}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`,
    )
  }
  return {
    list: (filter, limit) => ask('/api/past/sessions', { ...filter, limit }),
    stats: (filter, by) => ask('/api/past/stats', { ...filter, by }),
    search: (q, filter, limit) => ask('/api/past/search', { ...filter, q, limit }),
    transcript: ({ source, id }, from) =>
      ask(`/api/past/sessions/${encodeURIComponent(source)}/${encodeURIComponent(id)}`, {
        from,
        limit: PAGE,
      }),
    find: async (id) => only(id, await ask('/api/past/sessions', { id, limit: MOST })),
  }
}

function only(id: string, found: readonly PastSession[]): PastSession {
  const exact = found.filter((each) => each.id === id)
  const [session, other] = exact.length > 0 ? exact : found
  if (session === undefined)
    throw new CommandFailure(`There is no session ${id}`, {
      code: 'not_found',
      next: 'See which there are: panoptes sessions list',
    })
  if (other === undefined) return session
  const names = found.slice(0, 5).map((each) => `${each.id} (${each.source})`)
  throw new CommandFailure(`${id} is the beginning of ${found.length} sessions`, {
    code: 'usage',
    next: `Give more of it: ${names.join(', ')}`,
  })
}
