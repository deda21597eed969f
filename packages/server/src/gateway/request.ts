import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ChatMessage } from '@panoptes/engine/models'
import { z } from 'zod'

/** What a client has to say; all else passes as it came. */
export const chatRequest = z.looseObject({
  model: z.string('must be the name of a model').min(1, 'must be the name of a model'),
  messages: z
    .array(z.looseObject({ role: z.string('must be a role') }), 'must be a list of messages')
    .min(1, 'must not be empty'),
  stream: z.boolean('must be true or false').nullish(),
})
export type ChatRequest = z.infer<typeof chatRequest>

/** Everything beside the model, the conversation and whether to stream. */
export function parametersOf(request: ChatRequest): Record<string, unknown> {
  const { model: _model, messages: _messages, stream: _stream, ...rest } = request
  return rest
}

const LONGEST = 200

/** The session that a request is of: as it says, also in headers of its client's own, else by how its conversation began. */
export function sessionOf(
  headers: IncomingHttpHeaders,
  messages: readonly ChatMessage[],
  own: readonly string[] = [],
  owner = '',
): string {
  for (const name of ['x-panoptes-session-id', 'x-hermes-session-id', ...own]) {
    const said = headers[name]
    const id = unicode((Array.isArray(said) ? said[0] : said) ?? '').trim()
    if (id) return id.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')
  }
  const system = textOf(messages.find(({ role }) => role === 'system' || role === 'developer'))
  const first = textOf(messages.find(({ role }) => role === 'user'))
  return `api-${createHash('sha256').update(`${owner}${system}${first}`).digest('hex').slice(0, 16)}`
}

/** Node reads every byte of a header as a letter; clients send UTF-8. What is none stays as it was read. */
function unicode(read: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(read, 'latin1'))
  } catch {
    return read
  }
}

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n')
}
