import type { StoredEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { MemoryRows } from './memory-rows.ts'
import { rowKey } from './projection.ts'
import { sessionsProjection } from './sessions.ts'

const told = (host: string, seq: number) =>
  ({
    v: 1,
    key: `k${seq}`,
    seq,
    ts: seq,
    event: 'prompt',
    source: 'hermes',
    host,
    session_id: 's',
  }) as StoredEvent

describe('the computer of a session', () => {
  it('is the one it was first heard of from, whoever tells of it later', () => {
    const rows = new MemoryRows(sessionsProjection)
    sessionsProjection.apply(rows, told('desk', 1))
    sessionsProjection.apply(rows, told('hub', 2))
    expect(rows.get(rowKey('hermes', 's'))).toMatchObject({ host: 'desk', events: 2 })
  })

  it('is added to what was kept without one', () => {
    const rows = new MemoryRows(sessionsProjection)
    sessionsProjection.apply(rows, told('desk', 1))
    const { host: _host, ...kept } = rows.get(rowKey('hermes', 's')) ?? expect.fail('no session')
    rows.set(rowKey('hermes', 's'), kept)
    sessionsProjection.apply(rows, told('desk', 2))
    expect(rows.get(rowKey('hermes', 's'))).toMatchObject({ host: 'desk' })
  })
})
