import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { events, numbered, readEvents } from './conformance/kit.ts'
import { value } from './conformance/lab.ts'
import { openSqliteLedger } from './index.ts'
import { CHILD, child, lab, ledgerOf, opened, refused } from './sqlite-faults.test-kit.ts'

const isRoot = process.getuid?.() === 0

let home = ''
let file = ''
beforeEach(() => {
  ;({ home, file } = lab())
})

describe('a home that cannot be written to', () => {
  /** Root may write anywhere, so the child gives that up first. */
  const ordinary = isRoot ? ['unshare', '--user', '--map-user=65534', '--map-group=65534'] : []

  it('is said with the file and the way out', () => {
    chmodSync(home, 0o555)
    expect(child(ordinary, 'open', file)).toMatchObject({
      ok: false,
      code: 'read_only',
      message: expect.stringMatching(/ledger\.db cannot be opened for writing\..*PANOPTES_HOME/),
    })
  })

  it('leaves a ledger in it as it was', async () => {
    await ledgerOf(50)
    const before = readFileSync(file)
    chmodSync(file, 0o444)
    chmodSync(home, 0o555)
    const told = child(ordinary, 'open', file)
    expect(told).toMatchObject({ ok: false, code: 'read_only', message: expect.stringContaining(file) })
    chmodSync(home, 0o755)
    chmodSync(file, 0o644)
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(await readEvents(await opened())).toEqual(numbered(events(50)))
  })

  it('is said of a ledger whose file alone is read-only', async () => {
    await ledgerOf(5)
    chmodSync(file, 0o444)
    expect(child(ordinary, 'open', file)).toMatchObject({ ok: false, code: 'read_only' })
  })
})

describe('a ledger in use', () => {
  it('is refused with the file and the way out, and free again once the other process is killed', async () => {
    await ledgerOf(10)
    const holder = spawn(process.execPath, [CHILD, 'hold', file], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(holder.stdout, 'data')
      const told = await refused()
      expect(told).toMatchObject({ code: 'locked', message: expect.stringContaining(file) })
      expect(told.message).toMatch(/panoptes stop/)
    } finally {
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    }
    expect(await readEvents(await opened())).toEqual(numbered(events(10)))
  })

  it('is refused within one process too, and the first goes on', async () => {
    const first = await opened()
    value(await first.append(events(3)))
    expect(await refused()).toMatchObject({ code: 'locked' })
    expect(value(await first.append(events(3, 'more'))).last).toBe(6)
    await first.close()
    expect(await readEvents(await opened())).toHaveLength(6)
  })
})

describe('a ledger of a newer version', () => {
  it('is refused with both versions named, and left alone', async () => {
    await ledgerOf(10)
    const db = new DatabaseSync(file)
    const known = Number(Object.values(db.prepare('PRAGMA user_version').get() ?? {})[0])
    db.exec(`PRAGMA user_version = ${known + 41}`)
    db.close()
    const before = readFileSync(file)
    const told = await refused()
    expect(told).toMatchObject({ code: 'newer_version', message: expect.stringContaining(file) })
    expect(told.message).toContain(`${known + 41}`)
    expect(told.message).toMatch(new RegExp(`\\b${known}\\b`))
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})

describe('where a ledger lies', () => {
  it('is made when the folders are missing, for its owner alone', async () => {
    const deep = join(home, 'not', 'there', 'yet', 'ledger.db')
    value(await (await opened(deep)).append(events(2)))
    expect(statSync(join(home, 'not')).mode & 0o777).toBe(0o700)
  })

  it('may be in folders of any name', async () => {
    const names = ['with space', 'ünïcode 日本 👀', 'quo\'te"s', 'a?b#c%20d&e', '-dash', 'semi;colon']
    const path = join(home, ...names, 'ledger.db')
    const ledger = value(await openSqliteLedger(path))
    value(await ledger.append(events(3)))
    expect(value(await ledger.info()).path).toBe(path)
    await ledger.close()
    expect(existsSync(path)).toBe(true)
    expect(await readEvents(await opened(path))).toEqual(numbered(events(3)))
  })

  it('may not be inside a file; the failure names it', async () => {
    writeFileSync(join(home, 'file'), '')
    expect((await refused(join(home, 'file', 'ledger.db'))).message).toContain(
      join(home, 'file', 'ledger.db'),
    )
  })

  it('may hold a copy of the files of a running ledger that was killed', async () => {
    const ledger = await opened()
    value(await ledger.append(events(500)))
    const copy = join(home, 'copy')
    mkdirSync(copy)
    for (const name of ['ledger.db', 'ledger.db-wal']) cpSync(join(home, name), join(copy, name))
    expect(await readEvents(await opened(join(copy, 'ledger.db')))).toEqual(numbered(events(500)))
  })
})
