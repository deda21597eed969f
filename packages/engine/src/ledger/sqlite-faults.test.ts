import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { Failure, Result } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { events, numbered, readEvents } from './conformance/kit.ts'
import { value } from './conformance/lab.ts'
import { type Ledger, openSqliteLedger } from './index.ts'

const CHILD = fileURLToPath(new URL('./sqlite-faults.child.ts', import.meta.url))
/** A small disk of one's own needs Linux. */
const canMount = process.platform === 'linux' && spawnSync('unshare', ['-rm', 'true']).status === 0
const isRoot = process.getuid?.() === 0

let home = ''
let file = ''
const open: Ledger[] = []

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-faults-'))
  file = join(home, 'ledger.db')
})

afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close()
  rmSync(home, { recursive: true, force: true })
})

async function opened(path = file): Promise<Ledger> {
  const ledger = value(await openSqliteLedger(path))
  open.push(ledger)
  return ledger
}

/** A closed ledger with this many events in it. */
async function ledgerOf(count: number): Promise<void> {
  const ledger = value(await openSqliteLedger(file))
  value(await ledger.append(events(count)))
  await ledger.close()
}

async function refused(path = file): Promise<Failure> {
  const result: Result<Ledger> = await openSqliteLedger(path)
  if (!result.ok) return result
  await result.value.close()
  throw new Error('it was opened')
}

function child(prefix: readonly string[], ...args: readonly string[]): Record<string, unknown> {
  const [command = '', ...rest] = [...prefix, process.execPath, CHILD, ...args]
  const ran = spawnSync(command, rest, { encoding: 'utf8', timeout: 60_000 })
  const line = ran.stdout.trim().split('\n').at(-1)
  if (!line) throw new Error(`${command}: ${ran.error?.message ?? ran.stderr}`)
  return JSON.parse(line) as Record<string, unknown>
}

describe('a full disk', () => {
  const disk = (size: string) => [
    ...['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o size=${size} tmpfs "$0" && exec "$@"`],
    home,
  ]
  const limit = (blocks: number) => ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, home]

  it.runIf(canMount)('is said with the way out, loses nothing, and is over when there is room again', () => {
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

  it.runIf(canMount)('is said of the copy it leaves no trace of', () => {
    const target = join(home, 'copies', 'copy.db')
    const told = child(disk('32m'), 'copy', file, target)
    expect(told).toMatchObject({ ok: false, code: 'disk_full', files: [] })
    expect(told.message).toContain(target)
  })

  it.runIf(canMount)('refuses to make a ledger where there is no room for one', () => {
    expect(child(disk('16k'), 'open', file)).toMatchObject({
      ok: false,
      code: 'disk_full',
      message: expect.stringContaining(file),
    })
  })

  it('loses nothing when the file may not grow any more', async () => {
    const told = child(limit(16_000), 'fill', file)
    expect(told).toMatchObject({ message: expect.stringContaining(file) })
    const ledger = await opened()
    expect(value(await ledger.head()).last).toBe(told.acknowledged)
    expect(value(await ledger.append(events(3)))).toMatchObject({ accepted: 3 })
    expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
  })
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

describe('a damaged file', () => {
  const damage = (at: number, bytes: number) => {
    const content = readFileSync(file)
    content.fill(0xa5, at, at + bytes)
    writeFileSync(file, content)
  }

  it('is refused when its header is gone, and left alone', async () => {
    await ledgerOf(100)
    damage(0, 100)
    const before = readFileSync(file)
    expect(await refused()).toMatchObject({ code: 'corrupt', message: expect.stringContaining(file) })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('is never a crash when pages in the middle are gone: a failure says so', async () => {
    await ledgerOf(5_000)
    const size = statSync(file).size
    const page = 4_096
    damage(Math.floor(size / 3 / page) * page, Math.floor(size / 3 / page) * page)
    const results: Result<unknown>[] = []
    const result = await openSqliteLedger(file)
    results.push(result)
    if (result.ok) {
      open.push(result.value)
      results.push(await result.value.read({ after: 0, limit: 1_000 }))
      results.push(await result.value.read({ before: 5_001, limit: 1_000 }, { text: 'nothing' }))
      results.push(await result.value.append(events(500, 'more')))
      results.push(await result.value.rebuild({ check: true }))
    }
    const failures = results.filter((each): each is Failure => !each.ok)
    expect(failures.length).toBeGreaterThan(0)
    for (const each of failures) {
      expect(each).toMatchObject({ code: 'corrupt', message: expect.stringContaining(file) })
      expect(each.message).toMatch(/backup/)
    }
  })

  it('is found by the slow check', async () => {
    await ledgerOf(5_000)
    damage(Math.floor(statSync(file).size / 2 / 4_096) * 4_096, 4_096)
    const ledger = await opened()
    const verified = await ledger.verify()
    if (verified.ok) expect(verified.value.length).toBeGreaterThan(0)
    else expect(verified.code).toBe('corrupt')
  })

  it('may be cut short', async () => {
    await ledgerOf(2_000)
    writeFileSync(file, readFileSync(file).subarray(0, 5_000))
    const result = await openSqliteLedger(file)
    if (result.ok) open.push(result.value)
    const told = result.ok ? await result.value.verify() : result
    expect(told).not.toEqual({ ok: true, value: [] })
  })

  it('may be no database at all', async () => {
    writeFileSync(file, 'Dear diary, '.repeat(1_000))
    expect(await refused()).toMatchObject({ code: 'corrupt', message: expect.stringContaining(file) })
    expect(readFileSync(file, 'utf8')).toBe('Dear diary, '.repeat(1_000))
  })

  it('may be a database of another program, which is left alone', async () => {
    const other = new DatabaseSync(file)
    other.exec("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
    other.close()
    const before = readFileSync(file)
    const told = await refused()
    expect(told).toMatchObject({ code: 'corrupt', message: expect.stringContaining(file) })
    expect(told.message).toMatch(/another program/)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('may be a folder', async () => {
    mkdirSync(file)
    expect((await refused()).message).toContain(file)
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

  it('may have any name', async () => {
    for (const name of ['with space', 'ünïcode 日本 👀', 'quo\'te"s', 'a?b#c%20d&e', '-dash', 'semi;colon']) {
      const path = join(home, name, 'ledger.db')
      const ledger = value(await openSqliteLedger(path))
      value(await ledger.append(events(3)))
      expect(value(await ledger.info()).path).toBe(path)
      await ledger.close()
      expect(existsSync(path), name).toBe(true)
      expect(await readEvents(await opened(path))).toEqual(numbered(events(3)))
    }
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
