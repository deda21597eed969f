import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from './achievements.test-kit.ts'
import { nothingYet } from './snapshot.ts'
import { SnapshotStore } from './snapshot-store.ts'

const at = (seconds: number) => ({ ...nothingYet('hermes', 'UTC'), generated_at: seconds })

describe('the newest snapshot', () => {
  it('is in memory and in the file', () => {
    const file = join(tempFolder(), 'a', 'scan_snapshot.json')
    const store = new SnapshotStore(file)
    expect(store.get()).toBeUndefined()
    store.set(at(5))
    expect(store.get()).toEqual(at(5))
    expect(new SnapshotStore(file).get()).toEqual(at(5))
    store.clear()
    expect(store.get()).toBeUndefined()
  })

  it('is stale when it is older than its time, from the future, or not there', () => {
    let now = 1_000_000
    const store = new SnapshotStore(undefined, () => now)
    expect(store.isStale(120)).toBe(true)
    expect(store.ageSeconds()).toBeUndefined()
    store.set(at(1_000))
    expect([store.isStale(120), store.ageSeconds()]).toEqual([false, 0])
    now += 120_000
    expect([store.isStale(120), store.ageSeconds()]).toEqual([false, 120])
    now += 1
    expect(store.isStale(120)).toBe(true)
    now = 1_000
    expect([store.isStale(120), store.ageSeconds()]).toEqual([true, 0])
  })

  it('is none where the file holds something else', () => {
    const file = join(tempFolder(), 'scan_snapshot.json')
    for (const text of ['', '{', '{"achievements": []}', '[]', 'null']) {
      writeFileSync(file, text)
      expect(new SnapshotStore(file).get()).toBeUndefined()
    }
  })
})
