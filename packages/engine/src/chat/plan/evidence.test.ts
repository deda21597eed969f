import type { ProgressStatus } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import type { RuntimeEvent } from '../runtimes/port.ts'
import { planEvidence } from './evidence.ts'
import { planByRules } from './rules.ts'

const call = (id: string, name: string, input: unknown, ...ends: readonly ProgressStatus[]): RuntimeEvent[] =>
  ['started' as const, ...ends].map((status) => ({
    type: 'progress',
    node_id: id,
    kind: 'tool',
    status,
    label: name,
    detail: { name, input },
  }))
const says = (delta: string): RuntimeEvent => ({ type: 'chunk', delta })
const ends = (outcome: 'completed' | 'cancelled' | 'length' = 'completed'): RuntimeEvent => ({
  type: 'end',
  outcome,
})

/** Returns the evidence a run gives for the steps of a message, as `step status`. */
function shown(message: string, ...events: readonly (RuntimeEvent | readonly RuntimeEvent[])[]) {
  const evidence = planEvidence(planByRules(message))
  return events
    .flat()
    .flatMap((event) => evidence.take(event))
    .map(({ node_id, status }) => `${node_id} ${status}`)
}

const MESSAGE = 'Read the crash log, then fix the parser, and finally tell me what was wrong.'
const READ = call('c1', 'read_file', { path: '/var/log/crash.log' }, 'completed')
const FIX = call('c2', 'Edit', { file_path: 'src/parser.ts' }, 'running', 'completed')

describe('plan evidence', () => {
  it('does not accept an answer alone as evidence, whatever its text', () => {
    expect(shown(MESSAGE, says('advice of ref-a'), ends())).toEqual([])
    expect(
      shown(MESSAGE, says('1. I read the crash log. 2. I fixed the parser. 3. It was wrong.'), ends()),
    ).toEqual([])
  })

  it('starts a step with its first call and completes it when the run moves on', () => {
    expect(shown(MESSAGE, READ)).toEqual(['t1 started'])
    expect(shown(MESSAGE, READ, FIX)).toEqual(['t1 started', 't2 started', 't1 completed'])
  })

  it('completes a final text step with the whole answer, once everything before it is done', () => {
    const whole = [READ, FIX, says('The parser lost the last line.')]
    const steps = ['t1 started', 't2 started', 't1 completed']
    expect(shown(MESSAGE, ...whole, ends())).toEqual([...steps, 't2 completed', 't3 completed'])
    expect(shown(MESSAGE, ...whole, ends('length'))).toEqual(steps)
    expect(shown(MESSAGE, ...whole, ends('cancelled'))).toEqual(steps)
    expect(shown(MESSAGE, READ, says('The parser lost the last line.'), ends())).toEqual([
      't1 started',
      't1 completed',
    ])
    expect(shown(MESSAGE, says('I will look.'), READ, FIX, ends())).toEqual([...steps, 't2 completed'])
  })

  it('ignores a failed call unless it is repeated', () => {
    const failed = call('c1', 'read_file', { path: 'crash.log' }, 'failed')
    expect(shown(MESSAGE, failed, ends())).toEqual(['t1 started', 't1 failed'])
    expect(
      shown(MESSAGE, failed, call('c3', 'read_file', { path: 'crash.1.log' }, 'completed'), ends()),
    ).toEqual(['t1 started', 't1 completed'])
  })

  it('ignores tools that cannot do the step or that work on something else', () => {
    expect(shown(MESSAGE, call('c1', 'read_file', { path: 'src/parser.ts' }, 'completed'), ends())).toEqual(
      [],
    )
    expect(shown(MESSAGE, call('c1', 'Edit', { file_path: 'README.md' }, 'completed'), ends())).toEqual([])
    expect(shown(MESSAGE, call('c1', 'read_file', { path: 'catalog.json' }, 'completed'), ends())).toEqual([])
  })

  it('waits for running calls, including those of an earlier step', () => {
    const [begins] = call('c1', 'read_file', { path: 'crash.log' })
    const late = call('c1', 'read_file', { path: 'crash.log' }, 'completed').slice(1)
    expect(shown(MESSAGE, begins ? [begins] : [], FIX, late, ends())).toEqual([
      't1 started',
      't2 started',
      't1 completed',
      't2 completed',
    ])
    expect(shown(MESSAGE, begins ? [begins] : [], ends())).toEqual(['t1 started'])
  })

  it('works in Chinese as well', () => {
    const message = '先读取订单日志，然后更新库存表，最后总结原因。'
    const reads = call('c1', 'read_file', { path: '订单日志.txt' }, 'completed')
    const writes = call('c2', 'write_file', { path: '库存.csv' }, 'completed')
    expect(shown(message, reads, writes, says('原因是时区。'), ends())).toEqual([
      't1 started',
      't2 started',
      't1 completed',
      't2 completed',
      't3 completed',
    ])
  })

  it('is left to a runtime that reports steps itself or has its own plan', () => {
    const own = { type: 'progress', node_id: 't1', kind: 'step', status: 'started', label: 'x' } as const
    expect(shown(MESSAGE, own, READ, FIX, ends())).toEqual([])
    expect(shown(MESSAGE, { ...own, node_id: 'own-plan', kind: 'plan' }, READ, FIX, ends())).toEqual([])
    expect(shown(MESSAGE, { ...own, node_id: 'start' }, READ)).toEqual(['t1 started'])
  })

  it('does not exist for a single step', () => {
    expect(shown('Read the crash log.', READ, says('Done.'), ends())).toEqual([])
  })
})
