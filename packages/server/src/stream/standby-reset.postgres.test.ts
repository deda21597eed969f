import { openStore, spaceSchema } from '@panoptes/engine/store'
import { standbyOf } from '@panoptes/engine/testing/standby'
import type { NewEvent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { startTestHub } from '../hub.test-kit.ts'
import { unwrap } from '../server.test-kit.ts'

const event = (key: string): NewEvent => ({
  v: 1,
  key,
  ts: 1_000,
  event: 'session_start',
  source: 'custom',
  host: 'studio',
  session_id: key,
})

it('disconnects clients that saw events which a standby lacks, even without new events', async () => {
  const kit = await startTestHub({ spaces: ['main'] })
  try {
    const store = kit.store('main')
    const secret = await kit.token({ space: 'main' })
    unwrap(await store.append(['a', 'b', 'c'].map(event)))
    const standby = await standbyOf(kit.database.url, spaceSchema('main'))
    const before = await kit.stream(secret)
    unwrap(await store.append(['d', 'e'].map(event)))
    await before.reached(5)
    await standby.takeOver()
    expect(await before.closed).toEqual({ code: 1012, reason: 'the log went back' })
    const after = await kit.stream(secret)
    await after.until(([snapshot]) => snapshot?.seq === 3)
    unwrap(await store.append(['f', 'g'].map(event)))
    await after.reached(5)
    expect(after.seqs()).toEqual([4, 5])
    await standby.close()
  } finally {
    await kit.stop()
  }
})

it('disconnects them also if others have stored more events meanwhile, and continues after the last one', async () => {
  const kit = await startTestHub({ spaces: ['main'] })
  try {
    const store = kit.store('main')
    const other = unwrap(await openStore({ kind: 'postgres', url: kit.database.url, space: 'main' }))
    unwrap(await other.append([], { warm: '1' }))
    const secret = await kit.token({ space: 'main' })
    unwrap(await store.append(['a', 'b', 'c'].map(event)))
    const standby = await standbyOf(kit.database.url, spaceSchema('main'))
    const before = await kit.stream(secret)
    await before.until(([snapshot]) => snapshot?.seq === 3)
    for (const [at, key] of ['d', 'e'].entries()) {
      unwrap(await store.append([event(key)]))
      await before.reached(4 + at)
    }
    await standby.takeOver(async () => {
      unwrap(await other.append(['f', 'g', 'h', 'i'].map(event)))
    })
    expect(await before.closed).toEqual({ code: 1012, reason: 'the log went back' })
    const after = await kit.stream(secret)
    await after.until(([snapshot]) => snapshot?.seq === 7)
    unwrap(await store.append([event('j')]))
    await after.reached(8)
    expect(after.seqs()).toEqual([8])
    await Promise.all([standby.close(), other.close()])
  } finally {
    await kit.stop()
  }
})
