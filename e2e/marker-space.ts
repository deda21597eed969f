import type { Answer } from '@panoptes/server/testing/server'
import { expect } from 'vitest'

type Ask = (method: string, path: string, body?: string) => Promise<Answer>

/** A word that occurs only in what belongs to one space. */
export const MARK = 'quokka'
export const SESSION = `${MARK}-session`
const HOST = `${MARK}-host`

/** Requests whose answers would contain the word. */
export const ASKED = [
  '/api/past/search?q=wombat',
  '/api/past/search?q=leaves',
  '/api/events?text=wombat',
  `/api/events?session=${SESSION}`,
  '/api/timeline?from=1&to=9999999999999',
  '/api/replay?seq=3',
  '/api/past/sessions?limit=100',
  '/api/past/forgettable?pattern=*',
  `/api/transcripts/known?source=claude-code&host=${HOST}`,
  '/api/team/audit?limit=500',
]

/** Requests that return everything of a space. */
export const WHOLE = [
  '/api/export',
  '/api/past/sessions',
  '/api/conversations',
  '/api/memory/facts',
  '/api/past/filters',
  '/api/past/tags',
  '/api/team/users',
  '/api/team/tokens',
]

/** Fills a space with data that contains the word, and returns the names under which it can be found. */
export async function fillSpace(ask: Ask): Promise<readonly string[]> {
  const send = async (method: string, path: string, body: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await ask(method, path, text)
    expect([method, path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([
      method,
      path,
      200,
      '',
    ])
    return JSON.parse(answer.text) as { readonly id?: string; readonly about?: { readonly id: string } }
  }
  const at = Date.now()
  await send('POST', '/events', [
    {
      event: 'session_start',
      source: 'claude-code',
      session_id: SESSION,
      key: 'k1',
      ts: at,
      title: `${MARK} title`,
    },
    {
      event: 'agent_spawn',
      source: 'claude-code',
      session_id: SESSION,
      agent_id: `${MARK}-agent`,
      key: 'k2',
      ts: at,
    },
    {
      event: 'prompt',
      source: 'claude-code',
      session_id: SESSION,
      key: 'k3',
      ts: at,
      prompt_preview: `${MARK} wombat`,
    },
  ])
  const told = { source: 'claude-code', id: SESSION, telling: 't1' }
  const message = {
    id: 'm1',
    session_id: SESSION,
    role: 'user',
    ts: at,
    model: null,
    agent_id: 'main',
    content: [{ type: 'text', text: `${MARK} wombat` }],
    usage: null,
    state: 'active',
    hidden: false,
  }
  const session = {
    source: 'claude-code',
    id: SESSION,
    parent_id: null,
    lineage: 'root',
    title: `${MARK} wombat`,
    project: `/srv/${MARK}`,
    cwd: `/srv/${MARK}`,
    git_branch: null,
    model: null,
    started_at: at,
    last_at: at,
    ended_at: at,
    fingerprint: 'f1',
  }
  const changes = [
    { type: 'begin', ...told, fingerprint: 'f1' },
    { type: 'messages', ...told, at: 0, messages: [message] },
    { type: 'end', ...told, at: 1, session },
  ]
  const lines = changes.map((change) => JSON.stringify(change)).join('\n')
  await send('POST', `/api/transcripts?host=${HOST}`, lines)
  const conversation = await send('POST', '/api/conversations', { title: `${MARK} talk` })
  await send('PUT', `/api/conversations/${conversation.id}`, { shared: true })
  const fact = await send('POST', '/api/memory/facts', { text: `the ${MARK} eats leaves` })
  await send('PUT', `/api/past/filters/${MARK}`, { query: { project: MARK } })
  const person = await send('POST', '/api/team/users', { email: `${MARK}@example.org` })
  const machine = await send('POST', '/api/team/tokens', { label: `${MARK} machine` })
  await expect
    .poll(async () => (await ask('GET', '/api/past/search?q=wombat')).text, { timeout: 60_000 })
    .toContain(MARK)
  await send('PUT', `/api/past/sessions/claude-code/${SESSION}/marks`, { tags: [MARK], note: `${MARK} note` })
  const names = [conversation.id, fact.id, person.id, machine.about?.id, SESSION, `${MARK}-agent`, MARK, HOST]
  return names.filter((name) => name !== undefined)
}
