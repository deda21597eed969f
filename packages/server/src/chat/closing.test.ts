import { expect, it } from 'vitest'
import { isChunk, pausing, reading, startChatServer } from './chat-server.test-kit.ts'

it('ends every stream with a final event when the server closes during an answer', async () => {
  const served = await startChatServer()
  served.script(pausing('half', '').script)
  const paths = [await served.begin(), await served.begin()]
  const streams = await Promise.all(
    paths.map(async (path) => reading(await served.send('POST', `${path}/chat`, { message: '?' }))),
  )
  await Promise.all(streams.map((stream) => stream.until(isChunk)))
  const began = performance.now()
  const stopped = Promise.all([served.chat.close(), served.server.close()])
  for (const stream of streams) {
    const last = (await stream.rest()).at(-1)
    expect([last?.event, JSON.parse(last?.data ?? '{}')]).toMatchObject(['done', { outcome: 'cancelled' }])
  }
  await stopped
  expect(performance.now() - began).toBeLessThan(5_000)
  await served.stop()
})

it('refuses a message during the shutdown', async () => {
  const served = await startChatServer()
  const path = await served.begin()
  await served.chat.close()
  const answer = await served.send('POST', `${path}/chat`, { message: '?' })
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'closed' }])
  await served.stop()
})
