import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ArchivedSource, openLocalSources } from '@panoptes/engine/sources'
import { OriginalStore, restoreOriginals, type SessionArchive } from '@panoptes/engine/store'
import { success } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { promptRow, put, type Row, replied } from '../sources/claude-code/claude-code.test-kit.ts'
import { OriginalsCapture } from './capture-originals.ts'
import { openSessions, type Sessions, type SessionsOptions } from './index.ts'

let folder: string
let store: OriginalStore
let opened: Sessions | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-originals-'))
  store = new OriginalStore(join(folder, 'home', 'originals'))
})
afterEach(async () => {
  await opened?.close()
  opened = undefined
  rmSync(folder, { recursive: true, force: true })
})

const claude = () => join(folder, 'claude')
const path = (id: string, project = '-atlas') => join(claude(), 'projects', project, `${id}.jsonl`)
const write = (id: string, cwd = '/home/dev/atlas', ...rows: readonly Row[]) =>
  put(path(id), [{ ...promptRow(`Find the leak of ${id}`), cwd }, ...rows])
const words = (count: number): Row => replied('a1', 'valve '.repeat(count), [10, 20])

const SETTINGS = { enabled: true, originals: true, exclude: [], keep_days: null, max_size_mb: null }

/** Reads what changed since the last time, as a restarted Panoptes does. */
async function read(settings: Partial<NonNullable<SessionsOptions['archive']>> = {}): Promise<Sessions> {
  await opened?.close()
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: claude() }
  const archive = { ...SETTINGS, ...settings }
  const file = join(folder, 'home', 'history.db')
  opened = unwrap(await openSessions({ file, originals: store.folder, env, archive }))
  unwrap(await opened.refresh())
  return opened
}

const ids = async () =>
  unwrap(await store.list())
    .map(({ id }) => id)
    .sort()

/** All bytes below the home of Panoptes, with those of compressed files as they were. */
function bytesOnDisk(): string {
  const files = readdirSync(join(folder, 'home'), { recursive: true, withFileTypes: true })
  return files
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString('latin1'))
    .join('\n')
}

describe('the files of sessions', () => {
  it('are kept byte for byte beside the archive, secrets included', async () => {
    write('one')
    appendFileSync(path('one'), '{"not json\r\n password=hunter2hunter2')
    const before = readFileSync(path('one'))
    await read()
    appendFileSync(path('one'), '\n')
    await read()
    const originals = unwrap(await store.get({ source: 'claude-code', id: 'one' }))
    rmSync(claude(), { recursive: true })
    if (originals) unwrap(await restoreOriginals(store, originals, claude()))
    expect(readFileSync(path('one')).equals(Buffer.concat([before, Buffer.from('\n')]))).toBe(true)
    expect(originals?.files[0]?.frames).toHaveLength(2)
  })

  it('are not kept unless the settings say so', async () => {
    write('one')
    await read({ originals: false })
    expect(await ids()).toEqual([])
    await read({ enabled: false })
    expect(await ids()).toEqual([])
    expect(existsSync(store.folder)).toBe(false)
  })

  it('are kept of sessions that were read before the settings said so', async () => {
    write('one')
    await read({ originals: false })
    await read()
    expect(await ids()).toEqual(['one'])
    await read({ originals: false })
    expect(await ids()).toEqual(['one'])
  })

  it('are not kept of excluded projects, and removed from projects that are excluded later', async () => {
    write('one')
    write('two', '/home/dev/secret')
    await read({ exclude: ['/home/dev/secret'] })
    expect(await ids()).toEqual(['one'])
    await read()
    expect(await ids()).toEqual(['one', 'two'])
    await read({ exclude: ['secret'], originals: false })
    expect(await ids()).toEqual(['one'])
  })

  it('are forgotten with their session, so that no byte of them is on the disk', async () => {
    // Noise cannot be compressed, so it is on the disk as it is.
    const noise = randomBytes(2_000)
    write('one')
    write('two')
    mkdirSync(join(dirname(path('one')), 'one', 'tool-results'), { recursive: true })
    writeFileSync(join(dirname(path('one')), 'one', 'tool-results', 'r.bin'), noise)
    const sessions = await read()
    expect(bytesOnDisk()).toContain(noise.toString('latin1'))
    const forgotten = unwrap(await sessions.forget([{ source: 'claude-code', id: 'one' }]))
    expect(forgotten).toMatchObject({ sessions: 1, originals: 1 })
    await opened?.close()
    opened = undefined
    expect(bytesOnDisk()).not.toContain(noise.toString('latin1'))
    expect(await ids()).toEqual(['two'])
  })

  it('stay when the agent deletes them, until the archive drops the session', async () => {
    write('one')
    write('two')
    await read()
    rmSync(path('one'))
    await read()
    expect(await ids()).toEqual(['one', 'two'])
    // The rows of the kit are older than a day.
    await read({ keep_days: 1 })
    expect(await ids()).toEqual(['two'])
  })

  it('count toward the size of the archive', async () => {
    const noise = Array.from({ length: 6_000 }, () => Math.random().toString(36)).join(' ')
    for (const id of ['one', 'two']) {
      write(id)
      const results = join(dirname(path(id)), id, 'tool-results')
      mkdirSync(results, { recursive: true })
      writeFileSync(join(results, 'r.txt'), noise)
    }
    await read()
    const [summary] = unwrap(await store.list())
    const megabytes = (summary?.stored_bytes ?? 0) / 1_048_576
    rmSync(path('one'))
    rmSync(path('two'))
    await read({ max_size_mb: megabytes * 3 })
    expect(await ids()).toEqual(['one', 'two'])
    await read({ max_size_mb: megabytes * 1.5 })
    expect(await ids()).toHaveLength(1)
  })
})

describe('the files of a session that is being written', () => {
  const archived = (id: string) => ({ id, own: 'f', project: 'atlas', cwd: '/home/dev/atlas' })
  const never = new AbortController().signal

  /** Reads one list of the source, then its files, at a time. */
  function following() {
    let now = Date.now()
    const archive = { list: async () => success([archived('one')]) } as unknown as SessionArchive
    const capture = new OriginalsCapture({
      ...{ folder: store.folder, enabled: true, keeps: () => true },
      ...{ archive: async () => archive, now: () => now },
    })
    const source = openLocalSources({ CLAUDE_CONFIG_DIR: claude() })[0] as ArchivedSource
    return async (later: number, isPatient = true) => {
      now += later
      for await (const _ of capture.follow(source).list());
      return capture.capture(source, isPatient, never)
    }
  }

  it('are read once it is quiet', async () => {
    write('one')
    const step = following()
    const { again_ms } = await step(0)
    expect(again_ms).toBeGreaterThan(0)
    expect(await ids()).toEqual([])
    expect(await step(again_ms ?? 0)).toEqual({ again_ms: null, problems: [] })
    expect(await ids()).toEqual(['one'])
  })

  it('are read at once for somebody who waits, and when enough was added', async () => {
    write('one')
    const step = following()
    await step(0, false)
    expect(unwrap(await store.list())).toMatchObject([{ files: 1 }])
    appendFileSync(path('one'), `${JSON.stringify(words(10))}\n`)
    expect((await step(0)).again_ms).toBeGreaterThan(0)
    appendFileSync(path('one'), `${JSON.stringify(words(30_000))}\n`)
    expect((await step(0)).again_ms).toBeNull()
    const originals = unwrap(await store.get({ source: 'claude-code', id: 'one' }))
    expect(originals?.files[0]?.frames).toHaveLength(2)
  })
})
