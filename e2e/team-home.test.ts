import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openTeam, type Team } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeHome, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { usePostgres } from './setup/shared-servers.ts'

usePostgres()

/** A word that occurs everywhere in the home of the person who runs the hub. */
const OWN = 'giraffe'
const DAY_MS = 86_400_000

let database: OwnDatabase
let home: TestHome
let hub: Daemon
let team: Team
const tokens = { near: '', far: '', sends: '' }

const write = async (path: string, text: string) => {
  const file = join(home.folder, path)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, text)
  return file
}

const skill = (name: string) =>
  `---\nname: ${name}\ndescription: how the ${OWN} is deployed\n---\nssh root@${OWN}\n`

const TEMPLATE = {
  name: `${OWN}-morning`,
  task_type: 'research',
  examples: [{ tool_name: 'web_search', arguments: { query: 'q' }, result: 'three hits', success: true }],
  description: 'Begins the day',
  created_at: 1_767_225_600,
  usage_count: 2,
  source_session_id: 'x',
  source_session_title: 'y',
}

beforeAll(async () => {
  ;[database, home] = await Promise.all([ownDatabase(), makeHome()])
  await write('.claude/skills/deploy/SKILL.md', skill('deploy'))
  await write('.hermes/skills/ops/restart/SKILL.md', skill('restart'))
  await write('work/.claude/skills/release/SKILL.md', skill('release'))
  await write('named/named-one/SKILL.md', skill('named-one'))
  await write('.hermes/session-templates/morning.json', JSON.stringify(TEMPLATE))
  await write(`notes/${OWN}.md`, `# The ${OWN}\n`)
  const config = {
    skills: { folders: ['~/named'] },
    chat: { knowledge: ['~/notes'], folder: '~/work' },
    budgets: { limits: [{ per: 'day', usd: 5, project: OWN }] },
    moa: { save_traces: true, trace_dir: `~/${OWN}-traces` },
  }
  await write('.panoptes/config.yaml', JSON.stringify(config))
  const made = await openTeam({ url: database.url })
  if (!made.ok) throw new Error(made.message)
  team = made.value
  await team.createSpace('blue')
  const token = async (space: string, scope: 'full' | 'ingest', role: 'member' | 'admin') => {
    const one = await team.createToken({ label: 'a test', space, scope, role })
    if (!one.ok) throw new Error(one.message)
    return one.value.token
  }
  tokens.near = await token('main', 'full', 'admin')
  tokens.far = await token('blue', 'full', 'admin')
  tokens.sends = await token('blue', 'ingest', 'member')
  hub = await startDaemon({ home, env: { PANOPTES_LEDGER: database.url } })
  await vi.waitFor(async () => expect((await ask('far', '/api/me')).status).toBe(200), 30_000)
  const event = { kind: 'session_start', source: 'custom', session_id: 's', cwd: join(home.folder, 'work') }
  const used = {
    kind: 'skill_use',
    source: 'custom',
    session_id: 's',
    id: 'u',
    skill: 'release',
    success: true,
  }
  const lines = [event, used].map((each) => JSON.stringify({ ...each, ts: Date.now() - 40 * DAY_MS }))
  expect((await ask('sends', '/events', { method: 'POST', body: lines.join('\n') })).status).toBe(200)
})
afterAll(async () => {
  await hub?.stop()
  await team?.close()
  await database?.drop()
  await home?.remove()
})

const ask = (who: keyof typeof tokens, path: string, init: RequestInit = {}) =>
  fetch(`${hub.address}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/json' },
  })

const review = (who: keyof typeof tokens, order: object) =>
  ask(who, '/api/ledger/skills/review', { method: 'POST', body: JSON.stringify(order) })

/** All reading requests without a path parameter. */
async function looks(): Promise<readonly string[]> {
  const { paths } = (await (await ask('far', '/api/openapi.json')).json()) as {
    paths: Readonly<Record<string, { readonly get?: unknown }>>
  }
  return Object.keys(paths).filter((path) => paths[path]?.get !== undefined && !path.includes('{'))
}

describe('the home of the person who runs a hub', () => {
  it('is invisible from another space', async () => {
    const told: string[] = []
    const ofSpace = join(home.panoptes, 'spaces', 'blue')
    for (const path of await looks()) {
      if (path === '/stream' || path.startsWith('/auth/')) continue
      const text = (await (await ask('far', path)).text()).replaceAll(ofSpace, '')
      if (text.includes(OWN) || text.includes(home.folder)) told.push(path)
    }
    expect(told).toEqual([])
    const near = await (await ask('near', '/api/templates')).text()
    expect(near).toContain(OWN)
  })

  it('cannot be changed from another space, nor by anybody without its token files', async () => {
    expect((await review('far', { apply: true })).status).toBe(403)
    expect((await review('near', { apply: true })).status).toBe(403)
    expect((await review('near', { undo: true })).status).toBe(403)
    expect(await (await review('far', {})).text()).not.toContain(home.folder)
    for (const path of ['.claude/skills/deploy', 'work/.claude/skills/release', 'named/named-one'])
      expect(existsSync(join(home.folder, path, 'SKILL.md'))).toBe(true)
    const own = await hub.request('/api/ledger/skills/review', { method: 'POST', body: '{"apply":true}' })
    expect(own.status).toBe(200)
  })
})
