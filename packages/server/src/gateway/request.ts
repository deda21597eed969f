import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ChatMessage } from '@panoptes/engine/models'
import { z } from 'zod'

/** The required fields of a request; all others pass through unchanged. */
export const chatRequest = z.looseObject({
  model: z.string('must be the name of a model').min(1, 'must be the name of a model'),
  messages: z
    .array(z.looseObject({ role: z.string('must be a role') }), 'must be a list of messages')
    .min(1, 'must not be empty'),
  stream: z.boolean('must be true or false').nullish(),
})
export type ChatRequest = z.infer<typeof chatRequest>

/** All fields other than the model, the messages and `stream`. */
export function extraParameters(request: ChatRequest): Record<string, unknown> {
  const { model: _model, messages: _messages, stream: _stream, ...rest } = request
  return rest
}

const LONGEST = 200

/**
 * The session of a request: from a session header, or from one of the client's own, else a hash of how the
 * conversation began.
 */
export function findSessionId(
  headers: IncomingHttpHeaders,
  messages: readonly ChatMessage[],
  own: readonly string[] = [],
  owner = '',
): string {
  for (const name of ['x-panoptes-session-id', 'x-hermes-session-id', ...own]) {
    const header = headers[name]
    const id = unicode((Array.isArray(header) ? header[0] : header) ?? '').trim()
    if (id) return id.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')
  }
  const system = messageText(messages.find(({ role }) => role === 'system' || role === 'developer'))
  const first = messageText(messages.find(({ role }) => role === 'user'))
  return `api-${createHash('sha256').update(`${owner}${system}${first}`).digest('hex').slice(0, 16)}`
}

/** Node decodes header bytes as Latin-1, but clients send UTF-8. A value that is not UTF-8 stays as it is. */
function unicode(read: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(read, 'latin1'))
  } catch {
    return read
  }
}

function messageText(message: ChatMessage | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n')
}
