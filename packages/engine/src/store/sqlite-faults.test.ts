import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { events, numbered, readEvents } from './conformance/event-kit.ts'
import { value } from './conformance/lab.ts'
import { openSqliteStore } from './index.ts'
import { CHILD, child, createStore, lab, opened, refused } from './sqlite-faults.test-kit.ts'

const isRoot = process.getuid?.() === 0

let home = ''
let file = ''
beforeEach(() => {
  ;({ home, file } = lab())
})

describe('read-only home folder', () => {
  /** Root may write anywhere, so the child process drops that privilege first. */
  const ordinary = isRoot ? ['unshare', '--user', '--map-user=65534', '--map-group=65534'] : []

  it('is reported with the file and what to do', () => {
    chmodSync(home, 0o555)
    expect(child(ordinary, 'open', file)).toMatchObject({
      ok: false,
      code: 'read_only',
      message: expect.stringMatching(/ledger\.db cannot be opened for writing\..*PANOPTES_HOME/),
    })
  })

  it('leaves an existing store unchanged', async () => {
    await createStore(50)
    const before = readFileSync(file)
    chmodSync(file, 0o444)
    chmodSync(home, 0o555)
    const report = child(ordinary, 'open', file)
    expect(report).toMatchObject({ ok: false, code: 'read_only', message: expect.stringContaining(file) })
    chmodSync(home, 0o755)
    chmodSync(file, 0o644)
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(await readEvents(await opened())).toEqual(numbered(events(50)))
  })

  it("is also reported when only the store's file is read-only", async () => {
    await createStore(5)
    chmodSync(file, 0o444)
    expect(child(ordinary, 'open', file)).toMatchObject({ ok: false, code: 'read_only' })
  })
})

describe('store in use', () => {
  it('is refused with the file and what to do, and opens once the other process is killed', async () => {
    await createStore(10)
    const holder = spawn(process.execPath, [CHILD, 'hold', file], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(holder.stdout, 'data')
      const failure = await refused()
      expect(failure).toMatchObject({ code: 'locked', message: expect.stringContaining(file) })
      expect(failure.message).toMatch(/panoptes stop/)
    } finally {
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    }
    expect(await readEvents(await opened())).toEqual(numbered(events(10)))
  })

  it('is refused within one process too, while the first keeps working', async () => {
    const first = await opened()
    value(await first.append(events(3)))
    expect(await refused()).toMatchObject({ code: 'locked' })
    expect(value(await first.append(events(3, 'more'))).last).toBe(6)
    await first.close()
    expect(await readEvents(await opened())).toHaveLength(6)
  })
})

describe('store of a newer version', () => {
  it('is refused with both versions named, and stays unchanged', async () => {
    await createStore(10)
    const db = new DatabaseSync(file)
    const version = Number(Object.values(db.prepare('PRAGMA user_version').get() ?? {})[0])
    db.exec(`PRAGMA user_version = ${version + 41}`)
    db.close()
    const before = readFileSync(file)
    const failure = await refused()
    expect(failure).toMatchObject({ code: 'newer_version', message: expect.stringContaining(file) })
    expect(failure.message).toContain(`${version + 41}`)
    expect(failure.message).toMatch(new RegExp(`\\b${version}\\b`))
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})

describe('store location', () => {
  it('is created with missing folders, readable only by its owner', async () => {
    const deep = join(home, 'not', 'there', 'yet', 'ledger.db')
    value(await (await opened(deep)).append(events(2)))
    expect(statSync(join(home, 'not')).mode & 0o777).toBe(0o700)
  })

  it('may be in folders of any name', async () => {
    const names = ['with space', 'ünïcode 日本 👀', 'quo\'te"s', 'a?b#c%20d&e', '-dash', 'semi;colon']
    const path = join(home, ...names, 'ledger.db')
    const store = value(await openSqliteStore(path))
    value(await store.append(events(3)))
    expect(value(await store.info()).path).toBe(path)
    await store.close()
    expect(existsSync(path)).toBe(true)
    expect(await readEvents(await opened(path))).toEqual(numbered(events(3)))
  })

  it('may not be inside a file; the failure names it', async () => {
    writeFileSync(join(home, 'file'), '')
    expect((await refused(join(home, 'file', 'ledger.db'))).message).toContain(
      join(home, 'file', 'ledger.db'),
    )
  })

  it('may contain a copy of the files of a running store that was killed', async () => {
    const store = await opened()
    value(await store.append(events(500)))
    const copy = join(home, 'copy')
    mkdirSync(copy)
    for (const name of ['ledger.db', 'ledger.db-wal']) cpSync(join(home, name), join(copy, name))
    expect(await readEvents(await opened(join(copy, 'ledger.db')))).toEqual(numbered(events(500)))
  })
})
