import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openTeam, type Team, type TokenWish } from '@panoptes/engine/ledger'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type OwnDatabase,
  ownDatabase,
} from '../packages/engine/src/ledger/team/postgres/database.test-kit.ts'
import { type Answer, askRaw, unwrap } from '../packages/server/src/server.test-kit.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import {
  accessPage,
  type Column,
  type Endpoint,
  endpointsOf,
  type OpenApi,
  type Row,
} from './team/access-table.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'team-access.md')
/** A word that is only in what belongs to the one space. */
const MARK = 'quokka'

let database: OwnDatabase
let team: Team
let hub: Daemon
let endpoints: readonly Endpoint[]

beforeAll(async () => {
  database = await ownDatabase()
  team = unwrap(await openTeam({ url: database.url }))
  unwrap(await team.createSpace('other'))
  hub = await startDaemon({ args: ['--ledger', database.url] })
  const admin = await token({ space: 'other', role: 'admin' })
  const isOpen = async () => (await ask('GET', '/api/status', admin)).status === 200
  while (!(await isOpen())) await wait(200)
  const document = await ask('GET', '/api/openapi.json', admin)
  endpoints = endpointsOf(JSON.parse(document.text) as OpenApi)
})
afterAll(async () => {
  await hub?.stop()
  await team?.close()
  await database?.drop()
})

const made = async (wish: Partial<TokenWish> & { readonly space: string }) =>
  unwrap(await team.createToken({ label: 'a test', scope: 'full', role: 'member', ...wish }))
const token = async (wish: Partial<TokenWish> & { readonly space: string }) => (await made(wish)).token

let visitors = 0
/** Everybody comes from an address of their own, as through a proxy, so that nobody is held up for another. */
const from = () => {
  visitors += 1
  return { 'x-forwarded-for': `198.51.${100 + Math.floor(visitors / 250)}.${visitors % 250}` }
}

const ask = (
  method: string,
  path: string,
  secret: string | undefined,
  { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Answer> => {
  const shown: Record<string, string> = secret === undefined ? {} : { authorization: `Bearer ${secret}` }
  return askRaw(hub.port, {
    method,
    path,
    headers: { ...from(), ...shown, ...headers },
    ...(body ? { body } : {}),
  })
}

const fill = (path: string, value = 'none') => path.replace(/\{\w+\}/g, value)

/** All of an answer but what is another one each time. */
const asSeen = ({ status, headers, text }: Answer): string => {
  const { date: _, 'x-request-id': __, ...same } = headers
  return JSON.stringify([status, same, text.replace(/"request_id":"[^"]+"/, '')])
}

const GATEWAY = /^\/v1\/(?!traces|logs|metrics)/

describe('every endpoint', () => {
  it('refuses whoever may not, all alike, and is told of truly in docs/team-access.md', async () => {
    expect(endpoints.length).toBeGreaterThan(80)
    const tokens = await tokensOf()
    const refusals = new Map<string, Set<string>>()
    const rows: Row[] = []
    for (const endpoint of [...endpoints, ...MORE]) {
      const row = await tried(endpoint, tokens, (answer) => {
        const kind = endpoint.path === STREAM ? 'stream' : GATEWAY.test(endpoint.path) ? 'gateway' : 'all'
        refusals.set(kind, (refusals.get(kind) ?? new Set()).add(asSeen(answer)))
      })
      rows.push(row)
    }
    // One answer for whatever is not good, wherever it is shown; clients of OpenAI have it in their own words.
    const kinds = ['all', 'gateway', 'stream'].map((kind) => [kind, [...(refusals.get(kind) ?? [])]] as const)
    for (const [kind, seen] of kinds) expect([kind, seen]).toEqual([kind, [expect.any(String)]])
    const page = accessPage(rows)
    if (process.env.PANOPTES_WRITE_ACCESS) await writeFile(PAGE, page)
    expect(await readFile(PAGE, 'utf8')).toBe(page)
  })
})

/** What is no route of its own, and is asked all the same. */
const STREAM = '/stream (WebSocket)'
const MORE: readonly Endpoint[] = [
  { method: 'GET', path: STREAM, scope: 'full', role: 'viewer', only: undefined },
  { method: 'GET', path: '/ (the page)', scope: 'full', role: 'viewer', only: undefined },
  { method: 'GET', path: '/nothing/here', scope: 'full', role: 'viewer', only: undefined },
  { method: 'POST', path: '/v1/nothing', scope: 'gateway', role: undefined, only: undefined },
]

type Tokens = Awaited<ReturnType<typeof tokensOf>>

async function tokensOf() {
  const ending = await token({ space: 'main', role: 'admin', expiresAt: Date.now() + 500 })
  const { token: revoked, about } = await made({ space: 'main', role: 'admin' })
  unwrap(await team.revokeToken('main', about.id))
  await wait(600)
  return {
    expired: ending,
    revoked,
    other: await token({ space: 'other', role: 'admin' }),
    viewer: await token({ space: 'main', role: 'viewer' }),
    member: await token({ space: 'main', role: 'member' }),
    admin: await token({ space: 'main', role: 'admin' }),
    ingest: await token({ space: 'main', role: 'admin', scope: 'ingest' }),
    gateway: await token({ space: 'main', role: 'admin', scope: 'gateway' }),
  }
}

async function tried(endpoint: Endpoint, tokens: Tokens, refused: (answer: Answer) => void): Promise<Row> {
  const { method, scope, role, only } = endpoint
  const path = fill(endpoint.path).replace(/ \(.*/, '')
  const call = (secret: string | undefined, headers: Record<string, string> = {}) =>
    endpoint.path === STREAM
      ? askRaw(hub.port, {
          path,
          upgrade: true,
          headers: {
            ...from(),
            ...headers,
            ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
          },
        })
      : ask(method, path, secret, { headers })
  const status = async (answer: Promise<Answer>, isBad: boolean) => {
    const given = await answer
    if (isBad && given.status === 401 && scope !== 'signed' && scope !== 'open') refused(given)
    return scope === 'open' ? '✓' : String(given.status)
  }
  const bad: Record<
    Extract<Column, 'no token' | 'wrong' | 'expired' | 'revoked' | 'another space’s'>,
    string
  > = {
    'no token': await status(call(undefined), true),
    wrong: await status(call(`pan_${'A'.repeat(43)}`), true),
    expired: await status(call(tokens.expired), true),
    revoked: await status(call(tokens.revoked), true),
    'another space’s': await status(call(tokens.other, { 'panoptes-space': 'main' }), true),
  }
  if (scope === 'open' || scope === 'signed')
    return {
      endpoint,
      ...bad,
      'wrong scope': '—',
      'lower role': '—',
      right: scope === 'open' ? '✓' : 'signed',
    }
  expect([endpoint.path, ...Object.values(bad)]).toEqual([endpoint.path, '401', '401', '401', '401', '401'])
  const lesser = scope === 'ingest' ? tokens.gateway : tokens.ingest
  const lower = lowerThan(role, only, tokens)
  const row = {
    endpoint,
    ...bad,
    'wrong scope': await status(call(lesser), false),
    'lower role': lower === undefined ? '—' : await status(call(lower), false),
    right: await letIn(only === 'home' ? onTheHub(method, path) : call(rightFor(role, scope, tokens))),
  }
  expect([endpoint.path, row['wrong scope'], row.right]).toEqual([endpoint.path, '403', '✓'])
  expect(['403', '—']).toContain(row['lower role'])
  return row
}

function lowerThan(role: Endpoint['role'], only: Endpoint['only'], tokens: Tokens): string | undefined {
  if (only === 'home') return tokens.admin
  if (only === 'main') return tokens.other
  return role === 'admin' ? tokens.member : role === 'member' ? tokens.viewer : undefined
}

function rightFor(role: Endpoint['role'], scope: Endpoint['scope'], tokens: Tokens): string {
  // Machines have what they are for and no more; of people the least that will do.
  if (scope === 'ingest' || scope === 'gateway') return tokens[scope]
  return tokens[role ?? 'viewer']
}

/** With the token file of the home, from the computer itself; what would end the hub is left out. */
const onTheHub = async (method: string, path: string): Promise<Answer> => {
  const authorization = `Bearer ${await hub.token('full')}`
  const asked = path === '/api/stop' ? { method: 'GET', path: '/api/tokens' } : { method, path }
  return askRaw(hub.port, { ...asked, headers: { authorization } })
}

const letIn = async (answer: Promise<Answer>): Promise<string> => {
  const { status } = await answer
  return status === 401 || status === 403 || status === 429 ? String(status) : '✓'
}

/** What there is of one space, with a word in it that is nowhere else; and by which names it is found. */
async function fillMain(admin: string): Promise<readonly string[]> {
  const send = async (method: string, path: string, body: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await ask(method, path, admin, { body: text })
    expect([method, path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([
      method,
      path,
      200,
      '',
    ])
    return JSON.parse(answer.text) as { readonly id?: string; readonly about?: { readonly id: string } }
  }
  const at = Date.now()
  const id = `${MARK}-session`
  await send('POST', '/events', [
    {
      event: 'session_start',
      source: 'claude-code',
      session_id: id,
      key: 'k1',
      ts: at,
      title: `${MARK} title`,
    },
    {
      event: 'agent_spawn',
      source: 'claude-code',
      session_id: id,
      agent_id: `${MARK}-agent`,
      key: 'k2',
      ts: at,
    },
    {
      event: 'prompt',
      source: 'claude-code',
      session_id: id,
      key: 'k3',
      ts: at,
      prompt_preview: `${MARK} wombat`,
    },
  ])
  const told = { source: 'claude-code', id, telling: 't1' }
  const message = {
    id: 'm1',
    session_id: id,
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
    id,
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
  await send('POST', `/api/transcripts?host=${MARK}-host`, lines)
  const conversation = await send('POST', '/api/conversations', { title: `${MARK} talk` })
  await send('PUT', `/api/conversations/${conversation.id}`, { shared: true })
  const fact = await send('POST', '/api/memory/facts', { text: `the ${MARK} eats leaves` })
  await send('PUT', `/api/past/filters/${MARK}`, { query: { project: MARK } })
  const person = await send('POST', '/api/team/users', { email: `${MARK}@example.org` })
  const machine = await send('POST', '/api/team/tokens', { label: `${MARK} machine` })
  await expect
    .poll(async () => (await ask('GET', '/api/past/search?q=wombat', admin)).text, { timeout: 60_000 })
    .toContain(MARK)
  await send('PUT', `/api/past/sessions/claude-code/${id}/marks`, { tags: [MARK], note: `${MARK} note` })
  const names = [
    conversation.id,
    fact.id,
    person.id,
    machine.about?.id,
    id,
    `${MARK}-agent`,
    MARK,
    `${MARK}-host`,
  ]
  return names.filter((name) => name !== undefined)
}

/** Everything that can be asked with a name of that space in it: each part of a path may be any of them. */
function questions(names: readonly string[]): readonly { readonly method: string; readonly path: string }[] {
  return endpoints
    .filter(({ scope, only }) => scope !== 'open' && scope !== 'signed' && only !== 'home')
    .flatMap(({ method, path }) => {
      const whole = path.replace('{source}', 'claude-code').replace('{session}', `${MARK}-session`)
      if (!whole.includes('{')) return [{ method, path: whole }]
      return names.map((name) => ({ method, path: fill(whole, encodeURIComponent(name)) }))
    })
}

const ASKED = [
  '/api/past/search?q=wombat',
  '/api/past/search?q=leaves',
  '/api/events?text=wombat',
  '/api/events?session=SESSION',
  '/api/timeline?from=1&to=9999999999999',
  '/api/replay?seq=3',
  '/api/past/sessions?limit=100',
  '/api/past/forgettable?pattern=*',
  '/api/transcripts/known?source=claude-code&host=HOST',
  '/api/team/audit?limit=500',
]

describe('whoever is in one space', () => {
  it('is told nothing of another, and changes nothing in it, whatever they ask', async () => {
    const [admin, other] = [
      await token({ space: 'main', role: 'admin' }),
      await token({ space: 'other', role: 'admin' }),
    ]
    const names = await fillMain(admin)
    const asked = ASKED.map((path) =>
      path.replace('SESSION', `${MARK}-session`).replace('HOST', `${MARK}-host`),
    )
    const whole = [
      '/api/export',
      '/api/past/sessions',
      '/api/conversations',
      '/api/memory/facts',
      '/api/past/filters',
      '/api/past/tags',
      '/api/team/users',
      '/api/team/tokens',
    ]
    const told = async () =>
      Promise.all(
        [...asked, ...whole].map(async (path) => [path, (await ask('GET', path, admin)).text.includes(MARK)]),
      )
    await expect.poll(async () => (await ask('GET', '/api/team/audit', admin)).text).toContain(MARK)
    const before = await told()
    expect(before.filter(([, has]) => has).length).toBeGreaterThan(12)
    const events = (await ask('GET', '/api/export', admin)).text

    // First what only reads, then what would change, with every name that is good in the other space.
    const all = [...asked.map((path) => ({ method: 'GET', path })), ...questions(names)]
    const ordered = [
      ...all.filter(({ method }) => method === 'GET'),
      ...all.filter(({ method }) => method !== 'GET'),
    ]
    const leaks: string[] = []
    for (const { method, path } of ordered) {
      const answer = await ask(method, path, other, method === 'GET' ? {} : { body: '{}' })
      const own = decodeURIComponent(path.split('?')[0] ?? '')
      // An answer may repeat the name it was asked for.
      const said = answer.text.replaceAll(own, '').replaceAll(path, '')
      const parts = own.split('/').filter((part) => part.includes(MARK))
      if (parts.reduce((text, part) => text.replaceAll(part, ''), said).includes(MARK))
        leaks.push(`${method} ${path}: ${answer.text}`)
      expect([path, answer.status]).not.toEqual([path, 500])
    }
    expect(leaks).toEqual([])
    expect(await told()).toEqual(before)
    expect((await ask('GET', '/api/export', admin)).text).toBe(events)
  }, 120_000)
})
