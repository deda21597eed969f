import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import type { Originals } from './manifest.ts'
import { OriginalStore } from './original-store.ts'
import { planRestore, restoreOriginals } from './restore.ts'

let folder: string
let root: string
let store: OriginalStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-originals-'))
  root = join(folder, 'agent')
  store = new OriginalStore(join(folder, 'home', 'originals'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const SESSION = { source: 'claude-code', id: 'one', fingerprint: 'f' }
const MAIN = 'projects/x/one.jsonl'

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const capture = async (...paths: readonly string[]): Promise<Originals> => {
  const originals = unwrap(await store.capture(SESSION, { root, paths: [MAIN, ...paths] }))
  if (originals === undefined) throw new Error('nothing was kept')
  return originals
}

/** Every file of the store, by its name. */
function stored(): Map<string, Buffer> {
  const files = readdirSync(store.folder, { recursive: true, withFileTypes: true })
  return new Map(
    files
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name))]),
  )
}
const place = () => join(store.folder, 'claude-code', readdirSync(join(store.folder, 'claude-code'))[0] ?? '')

/** Deletes the files of the agent, restores them, and returns what they contain. */
async function restored(originals: Originals): Promise<Record<string, string>> {
  rmSync(root, { recursive: true, force: true })
  unwrap(await restoreOriginals(store, originals, root))
  return Object.fromEntries(
    originals.files.map(({ path }) => [path, readFileSync(join(root, path)).toString('latin1')]),
  )
}

describe('originals', () => {
  it('restores every file byte for byte, with its mode', async () => {
    const bytes = randomBytes(2_500_000)
    write(MAIN, bytes)
    write('projects/x/one/tool-results/t.txt', '')
    write('file-history/one/a@v1', 'before\r\n')
    execFileSync('chmod', ['640', join(root, 'file-history/one/a@v1')])
    const originals = await capture('projects/x/one/tool-results/t.txt', 'file-history/one/a@v1')
    expect(await restored(originals)).toEqual({
      [MAIN]: bytes.toString('latin1'),
      'projects/x/one/tool-results/t.txt': '',
      'file-history/one/a@v1': 'before\r\n',
    })
    expect(statSync(join(root, 'file-history/one/a@v1')).mode & 0o777).toBe(0o640)
  })

  it('keeps files that only the user can read, in frames that zstd can read', async () => {
    write(MAIN, 'one\n')
    await capture()
    appendFileSync(join(root, MAIN), 'two\n')
    const [file] = (await capture()).files
    expect(statSync(store.folder).mode & 0o777).toBe(0o700)
    expect(statSync(place()).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(place())) expect(statSync(join(place(), name)).mode & 0o777).toBe(0o600)
    expect(file?.frames).toHaveLength(2)
    let text = ''
    for await (const bytes of store.read(SESSION, file as NonNullable<typeof file>)) text += bytes.toString()
    expect(text).toBe('one\ntwo\n')
  })

  it('appends what a file grew by and writes nothing twice', async () => {
    write(MAIN, randomBytes(1_500_000))
    const before = (await capture()).files[0]
    const first = stored().get('1.zst') ?? Buffer.of()
    appendFileSync(join(root, MAIN), 'more\n')
    const after = (await capture()).files[0]
    const second = stored().get('1.zst') ?? Buffer.of()
    expect(after?.frames.slice(0, -1)).toEqual(before?.frames)
    expect(second.subarray(0, first.length).equals(first)).toBe(true)
    expect(second.length - first.length).toBeLessThan(30)
    const changed = statSync(join(place(), '1.zst')).mtimeMs
    await capture()
    expect(statSync(join(place(), '1.zst')).mtimeMs).toBe(changed)
  })

  it('keeps what it has if only the time of a file changed', async () => {
    write(MAIN, randomBytes(1_200_000))
    const before = (await capture()).files[0]
    utimesSync(join(root, MAIN), 1, 1)
    expect((await capture()).files[0]).toEqual({ ...before, modified: 1_000 })
  })

  it.each([
    ['a shorter file', 'short\n'],
    ['a longer file with another end of the part that is kept', `other end ${'y'.repeat(2_000)}\n`],
    ['a file of the same length', 'X'.repeat(1_000)],
  ])('replaces what is kept with %s', async (_, text) => {
    write(MAIN, 'x'.repeat(1_000))
    await capture()
    write(MAIN, text)
    utimesSync(join(root, MAIN), 5, 5)
    const originals = await capture()
    expect([...stored().keys()].sort()).toEqual(['2.zst', 'manifest.json'])
    expect(await restored(originals)).toEqual({ [MAIN]: text })
  })

  it('keeps a file that the agent deleted, and drops what a moved session left behind', async () => {
    write(MAIN, 'main')
    write('todos/one.json', '[]')
    await capture('todos/one.json')
    rmSync(join(root, 'todos/one.json'))
    expect((await capture()).files.map(({ path }) => path)).toEqual([MAIN, 'todos/one.json'])
    write('projects/y/one.jsonl', 'moved')
    const paths = ['projects/y/one.jsonl']
    const moved = unwrap(await store.capture(SESSION, { root, paths }))
    expect(moved?.files.map(({ path }) => path)).toEqual(paths)
    expect([...stored().keys()].sort()).toEqual(['3.zst', 'manifest.json'])
  })

  it('keeps what it has of a session whose transcript disappeared', async () => {
    write(MAIN, 'main')
    const before = await capture()
    rmSync(join(root, MAIN))
    expect(await capture()).toEqual(before)
  })

  it('follows no links', async () => {
    writeFileSync(join(folder, 'secret'), 'of somebody else')
    write(MAIN, 'main')
    symlinkSync(join(folder, 'secret'), join(root, 'link'))
    expect((await capture('link')).files.map(({ path }) => path)).toEqual([MAIN])
  })

  it('continues an interrupted capture where it stopped', async () => {
    write(MAIN, randomBytes(3_000_000))
    let asked = 0
    const stopsAfterOneFrame = {
      get aborted() {
        asked += 1
        return asked > 2
      },
    } as AbortSignal
    const part = unwrap(await store.capture(SESSION, { root, paths: [MAIN] }, stopsAfterOneFrame))
    expect(part).toMatchObject({
      fingerprint: '',
      files: [{ frames: [[1_048_576, expect.any(Number), expect.any(String)]] }],
    })
    const originals = await capture()
    expect(originals.fingerprint).toBe('f')
    expect(originals.files[0]?.frames.slice(0, 1)).toEqual(part?.files[0]?.frames)
    const bytes = readFileSync(join(root, MAIN)).toString('latin1')
    expect((await restored(originals))[MAIN]).toBe(bytes)
  })
})

describe('originals after a kill', () => {
  it('cuts off a frame that the manifest does not name', async () => {
    write(MAIN, 'one\n')
    await capture()
    appendFileSync(join(place(), '1.zst'), stored().get('1.zst')?.subarray(0, 9) ?? '')
    appendFileSync(join(root, MAIN), 'two\n')
    const originals = await capture()
    const { size } = statSync(join(place(), '1.zst'))
    expect(size).toBe(originals.files[0]?.frames.reduce((sum, [, bytes]) => sum + bytes, 0))
    expect(await restored(originals)).toEqual({ [MAIN]: 'one\ntwo\n' })
  })

  it('restores the last version that was written completely', async () => {
    write(MAIN, 'one\n')
    const originals = await capture()
    appendFileSync(join(place(), '1.zst'), 'half a frame')
    writeFileSync(join(place(), '2.zst'), 'half a new file')
    writeFileSync(join(place(), 'manifest.json.new'), '{"v":1,"sou')
    expect(unwrap(await store.get(SESSION))).toEqual(originals)
    expect(await restored(originals)).toEqual({ [MAIN]: 'one\n' })
    await capture()
    expect([...stored().keys()].sort()).toEqual(['1.zst', 'manifest.json'])
  })

  it('reads a file again whose frames were lost or whose manifest is damaged', async () => {
    write(MAIN, 'one\n')
    await capture()
    writeFileSync(join(place(), '1.zst'), '')
    appendFileSync(join(root, MAIN), 'two\n')
    expect(await restored(await capture())).toEqual({ [MAIN]: 'one\ntwo\n' })
    writeFileSync(join(place(), 'manifest.json'), '{"v":1,')
    expect(unwrap(await store.get(SESSION))).toBeUndefined()
    expect(await restored(await capture())).toEqual({ [MAIN]: 'one\ntwo\n' })
  })

  it('refuses to restore damaged bytes', async () => {
    write(MAIN, 'one\n'.repeat(100))
    const originals = await capture()
    const bytes = stored().get('1.zst') ?? Buffer.of()
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    writeFileSync(join(place(), '1.zst'), bytes)
    rmSync(root, { recursive: true })
    expect(await restoreOriginals(store, originals, root)).toMatchObject({
      ok: false,
      message: expect.stringContaining('damaged'),
    })
    expect(existsSync(join(root, MAIN))).toBe(false)
    expect(readdirSync(dirname(join(root, MAIN)))).toEqual([])
  })
})

describe('restoring originals', () => {
  it('writes only what is missing', async () => {
    write(MAIN, 'main')
    write('todos/one.json', '[]')
    const originals = await capture('todos/one.json')
    rmSync(join(root, MAIN))
    expect(unwrap(await planRestore(originals, root))).toEqual([
      { path: join(root, MAIN), bytes: 4, state: 'missing' },
      { path: join(root, 'todos/one.json'), bytes: 2, state: 'same' },
    ])
    expect(unwrap(await restoreOriginals(store, originals, root))).toBe(1)
    expect(unwrap(await restoreOriginals(store, originals, root))).toBe(0)
  })

  it('writes nothing if a file differs', async () => {
    write(MAIN, 'main')
    write('todos/one.json', '[]')
    const originals = await capture('todos/one.json')
    rmSync(join(root, MAIN))
    write('todos/one.json', '{}')
    expect(await restoreOriginals(store, originals, root)).toMatchObject({
      ok: false,
      code: 'invalid',
      message: expect.stringContaining('todos/one.json exists and differs'),
    })
    expect(existsSync(join(root, MAIN))).toBe(false)
    expect(readFileSync(join(root, 'todos/one.json'), 'utf8')).toBe('{}')
  })

  it('accepts no manifest that leads out of the folder of the agent', async () => {
    write(MAIN, 'main')
    await capture()
    const manifest = join(place(), 'manifest.json')
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(MAIN, '../../evil'))
    expect(unwrap(await store.get(SESSION))).toBeUndefined()
    expect(unwrap(await store.list())).toEqual([])
  })
})

it('lists what is kept, and removes it', async () => {
  write(MAIN, 'x'.repeat(10_000))
  await capture()
  expect(unwrap(await store.list())).toEqual([
    {
      ...{ source: 'claude-code', id: 'one', fingerprint: 'f', files: 1, bytes: 10_000 },
      stored_bytes: statSync(join(place(), '1.zst')).size,
      modified: statSync(join(root, MAIN)).mtimeMs,
    },
  ])
  expect(unwrap(await store.remove([SESSION, { source: 'codex', id: 'one' }]))).toBe(1)
  expect(unwrap(await store.list())).toEqual([])
  expect(stored().size).toBe(0)
})
