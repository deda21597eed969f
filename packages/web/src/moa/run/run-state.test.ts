import type { MoaRunPart } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { turn } from '../moa.test-kit.ts'
import { applyPart, buildRunRows, failRun, type RunState, startRun, stopRun } from './run-state.ts'

const asking = (...labels: string[]): MoaRunPart => ({
  type: 'asking',
  turn_id: 't',
  references: labels.map((label) => ({ label })),
})
const progress = (label: string, more: object = {}): MoaRunPart => ({
  type: 'progress',
  refs_done: 1,
  refs_total: 2,
  label,
  ...more,
})
const after = (parts: readonly (readonly [at: number, part: MoaRunPart])[]): RunState =>
  parts.reduce((state, [at, part]) => applyPart(state, part, at), startRun(0))

it('builds rows and text from reference, aggregator and text events', () => {
  const state = after([
    [10, asking('c:opus', 'c:haiku')],
    [300, progress('c:haiku', { at: 1, error: null })],
    [900, progress('c:opus', { at: 0, error: 'timeout' })],
    [910, { type: 'aggregating', aggregator: 'c:opus', ref_count: 1 }],
    [1_200, { type: 'text', text: 'No, ' }],
    [1_300, { type: 'text', text: 'wait.' }],
  ])
  expect(state.text).toBe('No, wait.')
  expect(buildRunRows(state, 2_000).map(({ letter, stretches }) => [letter, stretches[0]])).toEqual([
    ['A', { from: 10, first: null, to: 900, isRunning: false, error: 'timeout' }],
    ['B', { from: 10, first: null, to: 300, isRunning: false, error: null }],
    [null, { from: 910, first: 1_200, to: 2_000, isRunning: true, error: null }],
  ])
})

it('matches events to two references with the same label', () => {
  const state = after([
    [0, asking('c:small', 'c:small')],
    [100, progress('c:small')],
    [200, progress('c:small')],
  ])
  expect(buildRunRows(state, 900).map(({ stretches }) => stretches[0]?.to)).toEqual([100, 200])
})

it('ends as done, failed or stopped', () => {
  const end = after([[5, { type: 'end', turn: turn(), text: 'all' }]])
  expect(end).toMatchObject({ phase: 'done', endedAt: 5, text: 'all' })
  const failed = after([[5, { type: 'failed', turn: null, class: 'overloaded', message: 'busy' }]])
  expect(failed).toMatchObject({ phase: 'failed', problem: 'busy' })
  const aborted = after([[5, { type: 'failed', turn: null, class: 'aborted', message: 'stopped' }]])
  expect(aborted.phase).toBe('stopped')
  expect(failRun(startRun(0), 'gone', 3)).toMatchObject({ phase: 'failed', problem: 'gone' })
  const left = stopRun(after([[0, asking('c:a')]]), 400)
  expect(buildRunRows(left, 9_000)[0]?.stretches[0]).toMatchObject({
    to: 400,
    isRunning: false,
    error: 'aborted',
  })
})

it('limits the length of the answer', () => {
  const long = { type: 'text', text: 'x'.repeat(150_000) } as const
  expect(
    after([
      [1, long],
      [2, long],
    ]).text.length,
  ).toBe(200_000)
})
