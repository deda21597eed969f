import { hostname } from 'node:os'
import type { Chat } from '@panoptes/engine/chat'
import { expect, it } from 'vitest'
import type { People } from '../auth/people.ts'
import { conversationRights } from './conversation-access.ts'

it("gives the token files of a hub's home a different owner on each machine", () => {
  const ofHome = { scope: 'full', via: 'bearer', role: 'admin', space: 'main', home: true } as const
  const { owner, visibleTo } = conversationRights({} as Chat, { people: {} as People }, ofHome)
  expect([owner, visibleTo]).toEqual([`home:${hostname()}`, `home:${hostname()}`])
  expect(conversationRights({} as Chat, { people: undefined }, ofHome).owner).toBeUndefined()
})
