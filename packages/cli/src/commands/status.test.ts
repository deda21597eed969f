import type { ForwardStatus } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { forwardRows } from './status.ts'

const forward = (count: number): ForwardStatus => ({
  to: 'https://hub.example',
  what: 'transcripts',
  state: 'idle',
  seq: count,
  waiting: { events: 0, bytes: 0, oldest_ts: null },
  sent: {
    events: count,
    bytes: 2_000,
    compressed_bytes: 300,
    events_per_second: 0,
    bytes_per_second: 0,
    last_at: 1,
  },
  retries: 0,
  refused: 0,
  refused_why: null,
  lost: 0,
  lost_at: null,
  problem: null,
  transcripts: { waiting: 1, sent: count, problem: null },
})

it('counts forwarded events and transcripts in the singular and plural', () => {
  const rows = (count: number) => Object.fromEntries(forwardRows(forward(count), 2))
  expect(rows(1)).toEqual({
    'forwards to': 'https://hub.example (transcripts): nothing is waiting',
    sent: '1 event in 300 bytes, 300 bytes each; 0 events and 0 bytes per second now',
    sessions: '1 transcript sent, 1 waiting',
  })
  expect(rows(2)).toMatchObject({
    sent: expect.stringContaining('2 events in 300 bytes, 150 bytes each'),
    sessions: '2 transcripts sent, 1 waiting',
  })
})
