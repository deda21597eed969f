import { type Answering, failedAnswer, NOTHING } from '../answer.ts'
import { comment, sseAnswer } from '../sse.ts'
import { createOutput, type Ending } from './output.ts'
import type { ResponsesRequest } from './request.ts'
import { createResponse, endOf, responseError, responsesUsage } from './response.ts'
import type { Fields } from './shape.ts'
import type { Tools } from './tools.ts'

interface Responding extends Answering {
  readonly request: ResponsesRequest
  readonly tools: Tools
}

/** The whole response at once. */
export async function wholeResponse({ parts, headers, request, tools }: Responding): Promise<Response> {
  for await (const part of parts) {
    if (part.type === 'failed') return failedAnswer(part.error, headers)
    if (part.type !== 'end') continue
    const output = createOutput(tools, () => {})
    output.take(part.reply.message)
    const { status, ...end } = endOf(part.reply)
    output.end(status)
    const told = { ...end, output: output.items(), usage: responsesUsage(part.usage) }
    return Response.json(createResponse(request)(status, told), { headers })
  }
  return failedAnswer(NOTHING, headers)
}

/** The response step by step; each event has its number. */
export function streamedResponse(responding: Responding): Response {
  const { parts, request, tools } = responding
  return sseAnswer(responding, async (write) => {
    let number = 0
    let held: Promise<void> | undefined
    const tell = (type: string, data: Fields) => {
      held = write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...data })}\n\n`)
      number += 1
    }
    const now = createResponse(request)
    const output = createOutput(tools, tell)
    tell('response.created', { response: now('in_progress', {}) })
    tell('response.in_progress', { response: now('in_progress', {}) })
    let isOver = false
    const finish = (status: Ending, told: Fields) => {
      isOver = true
      output.end(status)
      tell(`response.${status}`, { response: now(status, { ...told, output: output.items() }) })
    }
    // Also when nobody listens any more it is read to its end, so that what it took is kept.
    for await (const part of parts) {
      if (part.type === 'news') write(comment(part))
      else if (part.type === 'failed') finish('failed', { error: responseError(part.error) })
      else if (part.type === 'end') {
        const { status, ...end } = endOf(part.reply)
        finish(status, { ...end, usage: responsesUsage(part.usage) })
      } else for (const { index, delta } of part.chunk.choices) if (index === 0) output.take(delta)
      await held
    }
    if (!isOver) finish('failed', { error: responseError(NOTHING) })
  })
}
