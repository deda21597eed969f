import type { EventStore } from '@panoptes/engine/store'
import type { StoredEvent } from '@panoptes/schema'
import { expect, it, onTestFinished, vi } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { openScene } from './live.test-kit.ts'
import { createHeldWaits } from './notify.ts'

it('notifies with the last event of the second in which a wait began', async () => {
  const scene = await openScene()
  const tell = vi.fn((_wait: StoredEvent) => true)
  const waits = createHeldWaits({ store: scene.store, now: () => 9_000, holdMs: 0, everyMs: 1, tell })
  onTestFinished(async () => {
    await waits.stop()
    await scene.end()
  })
  const wait = (ts: number, reason: string) => ({ agent_id: 'main', call: 'toolu_1', reason, ts })
  const words = [wait(1_000, 'asks'), wait(2_000, 'asks: which colour?'), wait(2_001, 'still asks')]
  for (const { ts, ...fields } of words) await scene.tell(ts, 'agent_wait', fields)
  const { rows } = unwrap(await scene.store.read({ after: 0, limit: 10 }))
  for (const { json } of rows) waits.see(JSON.parse(json) as StoredEvent)
  await vi.waitFor(() => expect(tell).toHaveBeenCalled(), { timeout: 30_000 })
  expect(tell.mock.calls.map(([event]) => event.reason)).toEqual(['asks: which colour?'])
})

it('keeps a wait that begins while the open waits are being read', async () => {
  const scene = await openScene()
  const [reading, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const agents: EventStore['agents'] = async (query) => {
    const found = await scene.store.agents(query)
    reading.resolve()
    await release.promise
    return found
  }
  const tell = vi.fn(() => true)
  const waits = createHeldWaits({ store: { agents }, now: () => 2_000, holdMs: 0, everyMs: 1, tell })
  onTestFinished(async () => {
    await waits.stop()
    await scene.end()
  })
  const appendWait = async (ts: number, reason: string): Promise<StoredEvent> => {
    await scene.tell(ts, 'agent_wait', { agent_id: 'main', reason })
    const { rows } = unwrap(await scene.store.read({ before: Number.MAX_SAFE_INTEGER, limit: 1 }))
    return JSON.parse(rows[0]?.json ?? '')
  }
  const first = await appendWait(1_000, 'first')
  await scene.tell(1_001, 'prompt', { agent_id: 'main' })
  waits.see(first)
  await reading.promise
  const second = await appendWait(1_002, 'second')
  waits.see(second)
  release.resolve()
  await vi.waitFor(() => expect(tell).toHaveBeenCalledWith(second), { timeout: 30_000 })
  expect(tell).toHaveBeenCalledOnce()
})
