import type { SessionSummary, TaskGraph } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { done, metadata, progress, wholeRun } from '../chat.test-kit.ts'
import { starterQuestions } from '../start/start.tsx'
import { addEvents } from '../state/run-view.ts'
import { announcementText } from '../thread/announcer.tsx'
import { planView } from './plan.tsx'
import { sumSections } from './sent-context-view.ts'

const plan: TaskGraph = {
  decision: 'parallel',
  worthiness: 2,
  reasons: [],
  nodes: ['s1', 's2', 's3'].map((id) => ({ id, label: id, work: 1 })),
  edges: [],
}
const step = (seq: number, id: string, status: string) => progress(seq, id, { kind: 'step', status })
const states = (...events: Parameters<typeof addEvents>[1]) => {
  const view = planView(plan, addEvents(null, [metadata(1), ...events]))
  return { ...view, steps: view.steps.map(({ state }) => state) }
}

it('shows the progress of each step of a plan', () => {
  expect(states(step(2, 's1', 'started'), step(3, 's2', 'started'), step(4, 's1', 'completed'))).toEqual({
    steps: ['completed', 'started', 'open'],
    done: 1,
    isTold: true,
  })
  expect(states().isTold).toBe(false)
})

it('marks the running step as waiting while the runtime asks a question', () => {
  const ask = progress(3, 'q', { kind: 'approval', status: 'started', request_id: 'q', choices: ['once'] })
  expect(states(step(2, 's1', 'running'), ask).steps).toEqual(['waiting', 'open', 'open'])
})

it('marks no step as waiting after the run is over', () => {
  const ask = progress(3, 'q', { kind: 'approval', status: 'started', request_id: 'q', choices: ['once'] })
  const steps = states(step(2, 's1', 'running'), ask, done(4, 'cancelled')).steps
  expect(steps).toEqual(['skipped', 'open', 'open'])
})

it('marks a step without an end as skipped when the run is over', () => {
  expect(states(step(2, 's1', 'running'), done(3)).steps).toEqual(['skipped', 'open', 'open'])
})

it('reports no progress when the run reported no steps', () => {
  expect(states(done(2))).toEqual({ steps: ['open', 'open', 'open'], done: 0, isTold: false })
})

it('marks a step of a sequential plan as done only with evidence', () => {
  const sequential: TaskGraph = { ...plan, decision: 'sequential' }
  const viewOf = (detail: unknown, parent_id = 'plan') => {
    const event = progress(2, 's1', { kind: 'step', status: 'completed', parent_id, detail })
    return planView(sequential, addEvents(null, [metadata(1), event, done(3)]))
  }
  expect(viewOf({ evidence: ['tool-1'] })).toMatchObject({ done: 1, isTold: true })
  expect(viewOf(undefined, 'own-plan')).toMatchObject({ done: 1, isTold: true })
  expect(viewOf(undefined)).toMatchObject({ done: 0, isTold: false })
})

it('sums the sent tokens and the left-out items of all sections', () => {
  const section = { key: 'a', title: 'A', chars: 0, items: 0, truncated: false }
  const sums = sumSections([
    { ...section, status: 'ok', tokens: 40, left_out: 3 },
    { ...section, status: 'unavailable', tokens: 0, left_out: 0 },
    { ...section, status: 'ok', tokens: 2, left_out: 1 },
    { ...section, status: 'absent', tokens: 0, left_out: 0 },
  ])
  expect(sums).toEqual({ tokens: 42, leftOut: 4, unavailable: 1, most: 40 })
})

it('suggests questions about the most recent projects', () => {
  const session = (project: string | null, last_at: number) => ({ project, last_at }) as SessionSummary
  const three = starterQuestions([
    session('old', 1),
    session('atlas', 3),
    session(null, 4),
    session('docs', 2),
  ])
  expect(three.map((text) => ['atlas', 'docs', 'old'].find((one) => text.includes(one)))).toEqual([
    'atlas',
    'docs',
    'old',
  ])
  expect(starterQuestions([]).length).toBe(3)
})

it('announces the start, questions and end of a run to screen readers, but no chunks', () => {
  const events = wholeRun()
  const at = (n: number) => announcementText(addEvents(null, events.slice(0, n)), 'Jarvis')
  expect(at(1)).toBe('Jarvis is answering.')
  expect(at(3)).toBe(at(1))
  expect(at(5)).toBe('Jarvis asks: ask')
  expect(at(8)).toBe(at(1))
  expect(at(9)).toBe('Jarvis: First second.')
  expect(announcementText(null, 'Jarvis')).toBe('')
})
