import { appendFile, cp, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoundMessage, IndexStatus, PastSession, StatsRow, TranscriptReply } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, ROOT, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'

let home: TestHome
const project = () => join(home.folder, '.claude', 'projects', '-home-dev-notes')

beforeAll(async () => {
  home = await makeHome()
  await mkdir(join(home.folder, '.claude'), { recursive: true })
  await cp(join(ROOT, 'fixtures', 'claude-code', 'transcripts'), join(home.folder, '.claude', 'projects'), {
    recursive: true,
  })
})
afterAll(() => home.remove())

const run = (...args: string[]) => runCommand(home, ['sessions', ...args])
const json = async <T>(...args: string[]) => JSON.parse((await run(...args, '--json')).stdout) as T

describe('panoptes sessions without a daemon', () => {
  it('lists the sessions that agents left behind', async () => {
    const { code, stdout } = await run('list')
    expect(code).toBe(0)
    expect(stdout).toMatch(/claude-code {2}ea691ccd {2}notes {2}RUN:parallel +25 messages +2 errors +\$0\.01/)
    const list = await json<PastSession[]>('list', '--errors', '--limit', '2')
    expect(list).toHaveLength(2)
  })

  it('creates files for this user only, and no store just to read', async () => {
    for (const args of [['list'], ['filters'], ['search', 'x'], ['show', 'ea69']])
      expect((await run(...args)).code, args.join(' ')).toBe(0)
    expect((await runCommand(home, ['forget', 'ea69', '--dry-run'])).stdout).toContain(
      'Would delete 1 session:',
    )
    const names = await readdir(home.panoptes)
    expect(names).toContain('history.db')
    expect(names).not.toContain('ledger.db')
    for (const name of names) {
      const { mode } = await stat(join(home.panoptes, name))
      expect(mode & 0o077, name).toBe(0)
    }
    expect((await runCommand(home, ['agents'])).stderr).toContain('There is no store at')
  })

  it('finds a session by the start of its id, and reports no match or several', async () => {
    const { stdout } = await run('show', 'ea69')
    expect(stdout).toContain('→ Agent {"description":"survey"')
    expect(stdout).toContain('user (a24c5c34e7c1e50c6)')
    expect(await run('show', 'zzz')).toMatchObject({ code: 1, stdout: '' })
    expect((await run('show', '')).stderr).toContain('matches 4 sessions')
  })

  it('searches messages', async () => {
    const [first] = await json<FoundMessage[]>('search', 'definitely', 'not')
    expect(first).toMatchObject({ title: 'RUN:failure' })
    expect((await run('search', 'nowhere-to-be-found')).stdout).toContain(
      'No results for nowhere-to-be-found',
    )
  })

  it('adds up sessions by a common property', async () => {
    const rows = await json<StatsRow[]>('stats', '--by', 'model')
    expect(rows).toMatchObject([
      { name: 'claude-opus-4-8', sessions: 4, messages: 43, tool_calls: 17, errors: 4 },
      { name: 'claude-haiku-4-5-20251001', sessions: 1, messages: 6, tool_calls: 2, errors: 2 },
    ])
    const small = await json<PastSession[]>('list', '--model', 'claude-haiku-4-5-20251001')
    expect(small).toMatchObject([{ model: 'claude-opus-4-8' }])
    expect((await run('stats')).stdout).toMatch(/source +sessions +messages.*\nclaude-code +4 +49/)
    expect((await run('stats', '--by', 'mood')).code).toBe(2)
  })

  it('tags sessions, adds notes, and saves filters', async () => {
    expect((await run('tag', 'ea69', 'good', 'to-read')).stdout).toContain('is tagged good, to-read')
    expect((await run('note', 'ea69', 'look', 'again')).stdout).toContain('Note: look again')
    expect((await run('untag', 'ea69', 'to-read')).stdout).toContain('is tagged good\n')
    expect(await json<PastSession[]>('list', '--tag', 'good')).toMatchObject([
      { tags: ['good'], note: 'look again' },
    ])
    await run('filters', '--save', 'mine', '--tag', 'good', '--since', '9999d')
    expect((await run('filters')).stdout).toContain('mine  tag=good since=9999d')
    expect(await json<PastSession[]>('list', '--filter', 'mine')).toHaveLength(1)
  })

  it('exports a session in the format of the file extension', async () => {
    const file = join(home.folder, `alone.html`)
    expect((await run('export', 'ea69', file)).stdout).toContain(file)
    expect(await readFile(file, 'utf8')).toContain('<title>RUN:parallel</title>')
    expect((await run('export', 'ea69', file)).code).toBe(1)
    const { stdout } = await run('export', 'ea69')
    expect(stdout.trimEnd().split('\n')).toHaveLength(1 + 4 + 25)
    expect((await run('export', 'ea69', '--json')).code).toBe(2)
  })

  it('never lets a transcript move the cursor', async () => {
    const row = { type: 'user', uuid: 'u1', timestamp: '2026-11-15T09:00:00Z', cwd: '/x' }
    const content = 'evil \u001b[2J\u001b]0;owned\u0007 \u202etxt.exe'
    await appendFile(
      join(project(), 'hostile.jsonl'),
      `${JSON.stringify({ ...row, message: { role: 'user', content } })}\n`,
    )
    for (const args of [['list'], ['show', 'hostile'], ['search', 'evil']])
      expect((await run(...args)).stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('panoptes sessions with a daemon', () => {
  let daemon: Daemon
  beforeAll(async () => {
    daemon = await startDaemon({ home })
  })
  afterAll(() => daemon.stop())

  it('finds and changes tags, notes and filters that were set without the daemon', async () => {
    await expect.poll(async () => (await json<PastSession[]>('list', '--filter', 'mine')).length).toBe(1)
    expect((await run('untag', 'ea69')).stdout).toContain('has no tags')
    expect((await run('note', 'ea69')).stdout).not.toContain('Note')
    expect(await json('filters', '--remove', 'mine')).toEqual([])
  })

  it('exports a session through the daemon', async () => {
    const file = join(home.folder, 'asked.md')
    expect((await run('export', 'ea69', file)).stdout).toContain(file)
    expect(await readFile(file, 'utf8')).toMatch(/^# RUN:parallel\n/)
  })

  it('searches through the daemon, which reads what an agent writes meanwhile', async () => {
    await expect.poll(async () => (await json<PastSession[]>('list')).length).toBe(5)
    const row = {
      type: 'user',
      uuid: 'u2',
      timestamp: '2026-11-15T10:00:00Z',
      message: { role: 'user', content: 'quince' },
    }
    await appendFile(join(project(), 'hostile.jsonl'), `${JSON.stringify(row)}\n`)
    await expect.poll(async () => (await json<FoundMessage[]>('search', 'quince')).length).toBe(1)
    const { messages } = await json<TranscriptReply>('show', 'hostile')
    expect(messages).toHaveLength(2)
  })

  it('answers only with the token of the daemon, and refuses an invalid query', async () => {
    expect((await fetch(`${daemon.address}/api/past/sessions`)).status).toBe(401)
    expect((await daemon.request('/api/past/sessions?limit=0')).status).toBe(400)
    expect((await daemon.request('/api/past/sessions/claude-code/none')).status).toBe(404)
    const status = async () => (await (await daemon.request('/api/past/status')).json()) as IndexStatus[]
    const read = (await status()).map(({ source }) => [source, 'idle', null])
    await expect
      .poll(async () => (await status()).map(({ source, state, problem }) => [source, state, problem]))
      .toEqual(read)
    expect(read.map(([source]) => source)).toContain('claude-code')
  })
})
