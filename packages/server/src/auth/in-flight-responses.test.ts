import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { createInFlightResponses } from './in-flight-responses.ts'

function answer(headersSent: boolean) {
  const outgoing = Object.assign(new EventEmitter(), {
    headersSent,
    closed: false,
    isCut: false,
    destroy: () => {
      outgoing.isCut = true
      return outgoing
    },
  })
  return outgoing
}
type Outgoing = Parameters<ReturnType<typeof createInFlightResponses>['add']>[0]
const asOutgoing = (one: ReturnType<typeof answer>) => one as unknown as Outgoing

it('cuts responses whose caller lost access, but not others and not those that have not begun', async () => {
  let now = 0
  const underWay = createInFlightResponses(1_000, () => now)
  const [begun, allowed, fresh, ended] = [answer(true), answer(true), answer(false), answer(true)]
  underWay.add(asOutgoing(begun), () => false)
  underWay.add(asOutgoing(allowed), async () => true)
  underWay.add(asOutgoing(fresh), () => false)
  underWay.add(asOutgoing(ended), () => false)
  ended.emit('close')
  const look = async () => {
    underWay.recheck()
    await new Promise(setImmediate)
    return [begun, allowed, fresh, ended].map(({ isCut }) => isCut)
  }
  expect(await look()).toEqual([true, false, false, false])
  now = 1_000
  expect(await look()).toEqual([true, false, true, false])
})
