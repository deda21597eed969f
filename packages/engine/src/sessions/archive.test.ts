import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import type { TranscriptReply } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { generateHermesState } from '../../../../fixtures/hermes/generator/index.ts'
import { unwrap } from '../result.test-kit.ts'
import { promptRow, put, type Row, replied } from '../sources/claude-code/claude-code.test-kit.ts'
import { openSessions, type Sessions, type SessionsOptions } from './index.ts'

const RECORDED = new URL('../../../../fixtures/claude-code/transcripts', import.meta.url).pathname
const RECORDINGS = new URL('../../../../fixtures/recordings', import.meta.url).pathname

let folder: string
let file: string
let opened: Sessions | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-archive-'))
  file = join(folder, 'home', 'history.db')
})

afterEach(async () => {
  await opened?.close()
  opened = undefined
  rmSync(folder, { recursive: true, force: true })
})

/** Reads what changed since the last time, as a restarted Panoptes does. */
async function read(options: Partial<SessionsOptions> = {}): Promise<Sessions> {
  await opened?.close()
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: join(folder, 'claude'), HERMES_HOME: join(folder, 'hermes') }
  opened = unwrap(await openSessions({ file, env, ...options }))
  unwrap(await opened.refresh())
  return opened
}

const SETTINGS = { enabled: true, exclude: [], keep_days: null, max_size_mb: null }
const projects = () => join(folder, 'claude', 'projects')
const path = (id: string) => join(projects(), '-atlas', `${id}.jsonl`)
const write = (id: string, ...rows: readonly Row[]) =>
  put(path(id), [{ ...promptRow('Find the leak in the pump'), cwd: '/home/dev/atlas' }, ...rows])
const long = (count: number, word: string): Row[] =>
  Array.from({ length: count }, (_, n) => replied(`${word}-${n}`, `${word} ${n} `.repeat(300), [10, 20]))

/** Everything that people see of past sessions. */
async function everything(sessions: Sessions): Promise<unknown> {
  const list = unwrap(await sessions.list({ limit: 100 }))
  const each = []
  for (const { source, id } of list) {
    const pages = []
    for (let from: number | null = 0; from !== null; ) {
      const page: TranscriptReply = unwrap(await sessions.transcript({ source, id, from, limit: 7 }))
      pages.push({ ...page, session: null })
      from = page.next
    }
    const target = join(folder, `export-${each.length}`)
    unwrap(await sessions.export({ source, id, format: 'markdown', file: target }))
    const exported = readFileSync(target, 'utf8')
    rmSync(target)
    const opening = unwrap(await sessions.opening({ source, id }, 3)).messages
    each.push({ pages, exported, opening, outline: unwrap(await sessions.outline({ source, id })) })
  }
  const found = await Promise.all(
    ['the', 'file', 'error', 'RUN'].map(async (text) => unwrap(await sessions.search({ text, limit: 50 }))),
  )
  const stats = await Promise.all(
    (['source', 'project', 'model', 'tool', 'day'] as const).map(async (by) =>
      unwrap(await sessions.stats({}, by)),
    ),
  )
  const works = unwrap(await sessions.works({ limit: 100 }))
  return { list: list.map(({ archived: _, ...rest }) => rest), each, found, stats, works }
}

describe('sessions whose source is gone', () => {
  it('look exactly as before, and are marked as archived', async () => {
    cpSync(RECORDED, projects(), { recursive: true })
    for (const name of readdirSync(RECORDINGS))
      cpSync(join(RECORDINGS, name, 'transcripts'), join(projects(), name), { recursive: true })
    mkdirSync(join(folder, 'hermes'))
    generateHermesState({ file: join(folder, 'hermes', 'state.db'), sessions: 12, messages: 9, seed: 7 })
    const before = await everything(await read())
    const marked = async (sessions: Sessions) =>
      unwrap(await sessions.list({ limit: 100 })).map((one) => one.archived)
    expect(new Set(await marked(opened as Sessions))).toEqual(new Set([undefined]))

    rmSync(projects(), { recursive: true })
    rmSync(join(folder, 'hermes', 'state.db'))
    expect(await everything(await read())).toEqual(before)
    expect(new Set(await marked(opened as Sessions))).toEqual(new Set([true]))
  }, 120_000)

  it('are recalled as before', async () => {
    write('one', replied('a1', 'The pump leaked because the seal of its valve was worn out.', [1, 1]))
    write('two', replied('a2', 'The gauge of the tank shows a wrong level.', [1, 1]))
    // A busy machine may recall less in the time that a caller waits.
    const expectRecalled = async () => {
      const sessions = await read()
      const found = async () =>
        unwrap(await sessions.recall('why did the pump leak at the valve seal?', { limit: 1 })).found
      await expect
        .poll(found)
        .toMatchObject([{ session_id: 'one', message_id: 'a1', text: expect.stringContaining('worn out') }])
    }
    await expectRecalled()
    rmSync(projects(), { recursive: true })
    await expectRecalled()
  })

  it('stay when the index is built again from nothing', async () => {
    write('one', ...long(40, 'valve'))
    const before = await everything(await read())
    rmSync(path('one'))
    await read()
    await opened?.close()
    opened = undefined
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 1')
    db.close()
    expect(await everything(await read())).toEqual(before)
  })

  it('are no longer marked when the source has them again', async () => {
    write('one')
    const rows = readFileSync(path('one'))
    await read()
    rmSync(path('one'))
    expect(unwrap(await (await read()).list({ limit: 5 }))).toMatchObject([{ id: 'one', archived: true }])
    mkdirSync(join(projects(), '-atlas'), { recursive: true })
    appendFileSync(path('one'), rows)
    const [again] = unwrap(await (await read()).list({ limit: 5 }))
    expect(again).toMatchObject({ id: 'one', messages: 1 })
    expect(again?.archived).toBeUndefined()
  })

  it('do not count twice in a branch that grows after its origin is gone', async () => {
    const shared = [promptRow('Find the leak'), replied('a1', 'It is the valve', [100, 50])]
    put(path('origin'), shared)
    put(
      path('branch'),
      shared.map((row) => ({ ...row, sessionId: 'branch', forkedFrom: { sessionId: 'origin' } })),
    )
    appendFileSync(path('branch'), `${JSON.stringify(replied('b1', 'Close it', [7, 5]))}\n`)
    const spent = async () =>
      unwrap(await (await read()).list({ limit: 5 }))
        .map(({ id, spent, parent_id }) => [id, spent.input, parent_id])
        .sort()
    expect(await spent()).toEqual([
      ['branch', 7, 'origin'],
      ['origin', 100, null],
    ])
    rmSync(path('origin'))
    expect(await spent()).toEqual([
      ['branch', 7, 'origin'],
      ['origin', 100, null],
    ])
    appendFileSync(path('branch'), `${JSON.stringify(replied('b2', 'Done', [11, 5]))}\n`)
    expect(await spent()).toEqual([
      ['branch', 18, 'origin'],
      ['origin', 100, null],
    ])
  })
})

describe('the archive', () => {
  const rows = (sql: string) => {
    const db = new DatabaseSync(file, { readOnly: true })
    const found = db.prepare(sql).all()
    db.close()
    return found
  }
  const texts = () =>
    rows('SELECT data FROM archive_chunks').map(({ data }) => String(zstdDecompressSync(data as Uint8Array)))

  it('writes only the end of a session that grew', async () => {
    write('one', ...long(200, 'valve'))
    await read()
    const before = rows('SELECT number, first, hash FROM archive_chunks ORDER BY first')
    expect(before.length).toBeGreaterThan(3)
    appendFileSync(path('one'), `${JSON.stringify(replied('later', 'It was the seal', [1, 1]))}\n`)
    const sessions = await read()
    expect(rows('SELECT number, first, hash FROM archive_chunks ORDER BY first').slice(0, -1)).toEqual(
      before.slice(0, -1),
    )
    const last = unwrap(await sessions.transcript({ source: 'claude-code', id: 'one', from: 200, limit: 10 }))
    expect(JSON.stringify(last.messages)).toContain('It was the seal')
  })

  it('replaces a session that was rewritten', async () => {
    write('one', ...long(200, 'valve'))
    await read()
    write('one', ...long(90, 'seal'))
    await read()
    expect(texts().join('')).not.toContain('valve')
    expect(unwrap(await (opened as Sessions).list({ limit: 1 }))).toMatchObject([{ messages: 91 }])
  })

  it('stores an image once, and no longer than a session contains it', async () => {
    const data = 'iVBORw0KGgo'.repeat(500)
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    const shown = () => promptRow('', 1, { message: { role: 'user', content: [image] } })
    write('one', shown())
    write('two', shown())
    const sessions = await read()
    expect(rows('SELECT count(*) AS n FROM archive_images')).toEqual([{ n: 1 }])
    const { content } = unwrap(await sessions.message({ source: 'claude-code', id: 'two', n: 1 }))
    expect(content).toEqual([{ type: 'image', media_type: 'image/png', data }])
    unwrap(await sessions.forget([{ source: 'claude-code', id: 'one' }]))
    expect(rows('SELECT count(*) AS n FROM archive_images')).toEqual([{ n: 1 }])
    unwrap(await sessions.forget([{ source: 'claude-code', id: 'two' }]))
    expect(rows('SELECT count(*) AS n FROM archive_images')).toEqual([{ n: 0 }])
  })

  it('keeps no secret in its chunks', async () => {
    const key = ['ghp', 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2eF4'].join('_')
    const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: `curl -H "token: ${key}"` } }
    write('one', replied('a1', [{ type: 'text', text: `Use ${key} ` }, call], [1, 1]))
    await read()
    expect(texts().join('')).toContain('[redacted:')
    expect(texts().join('')).not.toContain(key.slice(8))
  })

  it('leaves no byte of a forgotten session in the file', async () => {
    write('one', ...long(60, 'particular'))
    write('two')
    const sessions = await read()
    const chunk = rows(
      "SELECT c.data FROM archive_chunks AS c JOIN archive_sessions AS s ON s.number = c.session WHERE s.id = 'one' ORDER BY first",
    )[0]
    const bytes = Buffer.from(chunk?.data as Uint8Array).subarray(40, 90)
    const stored = () => Buffer.concat(['', '-wal'].flatMap((end) => [readFileSync(file + end)]))
    expect(stored().includes(bytes)).toBe(true)
    unwrap(await sessions.forget([{ source: 'claude-code', id: 'one' }]))
    expect(stored().includes(bytes)).toBe(false)
    expect(rows('SELECT id FROM archive_sessions')).toEqual([{ id: 'two' }])
  })

  it('leaves out excluded projects, also those that it kept before', async () => {
    write('one')
    const listed = async (exclude: readonly string[]) => {
      const sessions = await read({ archive: { ...SETTINGS, exclude } })
      return [unwrap(await sessions.list({ limit: 5 })).length, texts().length]
    }
    expect(await listed([])).toEqual([1, 1])
    for (const exclude of ['atlas', '/home/dev', '/home/dev/atlas/']) {
      expect(await listed([exclude])).toEqual([1, 0])
      const sessions = opened as Sessions
      expect(
        unwrap(await sessions.transcript({ source: 'claude-code', id: 'one', from: 0, limit: 5 })).messages,
      ).toHaveLength(1)
      expect(await listed(['/home/dev/atl'])).toEqual([1, 1])
    }
    rmSync(path('one'))
    expect(await listed([])).toEqual([1, 1])
    expect(await listed(['atlas'])).toEqual([0, 0])
  })

  it('keeps what it has when it is turned off, and adds nothing', async () => {
    write('one')
    await read()
    write('two')
    await read({ archive: { ...SETTINGS, enabled: false } })
    expect(rows('SELECT id FROM archive_sessions')).toEqual([{ id: 'one' }])
    rmSync(projects(), { recursive: true })
    const sessions = await read({ archive: { ...SETTINGS, enabled: false } })
    expect(unwrap(await sessions.list({ limit: 5 }))).toMatchObject([{ id: 'one', archived: true }])
  })

  it('removes only sessions whose source is gone when they are too old or it is too large', async () => {
    for (const id of ['one', 'two', 'three']) write(id, ...long(100, `${id}${Math.PI}`))
    await read()
    rmSync(path('one'))
    rmSync(path('two'))
    const ids = async (
      archive: Partial<typeof SETTINGS> | { keep_days: number } | { max_size_mb: number },
    ) => {
      await read({ archive: { ...SETTINGS, ...archive } })
      return unwrap(await (opened as Sessions).list({ limit: 5 }))
        .map(({ id }) => id)
        .sort()
    }
    expect(await ids({ keep_days: 36_500 })).toEqual(['one', 'three', 'two'])
    expect(await ids({ keep_days: 1 })).toEqual(['three'])
    rmSync(path('three'))
    expect(await ids({ max_size_mb: 100 })).toEqual(['three'])
    expect(await ids({ max_size_mb: 0.0001 })).toEqual([])
  })

  it('drops nothing by age while the time is unknown, or because a clock jumped', async () => {
    write('one')
    await read()
    rmSync(path('one'))
    const archive = { ...SETTINGS, keep_days: 365 }
    const ids = async (now: number | null) => {
      await read({ archive, maxAgeDays: 365, now: async () => now })
      return unwrap(await (opened as Sessions).list({ limit: 5 })).map(({ id }) => id)
    }
    const [written] = unwrap(await (opened as Sessions).list({ limit: 1 }))
    const last = written?.last_at ?? 0
    expect(await ids(null)).toEqual(['one'])
    expect(await ids(last + 364 * 86_400_000)).toEqual(['one'])
    expect(await ids(last + 366 * 86_400_000)).toEqual([])
  })

  it('is not touched by a program that does not know its version', async () => {
    write('one')
    await read()
    await opened?.close()
    opened = undefined
    const db = new DatabaseSync(file)
    db.exec('UPDATE archive_version SET version = 99')
    db.close()
    expect(await openSessions({ file, env: { HOME: folder } })).toMatchObject({ code: 'newer_version' })
    expect(texts()).toHaveLength(1)
  })

  it('redacts what it keeps again when the rules find more', async () => {
    write('one')
    await read()
    rmSync(path('one'))
    await read()
    await opened?.close()
    opened = undefined
    const db = new DatabaseSync(file)
    db.exec('UPDATE archive_sessions SET rules = 0')
    db.close()
    await read()
    expect(rows('SELECT rules > 0 AS current, gone_at IS NULL AS there FROM archive_sessions')).toEqual([
      { current: 1, there: 0 },
    ])
    expect(texts()).toHaveLength(1)
  })
})

it('deletes the index of an older version once every source was read', async () => {
  write('one')
  const former = join(folder, 'home', 'index.db')
  put(former, [{ old: true }])
  put(`${former}-wal`, [{ old: true }])
  await read({ former })
  expect(readdirSync(join(folder, 'home')).filter((name) => name.startsWith('index'))).toEqual([])
})
