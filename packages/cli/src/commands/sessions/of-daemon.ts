import type { Client } from '../../daemon/client.ts'
import { bodyOf } from '../../daemon/event-lines.ts'
import { type Filter, PAGE, type PastSessions } from './access.ts'

const part = encodeURIComponent

/** Reads past sessions from the daemon over HTTP. */
export function ofDaemon(client: Client): PastSessions {
  const ask = <T>(path: string, query: Filter): Promise<T> => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    return client.json<T>(
      `${path}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`,
    )
  }
  const send = <T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}): Promise<T> =>
    client.json<T>(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    list: (filter, limit) => ask('/api/past/sessions', { ...filter, limit }),
    stats: (filter, by) => ask('/api/past/stats', { ...filter, by }),
    search: (q, filter, limit) => ask('/api/past/search', { ...filter, q, limit }),
    transcript: ({ source, id }, from) =>
      ask(`/api/past/sessions/${part(source)}/${part(id)}`, { from, limit: PAGE }),
    mark: ({ source, id }, marks) =>
      send('PUT', `/api/past/sessions/${part(source)}/${part(id)}/marks`, marks),
    tags: () => ask('/api/past/tags', {}),
    filters: () => ask('/api/past/filters', {}),
    saveFilter: async (name, query) => {
      await send('PUT', `/api/past/filters/${part(name)}`, { query })
    },
    dropFilter: async (name) => {
      await send('DELETE', `/api/past/filters/${part(name)}`)
    },
    forgettable: (pattern) => ask('/api/past/forgettable', { pattern }),
    forget: (sessions) => send('POST', '/api/past/forget', { sessions }),
    export: async ({ source, id }, format, use) => {
      const reply = await client.request(
        `/api/past/sessions/${part(source)}/${part(id)}/export?format=${format}`,
      )
      await use(bodyOf(reply))
    },
  }
}
