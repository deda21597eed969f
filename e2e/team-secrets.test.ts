import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { BOUNDARIES, SECRET_KINDS } from '@panoptes/engine/testing/secrets'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand, spawnCommand } from './command.ts'
import { type Member, makeMember } from './team/member.ts'
import { projectsIn } from './transcripts-home.ts'

let database: OwnDatabase
let hub: Member
let computer: Member
let child: ReturnType<typeof spawnCommand> | undefined

beforeEach(async () => {
  database = await ownDatabase()
  hub = await makeMember('hub', ['--ledger', database.url])
  computer = await makeMember('computer')
  await hub.start()
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await Promise.all([hub.kill(), computer.kill()])
  await database.drop()
  await Promise.all([hub.home.remove(), computer.home.remove()])
})

const boundaries = Object.values(BOUNDARIES)
/** Every kind of secret behind three boundaries each, with its spelling there. */
const hidden = () =>
  Object.values(SECRET_KINDS).flatMap((make, n) =>
    [0, 1, 2].map((more) => {
      const write = boundaries[(3 * n + more) % boundaries.length]
      if (write === undefined) throw new Error('there are no boundaries')
      return write(make())
    }),
  )

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const leaks = (all: ReturnType<typeof hidden>, text: string): readonly string[] =>
  all
    .flatMap(({ spelled }) => [spelled, inJson(spelled), Buffer.from(spelled).toString('hex')])
    .filter((spelled) => text.includes(spelled))

/** Every row of every table as text. */
async function dump(): Promise<string> {
  const tables = await database.ask(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const [found] = await database.ask(`SELECT string_agg(t::text, E'\n') AS text FROM ${name} AS t`)
    texts.push(String(found?.text))
  }
  return texts.join('\n')
}

async function filesOf({ home }: Member): Promise<string> {
  const entries = await readdir(home.panoptes, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const names = files.filter((file) => !/^(tokens\/|events\.jsonl)/.test(relative(home.panoptes, file)))
  return (await Promise.all(names.map((name) => readFile(name, 'latin1')))).join('\n')
}

const LAST = 'the very last words'

function transcript(sessionId: string, texts: readonly string[]): string {
  const rows = [...texts, LAST].flatMap((text, n) => {
    const row = { sessionId, timestamp: new Date(Date.now() + n).toISOString(), cwd: '/home/dev/notes' }
    const content = [{ type: 'tool_use', id: `toolu_${n}`, name: 'Bash', input: { command: text } }]
    const message = { id: `msg_${n}`, role: 'assistant', model: 'claude-opus-4-1', content }
    return [
      { ...row, type: 'user', uuid: `u${n}`, message: { role: 'user', content: text } },
      { ...row, type: 'assistant', uuid: `a${n}`, message },
    ]
  })
  return `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`
}

it('a hub stores no secret in any table or file, whether it was sent or forwarded', async () => {
  const all = hidden()
  const texts = all.map(({ text }) => text)
  const daemon = hub.daemon()
  if (daemon === undefined) throw new Error('the hub is down')
  const send = async (method: string, path: string, body: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await daemon.request(path, {
      ...{ method, body: text, headers: { 'content-type': 'application/json' } },
    })
    expect(answer.ok, `${path}: ${answer.status} ${await answer.text()}`).toBe(true)
  }
  const line = (text: string, n: number) =>
    JSON.stringify({ event: 'tool_use', session_id: 's', id: `e${n}`, tool: 'Bash', preview: text })
  await send('POST', '/events', texts.map(line).join('\n'))
  for (const text of texts) {
    // A fact may have 500 characters, a title 200.
    const fact = `remember ${text}`
    if (fact.length <= 500) await send('POST', '/api/memory/facts', { text: fact })
    const title = `about ${text}`
    if (title.length <= 200) await send('POST', '/api/conversations', { title })
  }
  const file = join(computer.home.folder, 'token')
  const args = ['team', 'tokens', 'create', '--label', 'e2e', '--scope', 'ingest', '--ledger', database.url]
  const { stdout } = await runCommand(hub.home, [...args, '--json'])
  await writeFile(file, `${(JSON.parse(stdout) as { token: string }).token}\n`)
  const folder = join(projectsIn(computer.home), '-home-dev-notes')
  await mkdir(folder, { recursive: true })
  const session = '0f7d1c52-6a3e-4a58-9d8e-2f6f5a0f2c11'
  await writeFile(join(folder, `${session}.jsonl`), transcript(session, texts))
  await mkdir(computer.home.panoptes, { recursive: true, mode: 0o700 })
  await appendFile(
    join(computer.home.panoptes, 'events.jsonl'),
    texts.map((text, n) => `${line(text, n).replace('"s"', '"forwarded"')}\n`).join(''),
  )
  child = spawnCommand(computer.home, [
    'forward',
    '--to',
    daemon.address,
    '--token-file',
    file,
    '--port',
    '0',
  ])
  await expect.poll(dump, { timeout: 60_000, interval: 1_000 }).toContain(LAST)
  await expect.poll(dump, { timeout: 60_000, interval: 1_000 }).toContain('forwarded')
  const kept = await dump()
  expect(kept).toContain('[redacted:')
  expect(kept).toContain('remember ')
  expect(leaks(all, kept)).toEqual([])
  expect(leaks(all, await filesOf(hub))).toEqual([])
  expect(leaks(all, await filesOf(computer))).toEqual([])
})
