import type { Client } from '../../daemon/client.ts'
import { ofDaemon as sessionsOf } from '../sessions/of-daemon.ts'
import type { TemplatesAccess } from './access.ts'

const at = (name: string, word: string): string => `/api/templates/${encodeURIComponent(name)}${word}`

/** Reads templates from the daemon over HTTP. */
export function ofDaemon(client: Client): TemplatesAccess {
  const ask = <T>(path: string, query: Readonly<Record<string, string | number | undefined>>): Promise<T> => {
    const given = Object.entries(query).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, String(value)]],
    )
    return client.json<T>(`${path}?${new URLSearchParams(given)}`)
  }
  const send = <T>(method: 'POST' | 'DELETE', path: string, body: object = {}): Promise<T> =>
    client.json<T>(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    sessions: sessionsOf(client),
    list: (type) => ask('/api/templates', { type }),
    show: (name) => ask(at(name, '/whole'), {}),
    preview: (input) => send('POST', '/api/templates/preview', input),
    create: (input) => send('POST', '/api/templates', input),
    remove: async (name) => {
      await send('DELETE', at(name, ''))
    },
    restore: async (name) => {
      await send('POST', at(name, '/restore'))
    },
    inject: (input) => send('POST', '/api/templates/inject', input),
    effect: (name, project) => ask(at(name, '/effect'), { project }),
    effects: (project) => ask('/api/templates/effects', { project }),
    suggest: ({ project, days, limit }) => ask('/api/templates/suggested', { project, days, limit }),
  }
}
