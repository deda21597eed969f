import type { ProgressEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { parseQuestion } from './approval.ts'
import { progressLine } from './show.ts'

const step = (fields: Partial<ProgressEvent>): ProgressEvent => ({
  v: 1,
  seq: 2,
  ts: 1,
  conversation_id: 'c',
  run_id: 'r',
  runtime: 'jarvis',
  node_id: 'n',
  kind: 'tool',
  status: 'started',
  label: 'Read a file',
  ...fields,
})

describe('progress lines in the terminal', () => {
  it('show steps that start, fail or take long, without control characters', () => {
    expect(progressLine(step({}))).toBe('· Read a file')
    expect(progressLine(step({ status: 'failed', label: 'Read\u001b[2J\na file' }))).toBe('✗ Read [2J a file')
    expect(progressLine(step({ status: 'completed', elapsed_ms: 40 }))).toBeNull()
    expect(progressLine(step({ status: 'completed', elapsed_ms: 4_000 }))).toBe('✓ Read a file (4 s)')
    expect(progressLine(step({ kind: 'reasoning', status: 'started' }))).toBe('Thinking …')
    expect(progressLine(step({ kind: 'reasoning', status: 'running' }))).toBeNull()
    expect(progressLine(step({ kind: 'usage', status: 'completed' }))).toBeNull()
  })

  it('show the context of a message, unavailable sources and plans of several steps', () => {
    const sections = [
      { title: 'About you', status: 'ok', tokens: 12 },
      { title: 'Recalled memory', status: 'unavailable', tokens: 0 },
      { title: 'Your notes', status: 'absent', tokens: 0 },
    ]
    const context = (detail: object) => progressLine(step({ kind: 'context', status: 'completed', detail }))
    expect(context({ sections, skills: [{}, {}] })).toBe(
      'Context: About you, 2 skills, without Recalled memory',
    )
    expect(context({ sections: [], skills: [] })).toBeNull()
    const plan = (detail: object) => progressLine(step({ kind: 'plan', status: 'completed', detail }))
    expect(plan({ decision: 'parallel', nodes: [{}, {}, {}] })).toBe('Plan: 3 steps, in parallel')
    expect(plan({ decision: 'sequential', nodes: [{}] })).toBeNull()
  })
})

describe('a question of a runtime', () => {
  it('is returned with its details only while it is open', () => {
    const detail = { request_id: 'q', choices: ['once', 'deny'], expires_at: 9, input: { text: 'tea' } }
    const asked = step({
      kind: 'approval',
      detail,
      request_id: 'q',
      choices: ['once', 'deny'],
      label: 'Keep it?',
    })
    expect(parseQuestion(asked)).toMatchObject({ request: 'q', label: 'Keep it?', choices: ['once', 'deny'] })
    expect(parseQuestion(asked)?.about).toEqual(['text: tea'])
    expect(parseQuestion({ ...asked, status: 'completed' })).toBeNull()
    expect(parseQuestion(step({}))).toBeNull()
  })
})
