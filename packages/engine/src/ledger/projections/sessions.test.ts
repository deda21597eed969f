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

const follow = (...events: readonly (readonly [event: string, ts: number, fields?: object])[]) => {
  const rows = new MemoryRows(sessionsProjection)
  events.forEach(([event, ts, fields], n) => {
    sessionsProjection.apply(rows, { ...told('desk', n + 1), event, ts, ...fields } as StoredEvent)
  })
  return rows.get(rowKey('hermes', 's'))
}

describe('a session', () => {
  it('ends, and is no longer over when it is opened again', () => {
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

  it('spans all that is told of it, in whatever order', () => {
    expect(follow(['prompt', 20], ['prompt', 5], ['prompt', 10])).toMatchObject({
      started_at: 5,
      last_at: 20,
    })
  })
})

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
