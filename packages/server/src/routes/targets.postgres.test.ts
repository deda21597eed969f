import { join } from 'node:path'
import { openChat } from '@panoptes/engine/chat'
import { openSessions, type Sessions } from '@panoptes/engine/sessions'
import { bareContext, saying, scriptedRuntime } from '@panoptes/engine/testing/chat'
import { success } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from '../hub.test-kit.ts'
import { unwrap } from '../server.test-kit.ts'

let kit: TestHub
let sessions: Sessions
let home: string

beforeAll(async () => {
  kit = await startTestHub({
    spaces: ['main'],
    site: async (_space, store, paths) => {
      sessions = unwrap(
        await openSessions({
          file: join(paths.home, 'index.db'),
          env: { HOME: paths.home },
          marked: store.annotations,
        }),
      )
      const chat = openChat({
        conversations: store.conversations,
        adapters: [scriptedRuntime('jarvis', saying('Yes.')).adapter],
        defaultRuntime: null,
        build: bareContext,
        folder: '/',
        budgetTokens: 8_000,
        approvalSeconds: 30,
      })
      // Forgetting rebuilds a space, and this test only needs what it reports.
      return { chat, sessions, forget: async ({ length }) => success({ sessions: length, removed: [] }) }
    },
  })
  home = await kit.ownToken('full')
})
afterAll(async () => {
  await sessions.close()
  await kit.stop()
})

const ask = async (method: string, path: string, body: unknown = {}) =>
  (await kit.request(path, home, { method, body: JSON.stringify(body) })).json() as Promise<{ id: string }>
const targets = async (action: string) =>
  unwrap(await kit.team.audit({ action, limit: 10 })).entries.map(({ target }) => target)

describe('the target in the audit log', () => {
  it('comes from the path, except for sessions, which may be forgotten later', async () => {
    const { id } = await ask('POST', '/api/conversations', { title: 'A plan' })
    await ask('PUT', `/api/conversations/${id}`, { shared: true })
    await ask('POST', `/api/conversations/${id}/approvals/one`, { choice: 'deny' })
    await ask('POST', '/api/tokens/ingest/reveal')
    await ask('POST', '/api/agents/session-1/main/answer', { request_id: 'r', choice: 'allow' })
    await ask('PUT', '/api/past/sessions/hermes/one%20session/marks', { note: 'a note' })
    await expect.poll(() => targets('past.sessions')).toEqual(['hermes'])
    expect(await targets('agents.answer')).toEqual(['allow'])
    expect(await targets('tokens.reveal')).toEqual(['ingest'])
    expect(await targets('conversations')).toEqual([`${id}/one deny`, id, id])
  })

  it('is the number of sessions if sessions are forgotten', async () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ source: 'codex', id: `${at}` }))
    await ask('POST', '/api/past/forget', { sessions: some(2) })
    await ask('POST', '/api/past/forget', { sessions: some(40) })
    await expect.poll(() => targets('past.forget')).toEqual(['40 sessions', '2 sessions'])
  })
})
