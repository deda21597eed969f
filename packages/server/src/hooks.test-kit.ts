import type { StoredEvent } from '@panoptes/schema'
import { type TestServer, unwrap } from './server.test-kit.ts'

export const storedIn = async (on: TestServer): Promise<readonly StoredEvent[]> =>
  unwrap(await on.store.read({ after: 0, limit: 1_000 })).rows.map(({ json }) => JSON.parse(json))

/** Payloads of a client's hook. */
export const sendHook = async (on: TestServer, payload: object, init: RequestInit = {}): Promise<Response> =>
  on.request('/hooks/claude-code', {
    method: 'POST',
    headers: { authorization: `Bearer ${await on.token('ingest')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: 's1', cwd: '/work', ...payload }),
    ...init,
  })
