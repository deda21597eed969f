import { hostname } from 'node:os'
import type { Chat } from '@panoptes/engine/chat'
import { expect, it } from 'vitest'
import type { People } from '../people/people.ts'
import { rightsOf } from './whose.ts'

it('whoever has the home of a hub is another person on each machine', () => {
  const ofHome = { scope: 'full', via: 'bearer', role: 'admin', space: 'main', home: true } as const
  const { owner, visibleTo } = rightsOf({} as Chat, { people: {} as People }, ofHome)
  expect([owner, visibleTo]).toEqual([`home:${hostname()}`, `home:${hostname()}`])
  expect(rightsOf({} as Chat, { people: undefined }, ofHome).owner).toBeUndefined()
})
