import type { StoredEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { MemoryRows } from './memory-rows.ts'
import { rowKey } from './projection.ts'
import { sessionsProjection } from './sessions.ts'

const createEvent = (host: string, seq: number) =>
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

const follow = (...events: readonly (readonly [event: string, ts: number, fields?: object])[]) => {
  const rows = new MemoryRows(sessionsProjection)
  events.forEach(([event, ts, fields], n) => {
    sessionsProjection.apply(rows, { ...createEvent('desk', n + 1), event, ts, ...fields } as StoredEvent)
  })
  return rows.get(rowKey('hermes', 's'))
}

describe('session', () => {
  it('ends, and is active again when it is reopened', () => {
    const before = [
      ['session_start', 10, { cwd: '/work', project: 'work', title: 'first' }],
      ['session_end', 30],
    ] as const
    expect(follow(...before)).toMatchObject({ started_at: 10, last_at: 30, ended_at: 30, events: 2 })
    expect(follow(...before, ['session_start', 50, { title: 'second' }])).toMatchObject({
      started_at: 10,
      last_at: 50,
      ended_at: null,
      cwd: '/work',
      project: 'work',
      title: 'second',
    })
  })

  it('spans all its events, in whatever order they arrive', () => {
    expect(follow(['prompt', 20], ['prompt', 5], ['prompt', 10])).toMatchObject({
      started_at: 5,
      last_at: 20,
    })
  })
})

describe('host of a session', () => {
  it('is the one that first reported it, whichever reports later', () => {
    const rows = new MemoryRows(sessionsProjection)
    sessionsProjection.apply(rows, createEvent('desk', 1))
    sessionsProjection.apply(rows, createEvent('hub', 2))
    expect(rows.get(rowKey('hermes', 's'))).toMatchObject({ host: 'desk', events: 2 })
  })

  it('is added to a session that was stored without one', () => {
    const rows = new MemoryRows(sessionsProjection)
    sessionsProjection.apply(rows, createEvent('desk', 1))
    const { host: _host, ...hostless } = rows.get(rowKey('hermes', 's')) ?? expect.fail('no session')
    rows.set(rowKey('hermes', 's'), hostless)
    sessionsProjection.apply(rows, createEvent('desk', 2))
    expect(rows.get(rowKey('hermes', 's'))).toMatchObject({ host: 'desk' })
  })
})
