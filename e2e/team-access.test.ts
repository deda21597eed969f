import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openTeam, type Team, type TokenRequest } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { type Answer, askRaw, unwrap } from '@panoptes/server/testing/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'
import { ASKED, fillSpace, MARK, SESSION, WHOLE } from './marker-space.ts'
import {
  accessPage,
  type Column,
  type Endpoint,
  endpointsOf,
  type OpenApi,
  type Row,
} from './team/access-table.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'team-access.md')
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

const made = async (wish: Partial<TokenRequest> & { readonly space: string }) =>
  unwrap(await team.createToken({ label: 'a test', scope: 'full', role: 'member', ...wish }))
const token = async (wish: Partial<TokenRequest> & { readonly space: string }) => (await made(wish)).token

let visitors = 0
/** Each caller has an address of its own, as behind a proxy, so that rate limits do not mix. */
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

/** An answer without the parts that differ each time. */
const asSeen = ({ status, headers, text }: Answer): string => {
  const { date: _, 'x-request-id': __, ...same } = headers
  return JSON.stringify([status, same, text.replace(/"request_id":"[^"]+"/, '')])
}

const GATEWAY = /^\/v1\/(?!traces|logs|metrics)/

describe('every endpoint', () => {
  it('refuses all unauthorized callers alike, and matches docs/team-access.md', async () => {
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
    // There is one answer for all invalid credentials; OpenAI clients get it in OpenAI's format.
    const kinds = ['all', 'gateway', 'stream'].map((kind) => [kind, [...(refusals.get(kind) ?? [])]] as const)
    for (const [kind, seen] of kinds) expect([kind, seen]).toEqual([kind, [expect.any(String)]])
    const page = accessPage(rows)
    if (process.env.PANOPTES_WRITE_ACCESS) await writeFile(PAGE, page)
    expect(await readFile(PAGE, 'utf8')).toBe(page)
  }, 180_000)
})

/** The stream is a WebSocket and not a route, but is tested like one. */
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
    metrics: await token({ space: 'main', role: 'admin', scope: 'metrics' }),
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
  // A caller with the metrics scope sees nothing else.
  if (scope !== 'metrics')
    expect([endpoint.path, (await call(tokens.metrics)).status]).toEqual([endpoint.path, 403])
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
  // Machine tokens get exactly their scope; of people, the least role that suffices is tested.
  if (scope === 'ingest' || scope === 'gateway' || scope === 'metrics') return tokens[scope]
  return tokens[role ?? 'viewer']
}

/** Sends requests with the home's token file from the hub's computer, except those that would stop the hub. */
const onTheHub = async (method: string, path: string): Promise<Answer> => {
  const authorization = `Bearer ${await hub.token('full')}`
  const asked = path === '/api/stop' ? { method: 'GET', path: '/api/tokens' } : { method, path }
  return askRaw(hub.port, { ...asked, headers: { authorization } })
}

const letIn = async (answer: Promise<Answer>): Promise<string> => {
  const { status } = await answer
  return status === 401 || status === 403 || status === 429 ? String(status) : '✓'
}

/** All requests with a name of that space in them: each path parameter may be any of the names. */
function questions(names: readonly string[]): readonly { readonly method: string; readonly path: string }[] {
  return endpoints
    .filter(({ scope, only }) => scope !== 'open' && scope !== 'signed' && only !== 'home')
    .flatMap(({ method, path }) => {
      const whole = path.replace('{source}', 'claude-code').replace('{session}', SESSION)
      if (!whole.includes('{')) return [{ method, path: whole }]
      return names.map((name) => ({ method, path: fill(whole, encodeURIComponent(name)) }))
    })
}

describe('a member of one space', () => {
  it('learns nothing about another space and changes nothing in it, whatever they request', async () => {
    const [admin, other] = [
      await token({ space: 'main', role: 'admin' }),
      await token({ space: 'other', role: 'admin' }),
    ]
    const names = await fillSpace((method, path, body) =>
      ask(method, path, admin, body === undefined ? {} : { body }),
    )
    const told = async () =>
      Promise.all(
        [...ASKED, ...WHOLE].map(async (path) => [path, (await ask('GET', path, admin)).text.includes(MARK)]),
      )
    await expect.poll(async () => (await ask('GET', '/api/team/audit', admin)).text).toContain(MARK)
    const before = await told()
    expect(before.filter(([, has]) => has).length).toBeGreaterThan(12)
    const events = (await ask('GET', '/api/export', admin)).text

    // Reads come first, then writes, with every name that is valid in the other space.
    const all = [...ASKED.map((path) => ({ method: 'GET', path })), ...questions(names)]
    const ordered = [
      ...all.filter(({ method }) => method === 'GET'),
      ...all.filter(({ method }) => method !== 'GET'),
    ]
    const leaks: string[] = []
    for (const { method, path } of ordered) {
      const answer = await ask(method, path, other, method === 'GET' ? {} : { body: '{}' })
      const own = decodeURIComponent(path.split('?')[0] ?? '')
      // An answer may repeat the name that was requested.
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
