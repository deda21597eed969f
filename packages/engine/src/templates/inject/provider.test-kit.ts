import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ProviderMessage } from './as-text.ts'

/**
 * A provider on loopback that checks only the order of roles, in a way of its own: roles become
 * letters that must match a pattern. Anything else is rejected with 400.
 */
export async function startProvider(): Promise<(path: string, body: unknown) => Promise<number>> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { messages } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      messages: readonly ProviderMessage[]
    }
    const order = request.url === '/v1/messages' ? anthropicOrder(messages) : openaiOrder(messages)
    response.writeHead(order ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(order ? { ok: true } : { error: { message: 'bad order of roles' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return async (path, body) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    await reply.text()
    return reply.status
  }
}

/** A message with two calls is `2` and must be followed by two results, `tt`. */
function openaiOrder(messages: readonly ProviderMessage[]): boolean {
  const letters = messages.map(({ role, tool_calls }) =>
    role === 'assistant' && Array.isArray(tool_calls) ? String(tool_calls.length) : String(role)[0],
  )
  return /^[sd]*(?:u|a|1t|2tt|3ttt)*$/.test(letters.join(''))
}

/** Texts are `w`, calls `c`, results `r`: results follow calls, and nothing else does. */
function anthropicOrder(messages: readonly ProviderMessage[]): boolean {
  const letters = messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? (content as readonly ProviderMessage[]) : []
    const kind = (type: string) => blocks.some((block) => block.type === type)
    return `${String(role)[0]}${kind('tool_use') ? 'c' : kind('tool_result') ? 'r' : 'w'}`
  })
  return /^uw(?:acur)*(?:aw(?:uw(?:acur)*|$))*$/.test(letters.join(''))
}
