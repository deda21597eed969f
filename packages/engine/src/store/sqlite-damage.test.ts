import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Failure, Result } from '@panoptes/schema'
import { beforeEach, describe, expect, it } from 'vitest'
import { events } from './conformance/event-kit.ts'
import { openSqliteStore } from './index.ts'
import { closing, createStore, lab, opened, refused } from './sqlite-faults.test-kit.ts'

let home = ''
let file = ''
beforeEach(() => {
  ;({ home, file } = lab())
})

describe('damaged store file', () => {
  const damage = (at: number, bytes: number) => {
    const content = readFileSync(file)
    content.fill(0xa5, at, at + bytes)
    writeFileSync(file, content)
  }

  it('is refused without changes when its header is gone', async () => {
    await createStore(100)
    damage(0, 100)
    const before = readFileSync(file)
    expect(await refused()).toMatchObject({ code: 'corrupt', message: expect.stringContaining(file) })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('causes a failure, never a crash, when pages in the middle are gone', async () => {
    await createStore(5_000)
    const size = statSync(file).size
    const page = 4_096
    damage(Math.floor(size / 3 / page) * page, Math.floor(size / 3 / page) * page)
    const results: Result<unknown>[] = []
    const result = await openSqliteStore(file)
    results.push(result)
    if (result.ok) {
      closing(result.value)
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

  it('is detected by the slow check', async () => {
    await createStore(5_000)
    damage(Math.floor(statSync(file).size / 2 / 4_096) * 4_096, 4_096)
    const store = await opened()
    const verified = await store.verify()
    if (verified.ok) expect(verified.value.length).toBeGreaterThan(0)
    else expect(verified.code).toBe('corrupt')
  })

  it('is not copied: the backup fails with a message and leaves no file', async () => {
    await createStore(5_000)
    damage(Math.floor(statSync(file).size / 2 / 4_096) * 4_096, 4_096)
    const store = await opened()
    const target = join(home, 'copies', 'copy.db')
    const copied = await store.backup(target)
    expect(copied).toMatchObject({ ok: false, code: 'corrupt', message: expect.stringContaining(target) })
    expect(copied.ok ? '' : copied.message).toContain(`${file} is damaged`)
    expect(readdirSync(join(home, 'copies'))).toEqual([])
  })

  it('fails to open or fails its check when it is truncated', async () => {
    await createStore(2_000)
    writeFileSync(file, readFileSync(file).subarray(0, 5_000))
    const result = await openSqliteStore(file)
    if (result.ok) closing(result.value)
    const checked = result.ok ? await result.value.verify() : result
    expect(checked).not.toEqual({ ok: true, value: [] })
  })

  it('is refused when it is not a database', async () => {
    writeFileSync(file, 'Dear diary, '.repeat(1_000))
    expect(await refused()).toMatchObject({ code: 'corrupt', message: expect.stringContaining(file) })
    expect(readFileSync(file, 'utf8')).toBe('Dear diary, '.repeat(1_000))
  })

  it('is refused and stays unchanged when it is a database of another program', async () => {
    const other = new DatabaseSync(file)
    other.exec("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
    other.close()
    const before = readFileSync(file)
    const failure = await refused()
    expect(failure).toMatchObject({ code: 'corrupt', message: expect.stringContaining(file) })
    expect(failure.message).toMatch(/another program/)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('is refused when it is a folder', async () => {
    mkdirSync(file)
    expect((await refused()).message).toContain(file)
  })
})
