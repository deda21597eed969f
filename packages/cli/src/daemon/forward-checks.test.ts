import type { ForwardStatus } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { forwardCheck, forwardGauges } from './forward-checks.ts'

const NOW = 1_800_000_000_000
const status = (fields: Partial<ForwardStatus> = {}): ForwardStatus => ({
  to: 'https://hub.example',
  what: 'transcripts',
  state: 'idle',
  seq: 5,
  waiting: { events: 1_200, bytes: 340_000, oldest_ts: NOW - 90_000 },
  sent: {
    events: 5,
    bytes: 2_000,
    compressed_bytes: 300,
    events_per_second: 0,
    bytes_per_second: 0,
    last_at: NOW,
  },
  retries: 0,
  refused: 0,
  refused_why: null,
  lost: 0,
  lost_at: null,
  problem: null,
  transcripts: { waiting: 2, sent: 7, problem: null },
  ...fields,
})
const problem = (kind: 'token' | 'unreachable') => ({
  kind,
  message: 'It does not answer',
  next: 'Look there.',
  at: NOW,
  since: NOW - 7_200_000,
})

describe('the doctor check of forwarding', () => {
  it('shows how many events wait', () => {
    expect(forwardCheck(status(), NOW)).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(
        /hub\.example: 1,200 events are waiting, about 340 KB, the oldest for 1m 30s/,
      ),
    })
    const nothing = { events: 0, bytes: 0, oldest_ts: null }
    expect(forwardCheck(status({ waiting: nothing }), NOW).detail).toBe(
      'https://hub.example: nothing is waiting',
    )
  })

  it('warns while the hub is unreachable, and fails if a person must act', () => {
    expect(forwardCheck(status({ problem: problem('unreachable') }), NOW)).toMatchObject({
      state: 'warning',
      cause: 'It does not answer',
      next: 'Look there.',
      detail: expect.stringContaining('nothing was delivered for 2h'),
    })
    expect(forwardCheck(status({ problem: problem('token') }), NOW).state).toBe('failed')
  })

  it('warns for a week about events that were too large for a proxy, and says how to resend them', () => {
    const why = { message: 'Something before the hub takes no bodies of this size', next: 'Mend it.' }
    const refused = (days: number) =>
      status({ refused: 3, refused_why: { ...why, at: NOW - days * 86_400_000 } })
    expect(forwardCheck(refused(1), NOW)).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining(`3 refused (the last: ${why.message})`),
      cause: why.message,
      next: expect.stringMatching(/^Mend it\. .*--from-start/),
    })
    expect(forwardCheck(refused(8), NOW).state).toBe('ok')
  })

  it('warns for a week about events that were dropped before they were sent', () => {
    const lost = (days: number) => status({ lost: 30, lost_at: NOW - days * 86_400_000 })
    expect(forwardCheck(lost(1), NOW)).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('30 events were dropped before they could be sent'),
      next: expect.stringContaining('forward.max_waiting_mb'),
    })
    expect(forwardCheck(lost(8), NOW).state).toBe('ok')
    expect(forwardCheck({ ...lost(1), lost: 1 }, NOW).detail).toContain('; 1 event was dropped before')
  })

  it('warns about sessions that cannot be sent', () => {
    const transcripts = { waiting: 2, sent: 7, problem: 'a.jsonl cannot be read' }
    expect(forwardCheck(status({ transcripts }), NOW)).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('; 2 sessions are waiting'),
      cause: 'a.jsonl cannot be read',
    })
    const one = status({ transcripts: { ...transcripts, waiting: 1 } })
    expect(forwardCheck(one, NOW).detail).toContain('; 1 session is waiting')
  })

  it('exports the same numbers as Prometheus gauges', () => {
    const values = Object.fromEntries(forwardGauges(status(), NOW).map(({ name, value }) => [name, value]))
    expect(values).toMatchObject({
      panoptes_forward_waiting_events: 1_200,
      panoptes_forward_oldest_seconds: 90,
      panoptes_forward_events_total: 5,
      panoptes_forward_sessions_total: 7,
    })
  })
})
