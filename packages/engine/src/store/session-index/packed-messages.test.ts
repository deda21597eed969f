import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packMessages, roleIn, unpacked } from './packed-messages.ts'

it('unpacks the messages of a session unchanged, whatever their times and agents', () => {
  const message = fc.record({
    id: fc.oneof(fc.string(), fc.constantFrom('],"', '\\],"', '"],"u')),
    agent_id: fc.constantFrom('main', 'a1', 'a2'),
    role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const, 'tool' as const),
    ts: fc.option(fc.integer({ min: 0, max: 4_102_444_800_000 })),
  })
  fc.assert(
    fc.property(fc.array(message), (messages) => {
      const doc = packMessages(messages)
      expect(unpacked(doc)).toEqual(messages)
      expect(messages.map((_, at) => roleIn(doc, at))).toEqual(messages.map(({ role }) => role))
    }),
  )
})
