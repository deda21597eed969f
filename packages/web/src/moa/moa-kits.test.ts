import { presetsReply, slotsReply, turnDiff, turnReply, turnsReply } from '@panoptes/schema'
import { expect, it } from 'vitest'
import * as kit from './moa.test-kit.ts'
import * as server from './moa-server.test-kit.ts'

it('builds only fake MoA replies that match the schemas of the server', () => {
  const replies = [
    [turnReply, kit.turnReply()],
    [turnReply, kit.turnReply(kit.crowdedTurn())],
    [turnsReply, { total: 8, turns: kit.turns(8) }],
    [presetsReply, kit.presetsReply()],
    [slotsReply, kit.slotsReply()],
    [turnDiff, server.turnDiff(kit.turn(), kit.turn({ id: 'other' }))],
  ] as const
  for (const [schema, reply] of replies) expect(schema.parse(reply)).toEqual(reply)
})
