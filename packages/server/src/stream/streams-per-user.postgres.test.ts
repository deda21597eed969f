import { expect, it } from 'vitest'
import { startTestHub } from '../hub.test-kit.ts'
import { askRaw } from '../server.test-kit.ts'
import { STREAM_LIMITS } from './stream.ts'

it('limits the streams of one team member and leaves the rest to others', async () => {
  const kit = await startTestHub({ spaces: ['main'], limits: { stream: { ...STREAM_LIMITS, each: 2 } } })
  try {
    const [greedy, other] = [await kit.token({ space: 'main' }), await kit.token({ space: 'main' })]
    const first = await kit.stream(greedy)
    const second = await kit.stream(greedy)
    const asked = async (secret: string) =>
      (
        await askRaw(kit.port, {
          path: '/stream',
          upgrade: true,
          headers: { authorization: `Bearer ${secret}` },
        })
      ).status
    expect(await asked(greedy)).toBe(503)
    expect(await asked(other)).toBe(101)
    first.ws.close()
    await expect.poll(() => asked(greedy)).toBe(101)
    second.ws.close()
  } finally {
    await kit.stop()
  }
})
