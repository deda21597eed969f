import { expect, it } from 'vitest'
import { About } from './read.ts'

const T = Date.UTC(2026, 8, 15)
const LISTED = { id: 'c', place: '/there', fingerprint: 'f' }
const about = (head: object) => new About(JSON.stringify(head))

it('reports when a conversation began and last changed, as far as that is known', () => {
  expect(about({ created_at: T, updated_at: T + 5 }).session(LISTED)).toMatchObject({
    id: 'c',
    fingerprint: 'f',
    started_at: T,
    last_at: T + 5,
  })
  expect(about({ created_at: T }).session(LISTED)).toMatchObject({ started_at: T, last_at: T })
  expect(about({}).session(LISTED)).toMatchObject({ started_at: null, last_at: null, title: null })
})

it('names the origin of a fork and the model that answered most', () => {
  const fork = about({ forked_from: { id: 'p' }, title: 'Tides', run_id: 'r', first_runtime: 'jarvis' })
  for (const model of ['small', 'large', 'large']) fork.answered(model)
  expect(fork.session(LISTED)).toMatchObject({
    parent_id: 'p',
    lineage: 'branch',
    title: 'Tides',
    model: 'large',
  })
  expect([fork.running, fork.first]).toEqual(['r', 'jarvis'])
})
