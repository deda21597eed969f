import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import { OriginalStore } from '../originals/original-store.ts'
import { restoreOriginals } from '../originals/restore.ts'
import { message, session, sessionChanges } from '../session-index/conformance/lab.ts'
import { openSqliteIndex } from '../session-index/sqlite.ts'
import { openSqliteStore } from './sqlite-store.ts'

let folder: string
const target = () => join(folder, 'copy.db')
const copied = () => join(folder, 'copy.history.db')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-backup-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A store, with past sessions beside it if there are any. */
async function backUp(sessions: number, before: () => void = () => undefined) {
  const store = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
  const history = sessions === 0 ? undefined : unwrap(openSqliteIndex(join(folder, 'history.db')))
  for (let n = 0; n < sessions; n += 1)
    unwrap(
      (await history?.write(sessionChanges(session(`s${n}`), [message('words')]))) ?? {
        ok: true,
        value: null,
      },
    )
  before()
  const progress: [number, number][] = []
  const result = await store.backup(target(), { onProgress: (done, of) => progress.push([done, of]) })
  await history?.close()
  await store.close()
  return { result, progress }
}

it('also copies past sessions, into a file beside the copy of the store', async () => {
  const { result, progress } = await backUp(3)
  expect(unwrap(result).history).toEqual({ path: copied(), bytes: expect.any(Number) })
  const db = new DatabaseSync(copied(), { readOnly: true })
  expect(db.prepare('SELECT count(*) AS n FROM sessions').get()).toEqual({ n: 3 })
  db.close()
  const done = progress.map(([each]) => each)
  expect(done).toEqual([...done].sort((a, b) => a - b))
  expect(new Set(progress.map(([, of]) => of)).size).toBe(1)
})

it('also copies the files of sessions, without what a kill left behind', async () => {
  const root = join(folder, 'agent')
  mkdirSync(root)
  writeFileSync(join(root, 'one.jsonl'), 'a row\n')
  const store = new OriginalStore(join(folder, 'originals'))
  const session = { source: 'claude-code', id: 'one', fingerprint: 'f' }
  const kept = unwrap(await store.capture(session, { root, paths: ['one.jsonl'] }))
  const [place] = readdirSync(join(store.folder, 'claude-code'))
  appendFileSync(join(store.folder, 'claude-code', place ?? '', '1.zst'), 'half a frame')

  const copy = new OriginalStore(join(folder, 'copy.originals'))
  const { result } = await backUp(1)
  expect(unwrap(result).originals).toEqual({ path: copy.folder, sessions: 1, bytes: expect.any(Number) })
  expect(unwrap(await copy.get(session))).toEqual(kept)
  expect(statSync(join(copy.folder, 'claude-code', place ?? '', '1.zst')).size).toBe(
    unwrap(result).originals?.bytes,
  )
  expect(statSync(copy.folder).mode & 0o777).toBe(0o700)
  unlinkSync(join(root, 'one.jsonl'))
  if (kept) unwrap(await restoreOriginals(copy, kept, root))
  expect(readFileSync(join(root, 'one.jsonl'), 'utf8')).toBe('a row\n')

  for (const file of [target(), copied()]) rmSync(file)
  expect((await backUp(0)).result).toMatchObject({
    ok: false,
    code: 'invalid',
    message: expect.stringContaining('copy.originals exists already'),
  })
  expect(existsSync(target())).toBe(false)
  expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([])
})

it('copies the store alone if there are no past sessions', async () => {
  expect(unwrap((await backUp(0)).result).history).toBeUndefined()
  expect(existsSync(copied())).toBe(false)
})

it('writes neither file if one of them exists already', async () => {
  const { result } = await backUp(1, () => writeFileSync(copied(), 'mine'))
  expect(result).toMatchObject({
    ok: false,
    code: 'invalid',
    message: expect.stringContaining('copy.history.db'),
  })
  expect(existsSync(target())).toBe(false)
  rmSync(copied())
  const again = await backUp(1, () => writeFileSync(target(), 'mine'))
  expect(again.result).toMatchObject({ ok: false, code: 'invalid' })
  expect(existsSync(copied())).toBe(false)
})
