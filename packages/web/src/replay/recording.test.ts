import type { Recording } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { agent, main, NOW, session } from '../live/agents.test-kit.ts'
import { createRecordingSource, frameAt, readRecording } from './recording.ts'

const event = (seq: number, ts: number) => ({
  v: 1 as const,
  key: `k${seq}`,
  seq,
  ts,
  event: 'tool_use',
  source: 'claude-code',
  host: 'h',
  session_id: 's1',
  agent_id: 'a1',
  tool: 'Bash',
})

const recording: Recording = {
  version: 1,
  from: NOW,
  to: NOW + 20_000,
  sessions: [session()],
  timeline: { from: NOW, to: NOW + 20_000, slices: [], marks: [], marks_left_out: 0 },
  events: [event(1, NOW + 1_000), event(2, NOW + 12_000)],
  checkpoints: [
    { ts: NOW, agents: [main()] },
    { ts: NOW + 10_000, agents: [main(), agent({ tool_counts: { Bash: 1 } })] },
  ],
}

describe('a recording', () => {
  it('is read only from valid JSON of version 1', () => {
    expect(readRecording(JSON.stringify(recording))).toEqual(recording)
    expect(readRecording('{"version":2}')).toBeNull()
    expect(readRecording('')).toBeNull()
  })

  it('returns the last frame up to a moment, or the first frame before it', () => {
    const ids = (at: number) => frameAt(recording, at).agents.map((one) => one.id)
    expect([NOW - 1, NOW, NOW + 9_999, NOW + 10_000, NOW + 99_000].map(ids)).toEqual([
      ['main'],
      ['main'],
      ['main'],
      ['main', 'a1'],
      ['main', 'a1'],
    ])
  })

  it('steps from event to event', async () => {
    const source = createRecordingSource(recording)
    expect(await source.step(NOW, 1)).toBe(NOW + 1_000)
    expect(await source.step(NOW + 12_000, -1)).toBe(NOW + 1_000)
    expect(await source.step(NOW + 12_000, 1)).toBeNull()
  })

  it('returns the tool calls and latest events of an agent at a moment', async () => {
    const source = createRecordingSource(recording)
    const ref = { source: 'claude-code', session_id: 's1', id: 'a1' }
    const detail = await source.detail(ref, NOW + 10_500)
    expect(detail?.tools).toEqual([{ tool: 'Bash', calls: 1, errors: 0, p95_ms: null }])
    expect(detail?.latest.map((one) => one.seq)).toEqual([1])
    expect(detail?.path).toEqual(['main', 'a1'])
    expect(await source.detail(ref, NOW)).toBeNull()
  })
})
