import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { events } from './conformance/event-kit.ts'
import { value } from './conformance/lab.ts'
import { toFailure } from './sqlite/failures.ts'
import { child, createStore, lab, opened } from './sqlite-faults.test-kit.ts'

let home = ''
let file = ''
beforeEach(() => {
  ;({ home, file } = lab())
})

/** Mounting a small disk needs Linux and a system that allows it to ordinary processes. */
const canMount = process.platform === 'linux' && spawnSync('unshare', ['-rm', 'true']).status === 0

/** Works everywhere: the system lets no file grow beyond this many blocks of 512 bytes. */
const limit = (blocks: number) => ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, home]

describe('file that may not grow any more', () => {
  it('is named in the failure, loses nothing, and works again when there is room', async () => {
    const report = child(limit(16_000), 'fill', file)
    expect(report).toMatchObject({ message: expect.stringContaining(file) })
    const store = await opened()
    expect(value(await store.head()).last).toBe(report.acknowledged)
    expect(value(await store.append(events(3)))).toMatchObject({ accepted: 3 })
    expect(value(await store.rebuild({ check: true })).differences).toBe(0)
  })

  it('leaves no trace of a failed copy, and the store stays intact', async () => {
    await createStore(5_000)
    const target = join(home, 'copies', 'copy.db')
    const report = child(limit(1_000), 'copy', file, target)
    expect(report).toMatchObject({ ok: false, files: [], message: expect.stringContaining(target) })
    expect(value(await (await opened()).verify())).toEqual([])
  })

  it('prevents creating a store, and is named in the failure', () => {
    expect(child(limit(8), 'open', file)).toMatchObject({
      ok: false,
      message: expect.stringContaining(file),
    })
  })
})

describe('full disk as SQLite reports it', () => {
  it('becomes a failure that tells what to do', () => {
    const db = new DatabaseSync(file)
    db.exec('CREATE TABLE t (a); PRAGMA max_page_count = 2')
    try {
      db.exec('INSERT INTO t VALUES (zeroblob(100000))')
      expect.fail('there was room')
    } catch (error) {
      expect(toFailure(error, file)).toMatchObject({
        code: 'disk_full',
        message: expect.stringContaining('Free some space'),
      })
    }
    db.close()
  })
})

describe('full disk', () => {
  beforeEach(({ skip }) => {
    skip(!canMount, 'This system lets no ordinary process mount a small disk.')
  })
  const disk = (size: string) => [
    ...['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o size=${size} tmpfs "$0" && exec "$@"`],
    home,
  ]

  it('is reported with advice, loses nothing, and is over when there is room again', () => {
    const report = child(disk('24m'), 'fill', file, join(home, 'ballast'))
    expect(report).toMatchObject({
      code: 'disk_full',
      message: expect.stringContaining(file),
      readable: 10,
      same: true,
      differences: 0,
    })
    expect(report.message).toMatch(/Free some space/)
    expect(report.kept).toBe(report.acknowledged)
    expect(report.acknowledged).toBeGreaterThan(2_000)
  })

  it('leaves no trace of a failed copy', () => {
    const target = join(home, 'copies', 'copy.db')
    const report = child(disk('32m'), 'copy-to-full', file, target)
    expect(report).toMatchObject({ ok: false, code: 'disk_full', files: [] })
    expect(report.message).toContain(target)
  })

  it('prevents creating a store', () => {
    expect(child(disk('16k'), 'open', file)).toMatchObject({
      ok: false,
      code: 'disk_full',
      message: expect.stringContaining(file),
    })
  })
})
