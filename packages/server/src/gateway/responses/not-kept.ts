import { errorBody } from '../errors.ts'
import type { ResponsesRequest } from './request.ts'
import { type Fields, fields } from './shape.ts'

const AT_OPENAI = ['previous_response_id', 'conversation', 'prompt']

/** Whoever speaks of something that was stored before has to be told that nothing is. */
export function notKept(request: ResponsesRequest): Response | undefined {
  const said = request as Fields
  const named = AT_OPENAI.find((name) => (said[name] ?? null) !== null)
  if (named) return refused(named, 'Send the whole conversation as input.')
  if (said.background === true) return refused('background', 'Wait for the answer, or stream it.')
  const items = typeof request.input === 'string' ? [] : request.input
  if (items.some(({ type }) => type === 'item_reference'))
    return refused('item_reference', 'Send the item itself.')
  return items.some(({ content, output }) => [content, output].some(hasStoredImage))
    ? refused('file_id of an image', 'Send the image itself in image_url.')
    : undefined
}

const hasStoredImage = (parts: unknown): boolean =>
  Array.isArray(parts) &&
  parts.map(fields).some(({ type, file_id: id }) => type === 'input_image' && (id ?? null) !== null)

const refused = (what: string, next: string): Response =>
  Response.json(
    errorBody(
      `Nothing is stored here, so there is no ${what}. ${next}`,
      'invalid_request_error',
      'not_stored',
    ),
    { status: 400 },
  )
