import type { SessionSummary, TaskGraph } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { done, metadata, progress, wholeRun } from '../chat.test-kit.ts'
import { startersOf } from '../start/projects.ts'
import { withEvents } from '../state/run-view.ts'
import { announced } from '../thread/announcer.tsx'
import { planView } from './plan-view.ts'
import { sumsOf } from './sent-view.ts'

const plan: TaskGraph = {
  decision: 'parallel',
  worthiness: 2,
  reasons: [],
  nodes: ['s1', 's2', 's3'].map((id) => ({ id, label: id, work: 1 })),
  edges: [],
}
const step = (seq: number, id: string, status: string) => progress(seq, id, { kind: 'step', status })
const states = (...events: Parameters<typeof withEvents>[1]) => {
  const view = planView(plan, withEvents(null, [metadata(1), ...events]))
  return { ...view, steps: view.steps.map(({ state }) => state) }
}

it('says of each step of a plan how far it is', () => {
  expect(states(step(2, 's1', 'started'), step(3, 's2', 'started'), step(4, 's1', 'completed'))).toEqual({
    steps: ['completed', 'started', 'open'],
    done: 1,
    isTold: true,
  })
  expect(states().isTold).toBe(false)
})

it('has the step that is under way wait for whoever is asked', () => {
  const ask = progress(3, 'q', { kind: 'approval', status: 'started', request_id: 'q', choices: ['once'] })
  expect(states(step(2, 's1', 'running'), ask).steps).toEqual(['waiting', 'open', 'open'])
})

it('has no step wait for an answer any more once its run is over', () => {
  const ask = progress(3, 'q', { kind: 'approval', status: 'started', request_id: 'q', choices: ['once'] })
  const steps = states(step(2, 's1', 'running'), ask, done(4, 'cancelled')).steps
  expect(steps).toEqual(['skipped', 'open', 'open'])
})

it('takes a step that never ended for left out when its run is over', () => {
  expect(states(step(2, 's1', 'running'), done(3)).steps).toEqual(['skipped', 'open', 'open'])
})

it('takes the steps of Jarvis, who tells of none, for done with its answer, and those of nobody else', () => {
  expect(states(done(2))).toEqual({ steps: ['completed', 'completed', 'completed'], done: 3, isTold: true })
  expect(states(done(2, 'cancelled')).isTold).toBe(false)
  const other = withEvents(null, [
    metadata(1, { runtime: 'hermes' }),
    { ...done(2), data: { ...done(2).data, runtime: 'hermes' } } as ReturnType<typeof done>,
  ])
  expect(planView(plan, other).isTold).toBe(false)
})

it('adds up what was sent and what was left out', () => {
  const section = { key: 'a', title: 'A', chars: 0, items: 0, truncated: false }
  const sums = sumsOf([
    { ...section, status: 'ok', tokens: 40, left_out: 3 },
    { ...section, status: 'unavailable', tokens: 0, left_out: 0 },
    { ...section, status: 'ok', tokens: 2, left_out: 1 },
    { ...section, status: 'absent', tokens: 0, left_out: 0 },
  ])
  expect(sums).toEqual({ tokens: 42, leftOut: 4, unavailable: 1, most: 40 })
})

it('offers questions about the projects that were worked on last', () => {
  const session = (project: string | null, last_at: number) => ({ project, last_at }) as SessionSummary
  const three = startersOf([session('old', 1), session('atlas', 3), session(null, 4), session('docs', 2)])
  expect(three.map((text) => ['atlas', 'docs', 'old'].find((one) => text.includes(one)))).toEqual([
    'atlas',
    'docs',
    'old',
  ])
  expect(startersOf([]).length).toBe(3)
})

it('tells a screen reader of beginnings, questions and ends, not of each piece', () => {
  const events = wholeRun()
  const at = (n: number) => announced(withEvents(null, events.slice(0, n)), 'Jarvis')
  expect(at(1)).toBe('Jarvis is answering.')
  expect(at(3)).toBe(at(1))
  expect(at(5)).toBe('Jarvis asks: ask')
  expect(at(8)).toBe(at(1))
  expect(at(9)).toBe('Jarvis: First second.')
  expect(announced(null, 'Jarvis')).toBe('')
})
