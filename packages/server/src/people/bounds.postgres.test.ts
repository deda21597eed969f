import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from '../hub.test-kit.ts'

let kit: TestHub
beforeAll(async () => {
  kit = await startTestHub()
})
afterAll(() => kit.stop())

describe('a link to sign in on the hub’s own computer', () => {
  it.each(['viewer', 'member', 'admin'] as const)(
    'that is made up gives a %s nothing of the home',
    async (role) => {
      for (const space of ['main', 'other']) {
        const answer = await kit.request('/?link=made-up', await kit.token({ space, role }))
        expect([answer.status, answer.headers.get('location'), answer.headers.get('set-cookie')]).toEqual([
          303,
          '/',
          null,
        ])
      }
    },
  )

  it('still signs whoever has the home in', async () => {
    const answer = await kit.request('/?link=used', await kit.ownToken('full'))
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      303,
      expect.stringContaining('panoptes_'),
    ])
  })
})
