import { expect, it } from 'vitest'
import { nothing } from './agents.ts'

it('names what was asked for when nobody is there', () => {
  expect(nothing({ session: 'nosuch' })[0]).toBe('There is no session nosuch')
  expect(nothing({ session: 's1', state: 'stuck' })[0]).toBe('No agent in these states is in session s1')
  expect(nothing({ state: 'stuck' })[0]).toBe('No agent is in these states')
  expect(nothing({})[0]).toBe('No agents yet')
})
