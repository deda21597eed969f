import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { events } from './conformance/kit.ts'
import { value } from './conformance/lab.ts'
import { failureOf } from './sqlite/failures.ts'
import { child, lab, ledgerOf, opened } from './sqlite-faults.test-kit.ts'

let home = ''
let file = ''
beforeEach(() => {
  ;({ home, file } = lab())
})

/** A small disk of one's own needs Linux, and a system that lets an ordinary process mount one. */
const canMount = process.platform === 'linux' && spawnSync('unshare', ['-rm', 'true']).status === 0

/** Works everywhere: the system refuses to let any file grow beyond this many blocks of 512 bytes. */
const limit = (blocks: number) => ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, home]

describe('a file that may not grow any more', () => {
  it('is named, loses nothing, and goes on when there is room again', async () => {
    const told = child(limit(16_000), 'fill', file)
    expect(told).toMatchObject({ message: expect.stringContaining(file) })
    const ledger = await opened()
    expect(value(await ledger.head()).last).toBe(told.acknowledged)
    expect(value(await ledger.append(events(3)))).toMatchObject({ accepted: 3 })
    expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
  })

  it('is said of the copy it leaves no trace of, and the ledger stays whole', async () => {
    await ledgerOf(5_000)
    const target = join(home, 'copies', 'copy.db')
    const told = child(limit(1_000), 'copy', file, target)
    expect(told).toMatchObject({ ok: false, files: [], message: expect.stringContaining(target) })
    expect(value(await (await opened()).verify())).toEqual([])
  })

  it('keeps a ledger from being made, with its name', () => {
    expect(child(limit(8), 'open', file)).toMatchObject({
      ok: false,
      message: expect.stringContaining(file),
    })
  })
})

describe('a disk without room, as SQLite tells it', () => {
  it('is a full disk with the way out', () => {
    const db = new DatabaseSync(file)
    db.exec('CREATE TABLE t (a); PRAGMA max_page_count = 2')
    try {
      db.exec('INSERT INTO t VALUES (zeroblob(100000))')
      expect.fail('there was room')
    } catch (error) {
      expect(failureOf(error, file)).toMatchObject({
        code: 'disk_full',
        message: expect.stringContaining('Free some space'),
      })
    }
    db.close()
  })
})

describe('a full disk', () => {
  beforeEach(({ skip }) => {
    skip(!canMount, 'This system lets no ordinary process mount a small disk.')
  })
  const disk = (size: string) => [
    ...['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o size=${size} tmpfs "$0" && exec "$@"`],
    home,
  ]

  it('is said with the way out, loses nothing, and is over when there is room again', () => {
    const told = child(disk('24m'), 'fill', file, join(home, 'ballast'))
    expect(told).toMatchObject({
      code: 'disk_full',
      message: expect.stringContaining(file),
      readable: 10,
      same: true,
      differences: 0,
    })
    expect(told.message).toMatch(/Free some space/)
    expect(told.kept).toBe(told.acknowledged)
    expect(told.acknowledged).toBeGreaterThan(2_000)
  })

  it('is said of the copy it leaves no trace of', () => {
    const target = join(home, 'copies', 'copy.db')
    const told = child(disk('32m'), 'copy-to-full', file, target)
    expect(told).toMatchObject({ ok: false, code: 'disk_full', files: [] })
    expect(told.message).toContain(target)
  })

  it('refuses to make a ledger where there is no room for one', () => {
    expect(child(disk('16k'), 'open', file)).toMatchObject({
      ok: false,
      code: 'disk_full',
      message: expect.stringContaining(file),
    })
  })
})
