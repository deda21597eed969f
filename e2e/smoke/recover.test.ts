import { describe, expect, it } from 'vitest'
import { makeHome } from '../command.ts'
import { startDaemon } from '../daemon.ts'
import { post, stored } from '../page-kit.ts'

const BATCHES = 8
const PER_BATCH = 250

describe('a daemon that is killed while events arrive', () => {
  it('has every acknowledged event once and in order after the next start', async () => {
    const home = await makeHome()
    try {
      const first = await startDaemon({ home })
      const acknowledged: string[] = []
      const sending = (async () => {
        for (let batch = 0; ; batch += 1) {
          const keys = Array.from({ length: PER_BATCH }, (_, n) => `k${batch * PER_BATCH + n}`)
          const events = keys.map((key) => ({
            key,
            event: 'tool_use',
            session_id: 's',
            id: key,
            tool: 'Bash',
          }))
          await post(first, events)
          acknowledged.push(...keys)
          if (batch + 1 === BATCHES) void first.kill()
        }
      })()
      await expect(sending).rejects.toThrow()
      await first.kill()
      expect(acknowledged.length).toBeGreaterThanOrEqual(BATCHES * PER_BATCH)

      const second = await startDaemon({ home })
      try {
        const keys: string[] = []
        for (let after = 0; ; ) {
          const { events } = await stored(second, `after=${after}&limit=1000`)
          for (const { key, seq } of events) {
            expect(seq).toBe(after + 1)
            after = seq
            keys.push(key)
          }
          if (events.length === 0) break
        }
        const told = keys.filter((key) => key.startsWith('k'))
        expect(new Set(told).size).toBe(told.length)
        expect(told.slice(0, acknowledged.length)).toEqual(acknowledged)
        expect(told.length).toBeLessThanOrEqual(acknowledged.length + PER_BATCH)
        expect((await second.request('/ready')).status).toBe(200)
      } finally {
        await second.stop()
      }
    } finally {
      await home.remove()
    }
  })
})
