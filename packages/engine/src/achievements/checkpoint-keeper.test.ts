import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { success } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tempFolder } from './achievements.test-kit.ts'
import { CheckpointKeeper } from './checkpoint-keeper.ts'
import type { Scanner } from './scanner.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function lab() {
  const written: number[] = []
  const holds = { count: 0 }
  const scanner = {
    call: async () => {
      written.push(performance.now())
      return success(null)
    },
    hold: () => {
      holds.count += 1
      return () => {
        holds.count -= 1
      }
    },
  } as unknown as Scanner
  return {
    written,
    holds,
    keeper: new CheckpointKeeper(scanner, { scope: 'scope', database: '/state.db', file: '/nowhere/file' }),
  }
}

describe('checkpoint keeper', () => {
  it('keeps the worker until everything is in the file', async () => {
    const { keeper, holds } = lab()
    keeper.changed()
    keeper.changed()
    expect(holds.count).toBe(1)
    await keeper.ended()
    expect(holds.count).toBe(0)
    keeper.changed()
    await keeper.drop('another scope')
    expect(holds.count).toBe(0)
  })

  it('writes at the end of a scan that found something, and not otherwise', async () => {
    const { written, keeper } = lab()
    await keeper.ended()
    expect(written).toHaveLength(0)
    keeper.changed()
    await keeper.ended()
    expect(written).toHaveLength(1)
  })

  it('writes every thirty seconds during a long scan', async () => {
    const { written, keeper } = lab()
    const began = performance.now()
    for (let second = 0; second < 95; second += 1) {
      keeper.changed()
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(written.map((at) => Math.round((at - began) / 1_000))).toEqual([30, 60, 90])
  })

  it('does not write more often, and always writes the final state', async () => {
    const { written, keeper } = lab()
    for (let n = 0; n < 5; n += 1) {
      keeper.changed()
      await keeper.ended()
    }
    expect(written).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(written).toHaveLength(2)
    keeper.changed()
    await keeper.ended()
    await keeper.flush()
    expect(written).toHaveLength(3)
    await keeper.flush()
    expect(written).toHaveLength(3)
  })

  it('leaves no file after it was dropped, even during a write', async () => {
    const file = join(tempFolder(), 'scan_checkpoint.json')
    const written = Promise.withResolvers<void>()
    const call = async () => {
      await written.promise
      writeFileSync(file, '{}')
      return success(null)
    }
    const keeper = new CheckpointKeeper({ call, hold: () => () => undefined } as unknown as Scanner, {
      scope: 'scope',
      database: '',
      file,
    })
    keeper.changed()
    void keeper.ended()
    const dropped = keeper.drop('scope')
    written.resolve()
    await dropped
    expect(existsSync(file)).toBe(false)
  })
})
