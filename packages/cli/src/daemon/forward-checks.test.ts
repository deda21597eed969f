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

describe('the check of what is sent', () => {
  it('says what waits', () => {
    expect(forwardCheck(status(), NOW)).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/hub\.example: 1,200 events wait, about 340 KB, the oldest for 1m 30s/),
    })
    const nothing = { events: 0, bytes: 0, oldest_ts: null }
    expect(forwardCheck(status({ waiting: nothing }), NOW).detail).toBe('https://hub.example: nothing waits')
  })

  it('warns while the hub is away, and fails where only a person can help', () => {
    expect(forwardCheck(status({ problem: problem('unreachable') }), NOW)).toMatchObject({
      state: 'warning',
      cause: 'It does not answer',
      next: 'Look there.',
      detail: expect.stringContaining('nothing arrived for 2h'),
    })
    expect(forwardCheck(status({ problem: problem('token') }), NOW).state).toBe('failed')
  })

  it('says for a week what keeps events from the hub that are too large on the way, and how they get there', () => {
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

  it('says for a week that events went unsent', () => {
    const lost = (days: number) => status({ lost: 30, lost_at: NOW - days * 86_400_000 })
    expect(forwardCheck(lost(1), NOW)).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('30 events went before they could be sent'),
      next: expect.stringContaining('forward.max_waiting_mb'),
    })
    expect(forwardCheck(lost(8), NOW).state).toBe('ok')
  })

  it('says what keeps sessions from being sent', () => {
    const transcripts = { waiting: 2, sent: 7, problem: 'a.jsonl cannot be read' }
    expect(forwardCheck(status({ transcripts }), NOW)).toMatchObject({
      state: 'warning',
      cause: 'a.jsonl cannot be read',
    })
  })

  it('has the same figures for machines', () => {
    const values = Object.fromEntries(forwardGauges(status(), NOW).map(({ name, value }) => [name, value]))
    expect(values).toMatchObject({
      panoptes_forward_waiting_events: 1_200,
      panoptes_forward_oldest_seconds: 90,
      panoptes_forward_events_total: 5,
      panoptes_forward_sessions_total: 7,
    })
  })
})
