import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import type { ForgotReply } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { counted } from './achievements-home.ts'
import { runCommand } from './command.ts'
import type { Daemon } from './daemon.ts'
import { type Link, openLink } from './team/breakable-link.ts'
import { type Member, makeMember } from './team/member.ts'

/** A word that occurs only in the forgotten session. */
const WORD = 'zyzzogeton'
const ID = `s-${WORD}`
const OTHER = 's-other'

let database: OwnDatabase
let hubs: readonly [Member, Member]
let computer: Member
let link: Link

beforeAll(async () => {
  database = await ownDatabase()
  const args = ['--ledger', database.url]
  hubs = [await makeMember('first', args), await makeMember('second', args)]
  computer = await makeMember('computer')
  link = await openLink(() => hubs.flatMap((hub) => hub.daemon()?.address ?? []))
  for (const { home } of hubs) await settle(home.panoptes, { team: { public_url: link.address } })
  // The first hub runs the jobs that only one hub runs at a time.
  for (const hub of hubs) await hub.start()
  const create = ['team', 'tokens', 'create', '--label', 'e2e', '--scope', 'ingest', '--ledger', database.url]
  const made = await runCommand(hubs[0].home, [...create, '--json'])
  await settle(computer.home.panoptes, { forward: { to: link.address, what: 'transcripts' } })
  const { token } = JSON.parse(made.stdout) as { readonly token: string }
  await writeFile(join(computer.home.panoptes, 'tokens', 'forward'), `${token}\n`, { mode: 0o600 })
  await mkdir(folder(), { recursive: true })
  await say(ID, WORD, 40)
  await say(OTHER, 'other', 4)
  await computer.start()
  await tell(ID, 0, WORD)
  await tell(OTHER, 0, 'other')
})
afterAll(async () => {
  const members = [...(hubs ?? []), computer]
  await Promise.all(members.map((member) => member?.kill()))
  await link?.close()
  await database?.drop()
  await Promise.all(members.map((member) => member?.home.remove()))
})

async function settle(panoptes: string, config: object): Promise<void> {
  await mkdir(join(panoptes, 'tokens'), { recursive: true, mode: 0o700 })
  await writeFile(join(panoptes, 'config.yaml'), JSON.stringify(config))
}

const folder = () => join(computer.home.folder, '.claude', 'projects', '-home-dev-atlas')

/** Writes part of a session into the agent's files: a prompt, and calls of which some fail. */
async function say(id: string, word: string, calls: number, from = 0): Promise<void> {
  const begin = Date.now() - 3_600_000
  const row = (n: number, role: string, content: unknown) => ({
    type: role,
    uuid: `${id}-${from + n}`,
    timestamp: new Date(begin + (from + n) * 1_000).toISOString(),
    cwd: `/home/dev/${word}`,
    message: { id: `${id}-m${from + n}`, role, model: 'claude-opus-4-8', content },
  })
  const rows: object[] = [row(0, 'user', `Where is the ${word}?`)]
  for (let n = 1; n <= calls; n += 1) {
    const call = {
      type: 'tool_use',
      id: `${id}-c${from + n}`,
      name: 'Bash',
      input: { command: `find ${word}` },
    }
    const done = { type: 'tool_result', tool_use_id: call.id, content: `${word} ${n}`, is_error: n % 4 === 0 }
    rows.push(row(2 * n - 1, 'assistant', [call]), row(2 * n, 'user', [done]))
  }
  await appendFile(join(folder(), `${id}.jsonl`), rows.map((each) => `${JSON.stringify(each)}\n`).join(''))
}

/** Sends the events of its hook. */
async function tell(id: string, n: number, word: string): Promise<void> {
  const about = { source: 'claude-code', session_id: id, agent_id: 'main', ts: Date.now() }
  const events = [
    { ...about, key: `${id}:p${n}`, event: 'prompt', prompt_preview: `Where is the ${word}?` },
    {
      ...about,
      key: `${id}:u${n}`,
      event: 'tool_use',
      id: `${id}-h${n}`,
      tool: 'Bash',
      summary: `find ${word}`,
    },
    { ...about, key: `${id}:r${n}`, event: 'tool_result', id: `${id}-h${n}`, ok: false, error: `no ${word}` },
  ]
  await appendFile(
    join(computer.home.panoptes, 'events.jsonl'),
    events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  )
}

const running = (member: Member): Daemon => {
  const daemon = member.daemon()
  if (!daemon) throw new Error(`${member.name} is down`)
  return daemon
}

const text = async (hub: Member, path: string): Promise<string> => (await running(hub).request(path)).text()

const send = (hub: Member, method: string, path: string, body: object) =>
  running(hub).request(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Requests to a hub whose answers contain the word. */
async function telling(hub: Member): Promise<readonly string[]> {
  const document = JSON.parse(await text(hub, '/api/openapi.json')) as {
    readonly paths: Record<string, Record<string, unknown>>
  }
  const found: string[] = []
  for (const [described, methods] of Object.entries(document.paths)) {
    if (!('get' in methods)) continue
    const path = described
      .replace('{source}', 'claude-code')
      .replace('{n}', '0')
      .replace(/\{(id|session|session_id)\}/, ID)
      .replace(/\{\w+\}/g, 'main')
    const queries = ['', `?q=${WORD}`, `?session=${ID}`, '?limit=50', '?pattern=*', '?source=claude-code']
    await Promise.all(
      queries.map(async (query) => {
        const asked = running(hub).request(`${path}${query}`, { signal: AbortSignal.timeout(15_000) })
        const answer = await asked.then((each) => (each.ok ? each.text() : '')).catch(() => '')
        // Some answers repeat the request.
        if (answer.replaceAll(`"${WORD}"`, '').includes(WORD)) found.push(`${path}${query}`)
      }),
    )
  }
  return found.sort()
}

const PAST = '/api/past/sessions/claude-code'

/** Some of the requests that find an existing session. */
const TELLING = [
  `${PAST}/${ID}`,
  `${PAST}/${ID}/export`,
  `${PAST}/${ID}/messages/0`,
  '/api/achievements',
  '/api/agents',
  `/api/agents/${ID}/main`,
  `/api/events?session=${ID}`,
  '/api/export',
  '/api/past/forgettable?pattern=*',
  `/api/past/search?q=${WORD}`,
  '/api/past/sessions',
  '/api/sessions',
  `/api/sessions/${ID}/badges`,
  '/api/templates',
]

/** Database tables that contain the word. */
async function holding(): Promise<readonly string[]> {
  const tables = (await database.ask(
    `SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'space%' OR schemaname = 'panoptes_team'`,
  )) as unknown as readonly { readonly schemaname: string; readonly tablename: string }[]
  const found: string[] = []
  for (const { schemaname, tablename } of tables) {
    const [row] = await database.ask(
      `SELECT count(*) FROM "${schemaname}"."${tablename}" t WHERE t::text LIKE $1 OR t::text LIKE $2`,
      [`%${WORD}%`, `%${Buffer.from(WORD).toString('hex')}%`],
    )
    if (Number(row?.count) > 0) found.push(tablename)
  }
  return found.sort()
}

/** Reads a file that a running hub may delete meanwhile. */
function orNothing(error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') throw error
  return ''
}

/** Files of the hubs that contain the word. */
async function filesWith(): Promise<readonly string[]> {
  const found: string[] = []
  for (const { home } of hubs)
    for (const entry of await readdir(home.panoptes, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue
      const written = await readFile(join(entry.parentPath, entry.name)).catch(orNothing)
      if (written.includes(WORD)) found.push(entry.name)
    }
  return found.sort()
}

const until = (isTrue: () => Promise<boolean>) => vi.waitUntil(isTrue, { timeout: 60_000, interval: 300 })

describe('a session on several hubs that is forgotten on one of them', () => {
  it('is found everywhere before, and nowhere afterwards', async () => {
    const [first, second] = hubs
    for (const hub of hubs) {
      await until(async () => (await text(hub, `/api/past/search?q=${WORD}`)).includes(ID))
      await until(async () => (await text(hub, '/api/agents')).includes(ID))
    }
    const marks = { tags: [WORD], note: `about the ${WORD}` }
    expect((await send(first, 'PUT', `${PAST}/${ID}/marks`, marks)).status).toBe(200)
    for (const hub of hubs) {
      const made = { source: 'claude-code', session_id: ID, name: `of-${hub.name}` }
      expect((await send(hub, 'POST', '/api/templates', made)).status).toBe(200)
      await until(async () => JSON.stringify(await counted(running(hub))).includes(ID))
      expect(await telling(hub)).toEqual(expect.arrayContaining(TELLING))
    }
    await until(async () => (await holding()).includes('accounts'))
    expect(await holding()).toEqual(
      expect.arrayContaining([
        'contributions',
        'event_keys',
        'index_words',
        'session_marks',
        'template_texts',
        'transcript_records',
      ]),
    )
    expect(await filesWith()).toEqual([])

    // The first hub scans for all hubs, and learns of it from the second.
    const { stdout, code } = await runCommand(second.home, ['forget', 's-zyz*', '--yes', '--json'])
    expect(code).toBe(0)
    const { removed } = JSON.parse(stdout) as ForgotReply
    const gone = new Map(removed.map(({ from, what, count }) => [`${from} ${what}`, count]))
    for (const what of ['accounts', 'agents', 'achievements', 'notes', 'tags', 'transcripts'])
      expect([what, gone.get(`ledger ${what}`)]).toEqual([what, 1])
    expect([gone.get('index sessions'), gone.get('ledger events')]).toEqual([1, 3])
    await expectNothing()
  }, 180_000)

  it('is not stored again, however often its computer sends it, while other sessions are', async () => {
    const [first] = hubs
    await say(ID, WORD, 4, 100)
    await tell(ID, 1, WORD)
    await computer.kill()
    await computer.start()
    await say(OTHER, 'later', 4, 100)
    await tell(OTHER, 1, 'later')
    for (const hub of hubs) {
      await until(async () => (await text(hub, '/api/past/search?q=later')).includes(OTHER))
      await until(async () => (await text(hub, `/api/events?session=${OTHER}`)).includes(`${OTHER}:r1`))
      await counted(running(hub))
    }
    const event = { event: 'prompt', source: 'claude-code', session_id: ID, prompt_preview: WORD }
    expect(await (await send(first, 'POST', '/events', event)).json()).toMatchObject({
      accepted: 0,
      forgotten: 1,
    })
    await expectNothing()
  }, 180_000)

  it('is unknown to a hub that was stopped meanwhile, and to a command that uses the database directly', async () => {
    const [first, second] = hubs
    await first.kill()
    await first.start()
    await counted(running(first))
    await expectNothing()
    await second.kill()
    const env = { PANOPTES_LEDGER: database.url }
    const found = await runCommand(second.home, ['sessions', 'search', WORD, '--json'], { env })
    expect(found).toMatchObject({ code: 0, stdout: expect.not.stringContaining(ID) })
  }, 180_000)
})

/** Asserts that neither any request, nor the database, nor a file of a hub has the word. */
async function expectNothing(): Promise<void> {
  for (const hub of hubs) expect([hub.name, await telling(hub)]).toEqual([hub.name, []])
  expect(await holding()).toEqual([])
  expect(await filesWith()).toEqual([])
}
