import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTeam, type Team } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { usePostgres } from './setup/shared-servers.ts'
import { type Screen, watchScreen } from './team/stream-watcher.ts'

usePostgres()

/** The first word occurs only in Ada's private conversation, the second only in her shared one. */
const PRIVATE = 'quokka'
const SHARED = 'wombat'

let database: OwnDatabase
let home: TestHome
let models: ScriptedServer
let hub: Daemon
let team: Team
let screen: Screen
let own = { id: '', message: '' }
let open = { id: '', message: '' }
const secrets: Record<string, string> = {}

beforeAll(async () => {
  ;[database, home, models] = await Promise.all([ownDatabase(), makeHome(), startScripted()])
  await writeHome()
  const made = await openTeam({ url: database.url })
  if (!made.ok) throw new Error(made.message)
  team = made.value
  await team.createSpace('blue')
  await person('boss', 'main', 'admin')
  await person('ada', 'main', 'member')
  await person('bob', 'main', 'member')
  await person('eye', 'main', 'viewer')
  await person('far', 'blue', 'admin')
  hub = await startDaemon({ home, args: ['--ledger', database.url] })
  secrets.home = await hub.token('full')
  // A hub is ready with its own space and opens the others afterwards.
  await vi.waitUntil(async () => (await ask('far', '/api/me')).ok, { timeout: 60_000, interval: 200 })
  screen = watchScreen(() => hub.address, secrets.bob ?? '')
  own = await talk(PRIVATE, false)
  open = await talk(SHARED, true)
})
afterAll(async () => {
  screen?.close()
  await hub?.stop()
  await team?.close()
  await models?.close()
  await database?.drop()
  await home?.remove()
})

/** Jarvis uses several models, and records their texts where that is allowed. */
async function writeHome(): Promise<void> {
  const slot = (model: string) => ({ provider: 'local', model })
  const config = {
    providers: { local: { kind: 'openai', base_url: `${models.url}/v1`, retries: 0 } },
    moa: {
      save_traces: true,
      presets: { review: { reference_models: [slot('small')], aggregator: slot('acts') } },
    },
    runtimes: { default: 'jarvis', jarvis: { preset: 'review' } },
    // The test sends many requests quickly.
    team: { rate_per_second: 10_000, rate_burst: 100_000 },
  }
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
}

async function person(name: string, space: string, role: 'viewer' | 'member' | 'admin'): Promise<void> {
  const user = await team.createUser({ email: `${name}@example.org` })
  if (!user.ok) throw new Error(user.message)
  await team.setRole(user.value.id, space, role)
  const made = await team.createToken({ label: name, space, scope: 'full', role, userId: user.value.id })
  if (!made.ok) throw new Error(made.message)
  secrets[name] = made.value.token
}

const ask = (who: string, path: string, init: RequestInit = {}) =>
  fetch(`${hub.address}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${secrets[who]}`, 'content-type': 'application/json' },
  })

/** A conversation of Ada's that has the word everywhere: title, question, file, advice, answer. */
async function talk(word: string, shared: boolean): Promise<typeof own> {
  for (const model of ['small', 'acts']) models.script(model, { text: `The ${word} is fine. ${model}` })
  const post = (path: string, body: object) =>
    ask('ada', path, { method: 'POST', body: JSON.stringify(body) })
  const made = (await (await post('/api/conversations', {})).json()) as { id: string }
  const path = `/api/conversations/${made.id}`
  if (shared) await ask('ada', path, { method: 'PUT', body: JSON.stringify({ shared }) })
  for (const message of [`Where is the ${word}?`, `And the other ${word}?`]) {
    const files = [{ name: `${word}.md`, text: `All about the ${word}.` }]
    const said = await post(`${path}/chat`, { message, files })
    expect(await said.text()).toContain('"outcome":"completed"')
  }
  const whole = (await (await ask('ada', path)).json()) as { messages: { id: string }[] }
  return { id: made.id, message: whole.messages[0]?.id ?? '' }
}

const OTHERS = ['boss', 'bob', 'eye', 'far', 'home']

/** All answers to a caller that might contain the word. */
async function everythingFor(who: string, word: string): Promise<ReadonlyMap<string, string>> {
  const document = (await (await ask(who, '/api/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const { id, message } = word === PRIVATE ? own : open
  const answers = new Map<string, string>()
  for (const [described, methods] of Object.entries(document.paths)) {
    if (!('get' in methods)) continue
    const path = described
      .replace('{source}', 'panoptes')
      .replace('{message}', message)
      .replace('{n}', '0')
      .replace(/\{(id|session|session_id)\}/, id)
      .replace(/\{\w+\}/g, 'main')
    const queries = [
      '',
      `?text=${word}`,
      `?q=${word}`,
      `?session=${id}`,
      '?source=panoptes&limit=50',
      '?pattern=*',
    ]
    await Promise.all(
      queries.map(async (query) => {
        const answered = ask(who, `${path}${query}`, { signal: AbortSignal.timeout(15_000) })
        const text = await answered.then((answer) => answer.text()).catch(() => '')
        // A search repeats its query.
        answers.set(`${path}${query}`, text.replaceAll(`"${word}"`, ''))
      }),
    )
  }
  return answers
}

const having = (answers: ReadonlyMap<string, string>, word: string): readonly string[] =>
  [...answers].filter(([, text]) => text.includes(word)).map(([path]) => path)

/** Returns how often past sessions contain a word. */
const find = async (who: string, word: string) => {
  const answer = await ask(who, `/api/past/search?q=${word}`)
  expect(answer.status).toBe(200)
  return ((await answer.json()) as unknown[]).length
}

describe('the content of a private conversation', () => {
  it('is in no answer to other people, while shared content is found', async () => {
    await expect.poll(() => find('bob', SHARED), { timeout: 40_000 }).toBeGreaterThan(0)
    for (const who of OTHERS) expect([who, await find(who, PRIVATE)]).toEqual([who, 0])
    expect(await find('far', SHARED)).toBe(0)
    // An admin may send every request that others in the space may.
    for (const who of ['boss', 'far', 'home']) {
      const answers = await everythingFor(who, PRIVATE)
      expect(answers.size).toBeGreaterThan(100)
      expect([who, having(answers, PRIVATE)]).toEqual([who, []])
    }
    const preview = (id: string) =>
      ask('boss', '/api/templates/preview', {
        method: 'POST',
        body: JSON.stringify({ source: 'panoptes', session_id: id }),
      })
    expect((await preview(own.id)).status).toBe(404)
    expect((await preview(open.id)).status).not.toBe(404)
    const seen = having(await everythingFor('bob', SHARED), SHARED)
    expect(seen).toEqual(expect.arrayContaining([`/api/conversations/${open.id}`]))
    expect(seen.length).toBeGreaterThan(5)
    const far = await everythingFor('far', SHARED)
    expect(having(far, SHARED)).toEqual([])
    const unasked = (id: string) => having(far, id).filter((path) => !path.includes(id))
    expect([unasked(own.id), unasked(open.id)]).toEqual([[], []])
  }, 180_000)

  it('is not in the stream, which only shows that there was an answer', async () => {
    const events = (await (await ask('bob', '/api/events?limit=500')).json()) as {
      events: { session_id: string; event: string; key: string }[]
    }
    const about = (id: string) => events.events.filter(({ session_id }) => session_id === id)
    expect(about(own.id).map(({ event }) => event)).toEqual(about(open.id).map(({ event }) => event))
    expect(JSON.stringify(about(open.id))).toContain(SHARED)
    expect(JSON.stringify(about(own.id))).not.toContain(PRIVATE)
    const keys = about(own.id).map(({ key }) => key)
    expect(keys.length).toBeGreaterThan(5)
    await expect.poll(() => screen.keys()).toEqual(expect.arrayContaining(keys))
    expect(screen.faults()).toEqual([])
  })

  it('is in no table except those of conversations, and in no file of the hub', async () => {
    const tables = (await database.ask(
      `SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'space%' OR schemaname = 'panoptes_team'`,
    )) as unknown as { schemaname: string; tablename: string }[]
    expect(tables.length).toBeGreaterThan(50)
    const hex = (word: string) => Buffer.from(word).toString('hex')
    const holding = async (word: string) => {
      const found: string[] = []
      for (const { schemaname, tablename } of tables) {
        const [row] = await database.ask(
          `SELECT count(*) FROM "${schemaname}"."${tablename}" t WHERE t::text LIKE $1 OR t::text LIKE $2`,
          [`%${word}%`, `%${hex(word)}%`],
        )
        if (Number(row?.count) > 0) found.push(`${schemaname}.${tablename}`)
      }
      return found.sort()
    }
    const kept = ['chat_messages', 'chat_runs', 'conversations'].map((name) => `space_main.${name}`)
    expect(await holding(PRIVATE)).toEqual(kept)
    expect(await holding(SHARED)).toEqual(expect.arrayContaining([...kept, 'space_main.trace_lines']))
    const files = await readdir(home.panoptes, { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map(async (file) => readFile(join(file.parentPath, file.name), 'latin1').catch(() => '')),
    )
    expect(texts.some((text) => text.includes('save_traces'))).toBe(true)
    expect(texts.filter((text) => text.includes(PRIVATE))).toEqual([])
  })

  it("is in no output of the command on the hub's machine", async () => {
    const run = (...args: string[]) => runCommand(home, args, { env: { PANOPTES_LEDGER: database.url } })
    const found = await run('sessions', 'search', SHARED)
    expect(found.stdout).toContain(SHARED)
    for (const args of [
      ['sessions', 'search', PRIVATE, '--json'],
      ['sessions', 'list', '--json'],
      ['sessions', 'show', own.id, '--json'],
      ['sessions', 'export', own.id, '-'],
      ['export', '-'],
      ['agents', '--json'],
      ['moa', 'turns', '--json'],
      ['ledger', 'costs', '--json'],
    ]) {
      const { stdout } = await run(...args)
      expect([args, stdout.replaceAll(`"${PRIVATE}"`, '').includes(PRIVATE)]).toEqual([args, false])
    }
  })

  it('is found by others once it is shared, and only while it is', async () => {
    const share = (shared: boolean) =>
      ask('ada', `/api/conversations/${own.id}`, { method: 'PUT', body: JSON.stringify({ shared }) })
    const read = () => ask('bob', `/api/past/sessions/panoptes/${own.id}`)
    expect((await share(true)).status).toBe(200)
    await expect.poll(() => find('bob', PRIVATE), { timeout: 40_000 }).toBeGreaterThan(0)
    expect(await (await read()).text()).toContain(PRIVATE)
    expect((await share(false)).status).toBe(200)
    await expect.poll(() => find('bob', PRIVATE), { timeout: 40_000 }).toBe(0)
    expect((await read()).status).toBe(404)
  })
})
