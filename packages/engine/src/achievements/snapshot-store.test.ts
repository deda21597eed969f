import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from './achievements.test-kit.ts'
import { nothingYet } from './snapshot.ts'
import { SnapshotStore } from './snapshot-store.ts'

const at = (seconds: number) => ({ ...nothingYet('hermes', 'UTC'), generated_at: seconds })

describe('snapshot store', () => {
  it('keeps the newest snapshot in memory and in the file', () => {
    const file = join(tempFolder(), 'a', 'scan_snapshot.json')
    const store = new SnapshotStore(file)
    expect(store.get()).toBeUndefined()
    store.set(at(5))
    expect(store.get()).toEqual(at(5))
    expect(new SnapshotStore(file).get()).toEqual(at(5))
    store.clear()
    expect(store.get()).toBeUndefined()
  })

  it('removes secrets that an older version wrote into the file', () => {
    const file = join(tempFolder(), 'scan_snapshot_all.json')
    const secret = `ghp_${'aB3dE5gH7jK9mN1pQ2rS'}`
    const older = { ...at(5), error: `cannot read ${secret}` }
    writeFileSync(file, JSON.stringify(older))
    const clean = { ...at(5), error: 'cannot read [redacted:github-token]' }
    expect(new SnapshotStore(file).get()).toEqual(clean)
    expect(readFileSync(file, 'utf8')).not.toContain(secret)
  })

  it('is stale if the snapshot is too old, from the future, or missing', () => {
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

  it('ignores a file with other content', () => {
    const file = join(tempFolder(), 'scan_snapshot.json')
    for (const text of ['', '{', '{"achievements": []}', '[]', 'null']) {
      writeFileSync(file, text)
      expect(new SnapshotStore(file).get()).toBeUndefined()
    }
  })
})
